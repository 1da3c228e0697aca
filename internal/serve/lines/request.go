package lines

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"simsearch/internal/files/syntax"
	"simsearch/internal/serve/service"
)

// A line is what a line of the input says.
type line struct {
	ID         json.RawMessage `json:"id,omitempty"`
	Op         string          `json:"op,omitempty"`
	Collection string          `json:"collection,omitempty"`
	Key        string          `json:"key,omitempty"` // makes a request that is sent again harmless
	Body       json.RawMessage `json:"body,omitempty"`
}

// A request is a line of the input, and its answer.
type request struct {
	line
	op    *service.Operation
	list  bool  // the body is a list, and so is the answer
	size  int   // of the line, in bytes
	units int64 // of memory that it holds

	answer   []byte        // a line
	answered chan struct{} // is closed when there is an answer
}

// longestID is how many bytes the id of a request may have.
const longestID = 1 << 10

// parse sets r to what a line says, which is number n of the input. After an error, it has an id if one could be read.
func (r *request) parse(text []byte, n int) error {
	r.Collection = service.DefaultCollection
	err := service.DecodeLine(text, n, &r.line)
	if len(r.ID) > longestID || len(r.ID) > 0 && strings.ContainsRune("{[tf", rune(r.ID[0])) {
		r.ID = nil
		return service.Errorf(service.BadRequest, fmt.Sprintf("line %d: id", n), "want a string or a number, of at most %d bytes", longestID)
	}
	if err != nil {
		return err
	}
	if string(r.Body) == "null" {
		r.Body = nil
	}
	r.list = len(r.Body) > 0 && r.Body[0] == '['
	name := r.Op
	switch {
	case name == "delete" && r.list:
		name = "delete_all"
	case name == "list":
		name = "collections"
	}
	if r.op = service.Named(strings.ReplaceAll(name, "_", "-")); r.op == nil {
		return service.Errorf(service.BadRequest, "op", "there is no operation %s", strconv.Quote(syntax.Shorten([]byte(name))))
	}
	if r.op.Streams {
		return service.Errorf(service.BadRequest, "op", "%s is for clients by HTTP", name)
	}
	if r.list && !r.op.Lines {
		return service.Errorf(service.BadRequest, "body", "%s takes one JSON object, and no list", name)
	}
	if len(r.Body) > 0 && r.op.Request == nil && !ofDocument(r.op) && string(r.Body) != "{}" {
		return service.Errorf(service.BadRequest, "body", "%s takes no body", name)
	}
	return nil
}

// ofDocument reports whether an operation is about a document, which HTTP names in the path and a line in the body.
func ofDocument(o *service.Operation) bool { return strings.HasSuffix(o.Path, "/{id}") }

// call returns what the operation is called with.
func (r *request) call(s service.API) (*service.Call, error) {
	c := &service.Call{Service: s, Collection: r.Collection, Key: r.Key, Body: r.Body, Lines: r.list}
	switch {
	case ofDocument(r.op):
		of, err := service.Decode[service.DeleteRequest](r.Body, false)
		if err != nil {
			return c, err
		}
		c.ID, c.Body = of[0].ID, nil
	case r.list:
		c.Body = make([]byte, 0, len(r.Body))
		for item := range syntax.Items(r.Body) {
			c.Body = append(append(c.Body, item...), '\n')
		}
	}
	return c, nil
}

// reply sets the answer of a call: its body, or the error.
func (v *server) reply(r *request, status int, body []byte, err error) {
	if err != nil {
		e, told := service.ErrorOf(err)
		if !told {
			v.log.Printf("a request failed: %v", err)
		}
		status = service.Status(e)
		body, _ = service.Append(nil, service.Failure{Error: e}) // which is of strings
	} else if r.list {
		body = fmt.Appendf(nil, "[%s]", bytes.ReplaceAll(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"), []byte(",")))
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	id := cmp.Or(string(r.ID), "null")
	r.answer = append(append(fmt.Appendf(nil, `{"id":%s,"status":%d,"body":`, id, status), body...), '}', '\n')
	close(r.answered)
}

// joins reports whether doing r together with others of the kind of first is the same as doing one after the other.
func (r *request) joins(first *request) bool {
	return r.op == first.op && r.op.Lines && r.Collection == first.Collection && !r.list && r.Key == "" && len(r.Body) > 0
}

// do does requests, and answers them. Several are done as one batch, or one by one if that is refused for what may be
// wrong with one of them.
func (v *server) do(ctx context.Context, rs ...*request) {
	if len(rs) > 1 && v.doTogether(ctx, rs) {
		return
	}
	for _, r := range rs {
		c, err := r.call(v.service)
		if err == nil {
			err = v.ask(ctx, r.op, c)
		}
		v.reply(r, c.Status, c.Answer, err)
	}
}

// doTogether does requests as one batch. It reports false if nothing is done and answered.
func (v *server) doTogether(ctx context.Context, rs []*request) bool {
	first := rs[0]
	c := &service.Call{Service: v.service, Collection: first.Collection, Lines: true}
	for _, r := range rs {
		c.Body = append(append(c.Body, r.Body...), '\n')
	}
	err := v.ask(ctx, first.op, c)
	answers := bytes.SplitAfter(c.Answer, []byte("\n"))
	// Nothing stands behind the last line end.
	if err == nil && (len(answers) != len(rs)+1 || len(c.Failed) != len(rs)) {
		err = fmt.Errorf("%s: %d answers to %d requests", first.op.Name, len(answers)-1, len(rs))
	}
	if err != nil {
		if e, _ := service.ErrorOf(err); e.Code == service.BadRequest || e.Code == service.TooLarge {
			return false
		}
	}
	for i, r := range rs {
		switch {
		case err != nil:
			v.reply(r, 0, nil, err)
		case c.Failed[i] != nil:
			v.reply(r, 0, nil, c.Failed[i])
		default:
			v.reply(r, c.Status, bytes.TrimSuffix(answers[i], []byte("\n")), nil)
		}
	}
	return true
}
