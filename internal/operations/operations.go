// Package operations is the table of what clients can ask of a service: the name of each operation, its place in HTTP, whether it changes
// something, and the types of its request and its answer, from which schemas follow. It reads requests and writes answers, for HTTP and
// for lines on standard input alike.
package operations

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"simsearch/internal/service"
	"simsearch/internal/syntax"
)

// An Operation is what clients can ask for.
type Operation struct {
	Name         string // of the operation on standard input, in the document of OpenAPI and in metrics
	Method, Path string // in HTTP; the path has {name}, the collection, and {id}, a document
	About        string
	Writes       bool // it changes something
	// Request is the type of the request, nil if there is none, and Answer that of the answer, nil if there is none. InQuery says that
	// HTTP has the request in the query of the URL. Lines says that both may be a batch: a value a line.
	Request, Answer reflect.Type
	InQuery, Lines  bool
	// Streams says that the answer, lines of Answer, is written as it is made.
	Streams bool
	// Statuses are those of success.
	Statuses []int

	do func(context.Context, *Call) error
}

// A Service is what operations ask of a service.Service.
type Service interface {
	List(ctx context.Context) ([]service.Info, error)
	Create(ctx context.Context, name string, st *service.Settings) (info service.Info, created bool, err error)
	Drop(ctx context.Context, name string) error
	Info(ctx context.Context, name string) (service.Info, error)
	Near(ctx context.Context, name string, r *service.NearRequest) (*service.NearAnswer, error)
	NearAll(ctx context.Context, name string, rs []service.NearRequest) ([]service.NearAnswer, error)
	CheckAndAdd(ctx context.Context, name, key string, rs []service.CheckRequest) ([]service.CheckAnswer, error)
	Put(ctx context.Context, name string, docs []service.Document) ([]service.Outcome, error)
	Delete(ctx context.Context, name string, ids []string) ([]service.Outcome, error)
	Document(ctx context.Context, name, id string) (*service.Document, error)
	Compare(ctx context.Context, name string, r *service.CompareRequest) (service.CompareAnswer, error)
	Groups(ctx context.Context, name string, r *service.GroupsRequest) (*service.GroupsPage, error)
	Export(ctx context.Context, name string, w io.Writer) error
	Health(ctx context.Context) error
}

// A Call is a request for an operation.
type Call struct {
	Service        Service
	Collection, ID string
	Key            string // of a request that is sent again if its answer is lost; "" for none
	Body           []byte
	Lines          bool                   // Body is a batch, and so is the answer
	MostLines      int                    // of a batch
	Room           func(bytes int) error  // returns an error if there is no room for an answer of so many bytes
	Sees           func(name string) bool // says which collections are listed; nil for all
	To             io.Writer              // of an operation that streams

	Answer []byte // is appended to
	Status int
}

// Do does an operation. After an error the answer is what it was.
func (o *Operation) Do(ctx context.Context, c *Call) error {
	before := len(c.Answer)
	c.Status = o.Statuses[0]
	if c.Lines && !o.Lines {
		return service.Errorf(service.BadRequest, "", "%s takes one JSON object, and no lines", o.Name)
	}
	err := o.do(ctx, c)
	if err != nil {
		c.Answer = c.Answer[:before]
	}
	return err
}

// Collections is the answer of an operation that lists collections.
type Collections struct {
	Collections []service.Info `json:"collections"`
}

// A DeleteRequest names a document that is deleted.
type DeleteRequest struct {
	ID string `json:"id"`
}

