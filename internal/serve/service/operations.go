package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"runtime/debug"
	"slices"

	"simsearch/internal/files/syntax"
)

// An Operation is what clients can ask for.
type Operation struct {
	Name         string // of the operation on standard input, in the document of OpenAPI and in metrics
	Method, Path string // in HTTP; the path has {name}, the collection, and {id}, a document
	About        string
	Writes       bool // it changes something
	// Request is the type of the request, nil if there is none, and Answer that of the answer, nil if there is none.
	// InQuery says that HTTP has the request in the query of the URL. Lines says that both may be a batch: a value a
	// line.
	Request, Answer reflect.Type
	InQuery, Lines  bool
	// Streams says that the answer, lines of Answer, is written as it is made.
	Streams bool
	// Statuses are those of success.
	Statuses []int

	do func(context.Context, *Call) error
}

// An API is what operations ask of a Service.
type API interface {
	List(ctx context.Context) ([]Info, error)
	Create(ctx context.Context, name string, st *Settings) (info Info, created bool, err error)
	Drop(ctx context.Context, name string) error
	Info(ctx context.Context, name string) (Info, error)
	Near(ctx context.Context, name string, r *NearRequest) (*NearAnswer, error)
	NearAll(ctx context.Context, name string, rs []NearRequest) ([]NearAnswer, error)
	CheckAndAdd(ctx context.Context, name, key string, rs []CheckRequest) ([]CheckAnswer, error)
	Put(ctx context.Context, name string, docs []Document) ([]Outcome, error)
	Delete(ctx context.Context, name string, ids []string) ([]Outcome, error)
	Document(ctx context.Context, name, id string) (*Document, error)
	Compare(ctx context.Context, name string, r *CompareRequest) (CompareAnswer, error)
	Groups(ctx context.Context, name string, r *GroupsRequest) (*GroupsPage, error)
	Export(ctx context.Context, name string, w io.Writer) error
	Health(ctx context.Context) error
}

// A Call is a request for an operation.
type Call struct {
	Service        API
	Collection, ID string
	Key            string // of a request that is sent again if its answer is lost; "" for none
	Body           []byte
	Lines          bool                   // Body is a batch, and so is the answer
	Room           func(bytes int) error  // returns an error if there is no room for an answer of so many bytes
	Sees           func(name string) bool // says which collections are listed; nil for all
	To             io.Writer              // of an operation that streams

	Answer []byte   // is appended to
	Failed []*Error // is appended to: of each request of a batch, nil if it has not failed
	Status int
}

// Do does an operation. After an error the answer is what it was. A panic is an error.
func (o *Operation) Do(ctx context.Context, c *Call) (err error) {
	before := len(c.Answer)
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("%s: a bug: %v\n%s", o.Name, bug, debug.Stack())
		}
		if err != nil {
			c.Answer = c.Answer[:before]
		}
	}()
	c.Status = o.Statuses[0]
	if c.Lines && !o.Lines {
		return Errorf(BadRequest, "", "%s takes one JSON object, and no lines", o.Name)
	}
	return o.do(ctx, c)
}

// Collections is the answer of an operation that lists collections.
type Collections struct {
	Collections []Info `json:"collections"`
}

// A DeleteRequest names a document that is deleted.
type DeleteRequest struct {
	ID string `json:"id" doc:"the id of the document"`
}

// ofCollection is the path of a collection.
const ofCollection = "/v1/collections/{name}"

