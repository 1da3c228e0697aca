package lines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"simsearch/internal/operations"
	"simsearch/internal/service"
	"simsearch/internal/syntax"
)

// A request is a line of the input, and its answer.
type request struct {
	id         []byte // as it is written, nil for none
	op         *operations.Operation
	collection string
	key        string // makes a request that is sent again harmless
	body       []byte
	list       bool // the body is a list, and so is the answer
	size       int  // of the line, in bytes

	answer   []byte        // a line
	answered chan struct{} // is closed when there is an answer
	ended    func()        // is called when an operation that streams has ended
}

// defaultCollection is asked if a request names none.
const defaultCollection = "default"

// longestID is how many bytes the id of a request may have.
const longestID = 1 << 10

// parse sets r to what a line says, which is number n of the input. r keeps the line. After an error, it has an id if one could be read.
func (r *request) parse(line []byte, n int) error {
	where := "line " + strconv.Itoa(n)
	if !utf8.Valid(line) {
		return service.Errorf(service.BadRequest, where, "the line is not UTF-8")
	}
	var object syntax.Object
	var unquote syntax.Unquoter
	if err := object.Parse(line); err != nil {
		return service.Errorf(service.BadRequest, where, "%v", err)
	}
	if object.Value()[0] != '{' {
		return service.Errorf(service.BadRequest, where, "want a JSON object, and this is a value of the kind %s", syntax.JSONKind(object.Value()))
	}
	var err error
	op, wrong := "", func(where, format string, values ...any) {
		if err == nil {
			err = service.Errorf(service.BadRequest, where, format, values...)
		}
	}
	object.Each(func(key, value []byte) {
		kind, text := syntax.JSONKind(value), ""
		if kind == "string" {
			text = string(unquote.Unquote(value))
		}
		var to *string
		switch name := string(unquote.Unquote(key)); name {
		case "id":
			if kind != "string" && kind != "number" && kind != "null" || len(value) > longestID {
				wrong(where+": id", "want a string or a number, of at most %d bytes", longestID)
			} else {
				r.id = value
			}
			return
		case "body":
			r.body = value
			return
		case "op":
			to = &op
		case "collection":
			to = &r.collection
		case "key":
			to = &r.key
		default:
			wrong(where+": "+syntax.Shorten([]byte(name)), "there is no such member; it may be misspelt")
			return
		}
		if *to = text; kind != "string" && kind != "null" {
			wrong(where+": "+string(key[1:len(key)-1]), "want a string")
		}
	})
	if err != nil {
		return err
	}
	if r.collection == "" {
		r.collection = defaultCollection
	}
	return r.named(op)
}

// named sets the operation by its name.
func (r *request) named(name string) error {
	if string(r.body) == "null" {
		r.body = nil
	}
	r.list = len(r.body) > 0 && r.body[0] == '['
	switch {
	case name == "delete" && r.list:
		name = "delete_all"
	case name == "list":
		name = "collections"
	}
	if r.op = operations.Named(strings.ReplaceAll(name, "_", "-")); r.op == nil {
		return service.Errorf(service.BadRequest, "op", "there is no operation %s", strconv.Quote(syntax.Shorten([]byte(name))))
	}
	if r.list && !r.op.Lines {
		return service.Errorf(service.BadRequest, "body", "%s takes one JSON object, and no list", name)
	}
	if len(r.body) > 0 && r.op.Request == nil && !ofDocument(r.op) && string(r.body) != "{}" {
		return service.Errorf(service.BadRequest, "body", "%s takes no body", name)
	}
	return nil
}

// ofDocument reports whether an operation is about a document, which HTTP names in the path and a line in the body.
func ofDocument(o *operations.Operation) bool { return strings.HasSuffix(o.Path, "/{id}") }

// mostItems is how many items a list has at most.
const mostItems = 10_000

// call returns what the operation is called with.
func (r *request) call(s operations.Service) (*operations.Call, error) {
	c := &operations.Call{Service: s, Collection: r.collection, Key: r.key, Body: r.body, Lines: r.list, MostLines: mostItems}
	switch {
	case ofDocument(r.op):
		of, err := operations.Decode[operations.DeleteRequest](r.body, false, 1)
		if err != nil {
			return nil, err
		}
		c.ID, c.Body = of[0].ID, nil
	case r.list:
		c.Body = make([]byte, 0, len(r.body))
		for item := range syntax.Items(r.body) {
			c.Body = append(append(c.Body, item...), '\n')
		}
	}
	return c, nil
}

// reply sets the answer of a call: its body, or the error.
func (v *server) reply(r *request, status int, body []byte, err error) {
	if err != nil {
		e, told := operations.ErrorOf(err)
		if !told {
			v.log.Printf("a request failed: %v", err)
		}
		status = operations.Status(e)
		body, _ = operations.Append(nil, operations.Failure{Error: e}) // which is of strings
	}
	r.answer = append(r.begin(make([]byte, 0, len(r.id)+len(body)+64), status), `,"body":`...)
	switch {
	case err == nil && r.list:
		body = bytes.TrimSuffix(body, []byte("\n"))
		before := byte('[')
		for line := range bytes.Lines(body) {
			r.answer = append(append(r.answer, before), bytes.TrimSuffix(line, []byte("\n"))...)
			before = ','
		}
		if before == '[' {
			r.answer = append(r.answer, '[')
		}
		r.answer = append(r.answer, ']')
	case len(body) == 0:
		r.answer = append(r.answer, "{}"...)
	default:
		r.answer = append(r.answer, body...)
	}
	r.answer = append(r.answer, '}', '\n')
	close(r.answered)
}