// All are the operations.
var All = []Operation{
	{
		Name: "collections", Method: "GET", Path: "/v1/collections", About: "list the collections",
		Answer: reflect.TypeFor[Collections](), do: list,
	}, {
		Name: "create", Method: "PUT", Path: "/v1/collections/{name}", About: "make a collection, or find one of these settings", Writes: true,
		Request: reflect.TypeFor[service.Settings](), Answer: reflect.TypeFor[service.Info](), Statuses: []int{http.StatusOK, http.StatusCreated}, do: create,
	}, {
		Name: "drop", Method: "DELETE", Path: "/v1/collections/{name}", About: "remove a collection and all its documents", Writes: true,
		Statuses: []int{http.StatusNoContent}, do: func(ctx context.Context, c *Call) error { return c.Service.Drop(ctx, c.Collection) },
	}, {
		Name: "collection", Method: "GET", Path: "/v1/collections/{name}", About: "describe a collection",
		Answer: reflect.TypeFor[service.Info](), do: info,
	}, {
		Name: "info", Method: "GET", Path: "/v1/collections/{name}/info", About: "describe a collection",
		Answer: reflect.TypeFor[service.Info](), do: info,
	}, {
		Name: "check-and-add", Method: "POST", Path: "/v1/collections/{name}/check-and-add", Writes: true, Lines: true,
		About:   "add documents unless something is near them; it is durable when it is answered, and of near documents that are sent at once one is new",
		Request: reflect.TypeFor[service.CheckRequest](), Answer: reflect.TypeFor[service.CheckAnswer](), do: batch(
			func(ctx context.Context, c *Call, rs []service.CheckRequest) ([]service.CheckAnswer, error) {
				return c.Service.CheckAndAdd(ctx, c.Collection, c.Key, rs)
			}, func(a *service.CheckAnswer) *service.Error { return a.Error }),
	}, {
		Name: "put", Method: "POST", Path: "/v1/collections/{name}/documents", Writes: true, Lines: true,
		About:   "add documents, which take the places of those with their ids",
		Request: reflect.TypeFor[service.Document](), Answer: reflect.TypeFor[service.Outcome](), do: batch(
			func(ctx context.Context, c *Call, docs []service.Document) ([]service.Outcome, error) {
				return c.Service.Put(ctx, c.Collection, docs)
			}, ofOutcome),
	}, {
		Name: "document", Method: "GET", Path: "/v1/collections/{name}/documents/{id}", About: "return a document",
		Answer: reflect.TypeFor[service.Document](), do: func(ctx context.Context, c *Call) error {
			doc, err := c.Service.Document(ctx, c.Collection, c.ID)
			return c.answer(doc, err)
		},
	}, {
		Name: "delete", Method: "DELETE", Path: "/v1/collections/{name}/documents/{id}", About: "delete a document", Writes: true,
		Answer: reflect.TypeFor[service.Outcome](), do: func(ctx context.Context, c *Call) error {
			outcomes, err := c.Service.Delete(ctx, c.Collection, []string{c.ID})
			return c.first(outcomes, err)
		},
	}, {
		Name: "delete-all", Method: "POST", Path: "/v1/collections/{name}/delete", About: "delete documents", Writes: true, Lines: true,
		Request: reflect.TypeFor[DeleteRequest](), Answer: reflect.TypeFor[service.Outcome](), do: batch(
			func(ctx context.Context, c *Call, rs []DeleteRequest) ([]service.Outcome, error) {
				ids := make([]string, len(rs))
				for i, r := range rs {
					ids[i] = r.ID
				}
				return c.Service.Delete(ctx, c.Collection, ids)
			}, ofOutcome),
	}, {
		Name: "near", Method: "POST", Path: "/v1/collections/{name}/near", Lines: true,
		About:   "find the documents near a text, a fingerprint, a set or a document of the collection",
		Request: reflect.TypeFor[service.NearRequest](), Answer: reflect.TypeFor[service.NearAnswer](), do: near,
	}, {
		Name: "compare", Method: "POST", Path: "/v1/collections/{name}/compare", About: "say how near two texts are, and why",
		Request: reflect.TypeFor[service.CompareRequest](), Answer: reflect.TypeFor[service.CompareAnswer](), do: compare,
	}, {
		Name: "groups", Method: "GET", Path: "/v1/collections/{name}/groups", About: "return a page of groups of near documents", InQuery: true,
		Request: reflect.TypeFor[service.GroupsRequest](), Answer: reflect.TypeFor[service.GroupsPage](), do: groups,
	}, {
		Name: "export", Method: "GET", Path: "/v1/collections/{name}/export", About: "return all documents, one a line", Streams: true,
		Answer: reflect.TypeFor[service.Document](), do: func(ctx context.Context, c *Call) error {
			return c.Service.Export(ctx, c.Collection, c.To)
		},
	},
}