// All is the table of what clients can ask of a Service, by whatever door.
var All = []Operation{
	asks(Operation{Name: "collections", Method: "GET", Path: "/v1/collections", About: "list the collections"}, listCollections),
	asks(Operation{Name: "create", Method: "PUT", Path: ofCollection, About: "make a collection, or find one of these settings", Writes: true,
		Statuses: []int{http.StatusOK, http.StatusCreated}}, createCollection),
	{Name: "drop", Method: "DELETE", Path: ofCollection, About: "remove a collection and all its documents", Writes: true,
		Statuses: []int{http.StatusNoContent}, do: func(ctx context.Context, c *Call) error { return c.Service.Drop(ctx, c.Collection) }},
	asks(Operation{Name: "collection", Method: "GET", Path: ofCollection, About: "describe a collection"}, collectionInfo),
	asks(Operation{Name: "info", Method: "GET", Path: ofCollection + "/info", About: "describe a collection"}, collectionInfo),
	batches(Operation{Name: "check-and-add", Method: "POST", Path: ofCollection + "/check-and-add", Writes: true,
		About: "add documents unless something is near them; it is durable when it is answered, and of near documents that are sent at once one is new"},
		func(ctx context.Context, c *Call, rs []CheckRequest) ([]CheckAnswer, error) {
			return c.Service.CheckAndAdd(ctx, c.Collection, c.Key, rs)
		}, func(a *CheckAnswer) *Error { return a.Error }, nil),
	batches(Operation{Name: "put", Method: "POST", Path: ofCollection + "/documents", Writes: true,
		About: "add documents, which take the places of those with their ids"},
		func(ctx context.Context, c *Call, docs []Document) ([]Outcome, error) {
			return c.Service.Put(ctx, c.Collection, docs)
		}, ofOutcome, nil),
	asks(Operation{Name: "document", Method: "GET", Path: ofCollection + "/documents/{id}", About: "return a document"},
		func(ctx context.Context, c *Call, _ *nothing) (*Document, error) {
			return c.Service.Document(ctx, c.Collection, c.ID)
		}),
	asks(Operation{Name: "delete", Method: "DELETE", Path: ofCollection + "/documents/{id}", About: "delete a document", Writes: true}, deleteOne),
	batches(Operation{Name: "delete-all", Method: "POST", Path: ofCollection + "/delete", About: "delete documents", Writes: true}, deleteAll, ofOutcome, nil),
	batches(Operation{Name: "near", Method: "POST", Path: ofCollection + "/near",
		About: "find the documents near a text, a fingerprint, a set or a document of the collection"}, near, nil, nearTogether),
	asks(Operation{Name: "compare", Method: "POST", Path: ofCollection + "/compare", About: "say how near two texts are, and why"},
		func(ctx context.Context, c *Call, r *CompareRequest) (CompareAnswer, error) {
			return c.Service.Compare(ctx, c.Collection, r)
		}),
	asks(Operation{Name: "groups", Method: "GET", Path: ofCollection + "/groups", About: "return a page of groups of near documents", InQuery: true},
		func(ctx context.Context, c *Call, r *GroupsRequest) (*GroupsPage, error) {
			return c.Service.Groups(ctx, c.Collection, r)
		}),
	{Name: "export", Method: "GET", Path: ofCollection + "/export", About: "return all documents, one a line", Streams: true,
		Answer: reflect.TypeFor[Document](), do: func(ctx context.Context, c *Call) error { return c.Service.Export(ctx, c.Collection, c.To) }},
}

func init() {
	for i := range All {
		if All[i].Statuses == nil {
			All[i].Statuses = []int{http.StatusOK}
		}
	}
}

// nothing is the request of an operation that takes none.
type nothing struct{}

// asks returns an operation on one request.
func asks[Q, A any](o Operation, do func(context.Context, *Call, *Q) (A, error)) Operation {
	if o.Request = reflect.TypeFor[Q](); o.Request == reflect.TypeFor[nothing]() {
		o.Request = nil
	}
	if o.Answer = reflect.TypeFor[A](); o.Answer.Kind() == reflect.Pointer {
		o.Answer = o.Answer.Elem()
	}
	o.do = func(ctx context.Context, c *Call) error {
		rs, err := Decode[Q](c.Body, false)
		if err != nil {
			return err
		}
		a, err := do(ctx, c, &rs[0])
		if err != nil {
			return err
		}
		return c.answer(a)
	}
	return o
}

// batches returns an operation on one request, or on many at once. failed, if it is not nil, returns the error of an
// answer, which is that of the operation if there is one request. together, if it is not nil, returns how many
// requests are done before their answers are written.
func batches[Q, A any](o Operation, do func(context.Context, *Call, []Q) ([]A, error), failed func(*A) *Error, together func([]Q) int) Operation {
	o.Lines, o.Request, o.Answer = true, reflect.TypeFor[Q](), reflect.TypeFor[A]()
	o.do = func(ctx context.Context, c *Call) error {
		rs, err := Decode[Q](c.Body, c.Lines)
		if err != nil || len(rs) == 0 {
			return err
		}
		size := len(rs)
		if together != nil {
			size = together(rs)
		}
		for part := range slices.Chunk(rs, size) {
			answers, err := do(ctx, c, part)
			if err != nil {
				return err
			}
			for i := range answers {
				var e *Error
				if failed != nil {
					e = failed(&answers[i])
				}
				if c.Failed = append(c.Failed, e); e != nil && !c.Lines {
					return e
				}
				if err := c.answer(&answers[i]); err != nil {
					return err
				}
				if c.Lines {
					c.Answer = append(c.Answer, '\n')
				}
			}
		}
		return nil
	}
	return o
}

func ofOutcome(o *Outcome) *Error { return o.Error }

// Named returns the operation of a name, or nil if there is none.
func Named(name string) *Operation {
	if i := slices.IndexFunc(All, func(o Operation) bool { return o.Name == name }); i >= 0 {
		return &All[i]
	}
	return nil
}