// begin appends the beginning of an answer, up to its status.
func (r *request) begin(dst []byte, status int) []byte {
	dst = append(dst, `{"id":`...)
	if r.id == nil {
		dst = append(dst, "null"...)
	}
	dst = append(append(dst, r.id...), `,"status":`...)
	return strconv.AppendInt(dst, int64(status), 10)
}

// A task is requests that are done at once: one, or several writes with one item each.
type task struct {
	requests []*request
	bytes    int

	written chan struct{}   // is closed when the writes before it are done
	reads   *sync.WaitGroup // those between; nil for a task that only reads
	end     func()          // is called when it is done
}

// What a task has at most if it is of several requests. A batch of this size costs little for each item, and is done soon.
const (
	mostJoined      = 256
	mostJoinedBytes = 1 << 20
)

// join takes over the request of next, if doing both at once is the same as one after the other.
func (t *task) join(r *request) bool {
	first := t.requests[0]
	for _, r := range []*request{first, r} {
		if !r.op.Lines || r.list || r.key != "" || len(r.body) == 0 {
			return false
		}
	}
	if r.op != first.op || r.collection != first.collection || len(t.requests) == mostJoined || t.bytes+r.size > mostJoinedBytes {
		return false
	}
	t.requests = append(t.requests, r)
	t.bytes += r.size
	return true
}

// do does a task, and answers its requests.
func (v *server) do(ctx context.Context, t *task) {
	if len(t.requests) == 1 || !v.doTogether(ctx, t) {
		for _, r := range t.requests {
			v.doAlone(ctx, r)
		}
	}
}

func (v *server) doAlone(ctx context.Context, r *request) {
	c, err := r.call(v.service)
	if err == nil {
		err = v.call(ctx, r.op, c)
	}
	if err != nil {
		v.reply(r, 0, nil, err)
		return
	}
	v.reply(r, c.Status, c.Answer, nil)
}

// doTogether does all requests of a task as one batch. It reports false if they are to be done one by one, since the batch is refused for
// what may be wrong with one of them.
func (v *server) doTogether(ctx context.Context, t *task) bool {
	first := t.requests[0]
	c := &operations.Call{Service: v.service, Collection: first.collection, Lines: true, MostLines: mostJoined, Body: make([]byte, 0, t.bytes)}
	for _, r := range t.requests {
		c.Body = append(append(c.Body, r.body...), '\n')
	}
	err := v.call(ctx, first.op, c)
	answers := bytes.SplitAfter(c.Answer, []byte("\n"))
	if err == nil && len(answers) != len(t.requests)+1 { // nothing stands behind the last line end
		err = fmt.Errorf("%s: %d answers to %d requests", first.op.Name, len(answers)-1, len(t.requests))
	}
	if err != nil {
		if e, _ := operations.ErrorOf(err); e.Code == service.BadRequest || e.Code == service.TooLarge {
			return false
		}
		for _, r := range t.requests {
			v.reply(r, 0, nil, err)
		}
		return true
	}
	for i, r := range t.requests {
		answer := bytes.TrimSuffix(answers[i], []byte("\n"))
		v.reply(r, c.Status, answer, failure(answer))
	}
	return true
}

// failure returns the error of an item of a batch, which is that of the request if it has no other item.
func failure(answer []byte) error {
	if !bytes.Contains(answer, []byte(`"error":{`)) { // which it would have as it is, were there an error
		return nil
	}
	var of operations.Failure
	if err := json.Unmarshal(answer, &of); err != nil {
		return err
	}
	if of.Error == nil {
		return nil
	}
	return of.Error
}

// stream does an operation whose answer is written as it is made. Each item is a line with more, and the last line is the answer.
func (v *server) stream(r *request, to io.Writer) {
	items := &stream{r: r, to: to}
	c, err := r.call(v.service)
	if err == nil {
		c.To = items
		err = v.call(v.working, r.op, c)
	}
	v.reply(r, http.StatusOK, append(strconv.AppendInt([]byte(`{"documents":`), int64(items.n), 10), '}'), err)
}

// A stream turns lines into answers.
type stream struct {
	r    *request
	to   io.Writer
	n    int    // items
	part []byte // of a line whose end has not come

	answer []byte // with an item
}

func (s *stream) Write(p []byte) (int, error) {
	for rest := p; ; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			s.part = append(s.part, rest...)
			return len(p), nil
		}
		s.n++
		s.answer = append(s.r.begin(s.answer[:0], http.StatusOK), `,"more":true,"body":`...)
		s.answer = append(append(append(s.answer, s.part...), rest[:end]...), '}', '\n')
		s.part, rest = s.part[:0], rest[end+1:]
		if _, err := s.to.Write(s.answer); err != nil {
			return 0, err
		}
	}
}