func init() {
	for i := range All {
		o := &All[i]
		if len(o.Statuses) == 0 {
			o.Statuses = []int{http.StatusOK}
		}
	}
}

// Named returns the operation of a name, or nil if there is none.
func Named(name string) *Operation {
	if i := slices.IndexFunc(All, func(o Operation) bool { return o.Name == name }); i >= 0 {
		return &All[i]
	}
	return nil
}

func list(ctx context.Context, c *Call) error {
	all, err := c.Service.List(ctx)
	if c.Sees != nil {
		all = slices.DeleteFunc(all, func(i service.Info) bool { return !c.Sees(i.Name) })
	}
	if all == nil {
		all = []service.Info{}
	}
	return c.answer(Collections{all}, err)
}

func create(ctx context.Context, c *Call) error {
	settings, err := one[service.Settings](c)
	if err != nil {
		return err
	}
	info, created, err := c.Service.Create(ctx, c.Collection, settings)
	if created {
		c.Status = http.StatusCreated
	}
	return c.answer(info, err)
}

func info(ctx context.Context, c *Call) error {
	info, err := c.Service.Info(ctx, c.Collection)
	return c.answer(info, err)
}

func compare(ctx context.Context, c *Call) error {
	r, err := one[service.CompareRequest](c)
	if err != nil {
		return err
	}
	a, err := c.Service.Compare(ctx, c.Collection, r)
	return c.answer(a, err)
}

func groups(ctx context.Context, c *Call) error {
	r, err := one[service.GroupsRequest](c)
	if err != nil {
		return err
	}
	page, err := c.Service.Groups(ctx, c.Collection, r)
	return c.answer(page, err)
}

// together is how many queries of a batch are answered before their answers are written, so that these take little memory, and
// fewTogether how many whose answers have texts.
const together, fewTogether = 512, 8