func listCollections(ctx context.Context, c *Call, _ *nothing) (Collections, error) {
	all, err := c.Service.List(ctx)
	seen := []Info{}
	for _, i := range all {
		if c.Sees == nil || c.Sees(i.Name) {
			seen = append(seen, i)
		}
	}
	return Collections{seen}, err
}

func createCollection(ctx context.Context, c *Call, settings *Settings) (Info, error) {
	info, created, err := c.Service.Create(ctx, c.Collection, settings)
	if created {
		c.Status = http.StatusCreated
	}
	return info, err
}

func collectionInfo(ctx context.Context, c *Call, _ *nothing) (Info, error) {
	return c.Service.Info(ctx, c.Collection)
}

func deleteOne(ctx context.Context, c *Call, _ *nothing) (o Outcome, err error) {
	outcomes, err := c.Service.Delete(ctx, c.Collection, []string{c.ID})
	if err != nil {
		return o, err
	}
	if o = outcomes[0]; o.Error != nil {
		err = o.Error
	}
	return o, err
}

func deleteAll(ctx context.Context, c *Call, rs []DeleteRequest) ([]Outcome, error) {
	ids := make([]string, len(rs))
	for i, r := range rs {
		ids[i] = r.ID
	}
	return c.Service.Delete(ctx, c.Collection, ids)
}

// nearTogether returns how many queries of a batch are answered before their answers are written, so that these take
// little memory: few if they have texts.
func nearTogether(rs []NearRequest) int {
	if slices.ContainsFunc(rs, func(r NearRequest) bool { return r.WithTexts }) {
		return 8
	}
	return 512
}

func near(ctx context.Context, c *Call, rs []NearRequest) ([]NearAnswer, error) {
	if c.Lines {
		return c.Service.NearAll(ctx, c.Collection, rs)
	}
	a, err := c.Service.Near(ctx, c.Collection, &rs[0])
	if err != nil {
		return nil, err
	}
	return []NearAnswer{*a}, nil
}

// answer appends the answer v. The error is that it is too large.
func (c *Call) answer(v any) (err error) {
	if c.Answer, err = Append(c.Answer, v); err == nil && c.Room != nil {
		err = c.Room(cap(c.Answer))
	}
	return err
}

// FromQuery returns the request that the query of a URL stands for, as JSON. It is checked when it is decoded: values
// that are not of the type of their member are passed on as strings, which are refused.
func (o *Operation) FromQuery(query url.Values) ([]byte, error) {
	s := shapeOf(o.Request)
	members := Object{}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values, f := query[name], s.fields[name]
		switch {
		case f != nil && f.typ.Kind() == reflect.Slice:
			members[name] = values
		case len(values) > 1:
			return nil, Errorf(BadRequest, name, "is given %d times", len(values))
		case f != nil && f.typ.Kind() != reflect.String && isJSON(values[0], "number", "true", "false"):
			members[name] = json.RawMessage(values[0])
		default:
			members[name] = values[0]
		}
	}
	return Append(nil, members)
}

// isJSON reports whether s is a value of JSON of one of some kinds.
func isJSON(s string, kinds ...string) bool {
	return s != "" && syntax.ValidateJSON([]byte(s)) == nil && slices.Contains(kinds, syntax.JSONKind([]byte(s)))
}

// ErrorOf returns the error that a client is told of err, which is not nil. Of an error that is not a client's, told
// is false: the log has the rest.
func ErrorOf(err error) (e *Error, told bool) {
	e = errorOf(err)
	return e, e.Code != Internal && e.Cause == nil
}

// Codes of errors that the doors add to those of the service.
const (
	MethodNotAllowed = "method_not_allowed" // 405
	UnsupportedType  = "unsupported_type"   // 415: the type or the coding of the body
)

// statuses are the statuses of HTTP that codes of errors have.
var statuses = map[string]int{
	BadRequest:       http.StatusBadRequest,
	Unauthorized:     http.StatusUnauthorized,
	Forbidden:        http.StatusForbidden,
	NotFound:         http.StatusNotFound,
	Conflict:         http.StatusConflict,
	TooLarge:         http.StatusRequestEntityTooLarge,
	TooMany:          http.StatusTooManyRequests,
	ReadOnly:         http.StatusForbidden,
	Unavailable:      http.StatusServiceUnavailable,
	Deadline:         http.StatusGatewayTimeout,
	Internal:         http.StatusInternalServerError,
	MethodNotAllowed: http.StatusMethodNotAllowed,
	UnsupportedType:  http.StatusUnsupportedMediaType,
}

// Status returns the status of HTTP that an error has.
func Status(e *Error) int { return cmp.Or(statuses[e.Code], http.StatusInternalServerError) }

// A Failure is the body of an answer that is an error.
type Failure struct {
	Error *Error `json:"error"`
}