func near(ctx context.Context, c *Call) error {
	rs, err := Decode[service.NearRequest](c.Body, c.Lines, c.MostLines)
	if err != nil {
		return err
	}
	if !c.Lines {
		a, err := c.Service.Near(ctx, c.Collection, &rs[0])
		if err == nil {
			c.Answer = AppendNear(c.Answer, a)
			err = c.fits()
		}
		return err
	}
	size := together
	if slices.ContainsFunc(rs, func(r service.NearRequest) bool { return r.WithTexts }) {
		size = fewTogether
	}
	for part := range slices.Chunk(rs, size) {
		answers, err := c.Service.NearAll(ctx, c.Collection, part)
		if err != nil {
			return err
		}
		for i := range answers {
			c.Answer = append(AppendNear(c.Answer, &answers[i]), '\n')
			if err := c.fits(); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch returns an operation on one request, or on many at once. failed returns the error of an answer, which is that of the operation
// if there is one request.
func batch[Q, A any](do func(context.Context, *Call, []Q) ([]A, error), failed func(*A) *service.Error) func(context.Context, *Call) error {
	return func(ctx context.Context, c *Call) error {
		rs, err := Decode[Q](c.Body, c.Lines, c.MostLines)
		if err != nil || len(rs) == 0 {
			return err
		}
		answers, err := do(ctx, c, rs)
		if err != nil {
			return err
		}
		if !c.Lines {
			if err := failed(&answers[0]); err != nil {
				return err
			}
			return c.answer(&answers[0], nil)
		}
		for i := range answers {
			if err := c.answer(&answers[i], nil); err != nil {
				return err
			}
			c.Answer = append(c.Answer, '\n')
		}
		return nil
	}
}

func ofOutcome(o *service.Outcome) *service.Error { return o.Error }

// one reads the request of an operation that takes one.
func one[T any](c *Call) (*T, error) {
	rs, err := Decode[T](c.Body, false, 1)
	if err != nil {
		return nil, err
	}
	return &rs[0], nil
}

// first answers with the one outcome.
func (c *Call) first(outcomes []service.Outcome, err error) error {
	if err != nil {
		return err
	}
	if err := outcomes[0].Error; err != nil {
		return err
	}
	return c.answer(&outcomes[0], nil)
}

// answer appends the answer v, unless there is an error.
func (c *Call) answer(v any, err error) error {
	if err != nil {
		return err
	}
	if c.Answer, err = Append(c.Answer, v); err != nil {
		return err
	}
	return c.fits()
}

// fits returns an error if the answer is too large.
func (c *Call) fits() error {
	if c.Room == nil {
		return nil
	}
	return c.Room(cap(c.Answer))
}

// FromQuery returns the request that the query of a URL stands for, as JSON. It is checked when it is decoded: values that are not of
// the type of their member are passed on as strings, which are refused.
func (o *Operation) FromQuery(query url.Values) ([]byte, error) {
	s := shapeOf(o.Request)
	body := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(appendString(body, name), ':')
		f := s.fields[name]
		switch {
		case f != nil && f.typ.Kind() == reflect.Slice:
			body = append(body, '[')
			for i, v := range values {
				if i > 0 {
					body = append(body, ',')
				}
				body = appendString(body, v)
			}
			body = append(body, ']')
		case len(values) > 1:
			return nil, service.Errorf(service.BadRequest, name, "is given %d times", len(values))
		case f != nil && f.typ.Kind() != reflect.String && isJSON(values[0], "number", "true", "false"):
			body = append(body, values[0]...)
		default:
			body = appendString(body, values[0])
		}
	}
	return append(body, '}'), nil
}

// isJSON reports whether s is a value of JSON of one of some kinds.
func isJSON(s string, kinds ...string) bool {
	return s != "" && syntax.ValidateJSON([]byte(s)) == nil && slices.Contains(kinds, syntax.JSONKind([]byte(s)))
}

// ErrorOf returns the error that a client is told of err, which is not nil. Of an error that is not a client's, told is false: the log
// has the rest.
func ErrorOf(err error) (e *service.Error, told bool) {
	switch {
	case errors.As(err, &e):
		return e, e.Code != service.Internal && e.Cause == nil
	case errors.Is(err, context.DeadlineExceeded):
		return service.Errorf(service.Deadline, "", "the request took longer than it may"), true
	case errors.Is(err, context.Canceled):
		return service.Errorf(service.Unavailable, "", "the request was given up"), true
	}
	return service.Errorf(service.Internal, "", "an error of the server; its log says more"), false
}

// Codes of errors that the doors add to those of the service.
const (
	MethodNotAllowed = "method_not_allowed" // 405
	UnsupportedType  = "unsupported_type"   // 415: the type or the coding of the body
)

// Statuses are the statuses of HTTP that codes of errors have.
var Statuses = map[string]int{
	service.BadRequest:   http.StatusBadRequest,
	service.Unauthorized: http.StatusUnauthorized,
	service.Forbidden:    http.StatusForbidden,
	service.NotFound:     http.StatusNotFound,
	service.Conflict:     http.StatusConflict,
	service.TooLarge:     http.StatusRequestEntityTooLarge,
	service.TooMany:      http.StatusTooManyRequests,
	service.ReadOnly:     http.StatusForbidden,
	service.Unavailable:  http.StatusServiceUnavailable,
	service.Deadline:     http.StatusGatewayTimeout,
	service.Internal:     http.StatusInternalServerError,
	MethodNotAllowed:     http.StatusMethodNotAllowed,
	UnsupportedType:      http.StatusUnsupportedMediaType,
}

// Status returns the status of HTTP that an error has.
func Status(e *service.Error) int {
	if s, ok := Statuses[e.Code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// A Failure is the body of an answer that is an error.
type Failure struct {
	Error *service.Error `json:"error"`
}
