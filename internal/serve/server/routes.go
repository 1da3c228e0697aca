package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"simsearch/internal/serve/service"
)

// routes returns what answers all requests. The operations are those of the table service.All; a path of it that is
// asked by another method is refused with the methods that it has.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	handle := func(method, path string, h http.HandlerFunc) {
		path = strings.Replace(path, "{id}", "{id...}", 1) // ids have slashes
		mux.HandleFunc(method+" "+path, h)
		methods[path] = append(methods[path], method)
	}
	for i := range service.All {
		o := &service.All[i]
		handle(o.Method, o.Path, s.operation(o))
	}
	handle("GET", "/healthz", s.probe("healthz", s.healthz))
	handle("GET", "/readyz", s.probe("readyz", s.readyz))
	handle("GET", "/openapi.json", s.page("openapi", s.openAPI(), nil))
	handle("GET", "/metrics", s.page("metrics", s.counts.handler(), nil))
	for path, has := range methods {
		if slices.Contains(has, "GET") {
			has = append(has, "HEAD")
		}
		slices.Sort(has)
		mux.HandleFunc(path, s.refuse(service.Errorf(service.MethodNotAllowed, "", "the path has the methods %s", strings.Join(has, ", ")), strings.Join(has, ", ")))
	}
	if s.o.Agent != nil {
		mux.HandleFunc("/mcp", s.page("mcp", s.o.Agent(false), s.o.Agent(!s.o.ReadOnly)))
	}
	unknown := service.Errorf(service.NotFound, "", "there is no such path; /openapi.json has those that there are")
	refuse := s.refuse(unknown, "")
	mux.HandleFunc("/v1/", refuse)
	root := refuse
	if s.o.Page != nil {
		root = s.page("page", s.o.Page, nil)
	}
	mux.HandleFunc("/", root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.EscapedPath(); r.RequestURI == "*" || unclean(path) { // which the mux would redirect
			refuse(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// unclean reports whether a path has parts that name no more than the way to others.
func unclean(path string) bool {
	return path == "" || path[0] != '/' || strings.Contains(path, "//") || strings.Contains(path, "/./") || strings.Contains(path, "/../") ||
		strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/..")
}

// admit returns what the sender of a request may do, or why it is not let in.
func (s *Server) admit(r *http.Request) (*token, error) {
	if err := s.guard.check(r); err != nil {
		return nil, err
	}
	if s.stopping.Load() {
		return nil, errStopping
	}
	return s.o.Tokens.of(r)
}

// counted returns what answers requests by do, which writes nothing if it returns an error, and counts them under a
// name. Those that may not be sent at all are told no more.
func (s *Server) counted(name string, do func(w http.ResponseWriter, r *http.Request, may *token) (status int, err error)) http.HandlerFunc {
	count := s.counts.of(name)
	return func(w http.ResponseWriter, r *http.Request) {
		begun, status := time.Now(), 0
		may, err := s.admit(r)
		if err == nil {
			status, err = do(w, r, may)
		}
		if err != nil {
			s.fail(w, r, err, count, begun)
			return
		}
		count(status, begun)
	}
}

// refuse returns what refuses requests.
func (s *Server) refuse(why *service.Error, allow string) http.HandlerFunc {
	return s.counted("none", func(w http.ResponseWriter, _ *http.Request, _ *token) (int, error) {
		if allow != "" {
			w.Header().Set("Allow", allow)
		}
		return 0, why
	})
}

// operation returns what answers requests for an operation.
func (s *Server) operation(o *service.Operation) http.HandlerFunc {
	return s.counted(o.Name, func(w http.ResponseWriter, r *http.Request, may *token) (int, error) { return s.answer(w, r, may, o) })
}

// answer answers a request for an operation.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, may *token, o *service.Operation) (status int, err error) {
	c := service.Call{Service: s.svc, Collection: r.PathValue("name"), ID: r.PathValue("id"), Sees: may.sees}
	if err := may.may(o.Writes, c.Collection); err != nil {
		return 0, err
	}
	if o.Writes && s.o.ReadOnly {
		return 0, service.Errorf(service.ReadOnly, "", "the server changes nothing: it was started with --read-only, or with --index and without --write")
	}
	body, answer := newBuffer(s.memory), newBuffer(s.memory)
	defer func() {
		body.free()
		answer.free()
	}()
	if err := s.request(&c, body, r, o); err != nil {
		return 0, err
	}
	if o.Streams {
		return s.stream(w, r, o, &c)
	}
	c.Answer = answer.bytes
	c.Room = func(size int) error { return answer.room(size, s.o.MaxBody) }
	if err := s.within(r.Context(), func(ctx context.Context) error { return o.Do(ctx, &c) }); err != nil {
		return 0, err
	}
	if c.Status == http.StatusNoContent {
		return s.send(w, c.Status, nil), nil
	}
	kind := linesType
	if !c.Lines {
		kind, c.Answer = jsonType, append(c.Answer, '\n')
	}
	writeHeader(w.Header(), kind, len(c.Answer))
	return s.send(w, c.Status, c.Answer), nil
}

// request reads what a request asks for.
func (s *Server) request(c *service.Call, body *buffer, r *http.Request, o *service.Operation) (err error) {
	switch {
	case o.Request == nil || o.InQuery:
		if r.ContentLength != 0 {
			return service.Errorf(service.BadRequest, "", "%s takes no body", o.Name)
		}
		query := r.URL.Query()
		if o.InQuery {
			c.Body, err = o.FromQuery(query)
			return err
		}
		for name := range query {
			return service.Errorf(service.BadRequest, name, "%s takes no such parameter", o.Name)
		}
		return nil
	case r.URL.RawQuery != "":
		return service.Errorf(service.BadRequest, "", "%s has its request in the body, and takes no parameters", o.Name)
	case r.ContentLength == 0 && o.Name == "create":
		return nil
	}
	if c.Lines, err = isLines(r.Header); err != nil {
		return err
	}
	if c.Key = r.Header.Get("Idempotency-Key"); len(c.Key) > maxKey {
		return service.Errorf(service.BadRequest, "Idempotency-Key", "a key may have %d bytes", maxKey)
	}
	err = s.readBody(body, r)
	c.Body = body.bytes
	return err
}

// maxKey is how many bytes an Idempotency-Key may have.
const maxKey = 256

// within calls do when there is a place for it, with the time that an answer may take.
func (s *Server) within(ctx context.Context, do func(context.Context) error) error {
	if err := s.places.enter(ctx); err != nil {
		return err
	}
	defer s.places.leave()
	ctx, stop := context.WithTimeout(ctx, s.o.Deadline)
	defer stop()
	return do(ctx)
}

// send sends an answer that is whole, for which the header is set, and returns its status.
func (s *Server) send(w http.ResponseWriter, status int, body []byte) int {
	s.deadline(w, s.o.WriteTime)
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error is of the client's connection
	return status
}

// room returns an error if there is no room for a buffer of so many bytes, of which most may be.
func (b *buffer) room(size int, most int64) error {
	switch more := int64(size) - uncounted - b.taken; {
	case int64(size) > 2*most:
		return service.Errorf(service.TooLarge, "", "the answer has more than %d bytes: ask for less at once", most)
	case more > 0:
		if !b.from.take(more) {
			return errMemory
		}
		b.taken += more
	}
	return nil
}

// stream answers with an answer that is written as it is made.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, o *service.Operation, c *service.Call) (int, error) {
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	default:
		return 0, errExports
	}
	to := &slow{to: w, s: s}
	c.To = to
	err := o.Do(r.Context(), c)
	switch {
	case err != nil && !to.begun:
		return 0, err
	case err != nil:
		s.log.Printf("%s %s: %v", r.Method, r.URL.EscapedPath(), err)
		panic(http.ErrAbortHandler) // so that the client sees that the answer is not whole
	case !to.begun:
		_, _ = to.Write(nil)
	}
	return http.StatusOK, nil
}

// A slow is an answer that is written as it is made, for as long as the client reads it.
type slow struct {
	to    http.ResponseWriter
	s     *Server
	begun bool
}

func (w *slow) Write(b []byte) (n int, err error) {
	if !w.begun {
		w.begun = true
		writeHeader(w.to.Header(), linesType, -1)
		w.to.WriteHeader(http.StatusOK)
	}
	for part := range slices.Chunk(b, 64<<10) {
		if w.s.stopping.Load() {
			return n, errStopping
		}
		w.s.deadline(w.to, w.s.o.WriteTime)
		written, err := w.to.Write(part)
		if n += written; err != nil {
			return n, err
		}
	}
	return n, nil
}

// deadline gives the client of w so much time to take what is written, or as much as it likes if d is 0.
func (s *Server) deadline(w http.ResponseWriter, d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(until) // a writer of a test has none
}

// page returns a handler that is no operation: reads is for all who may read, and writes, if it is not nil, for those
// who may write. What it is sent is read before it is called, and what it answers is sent when it is whole, so that a
// client that reads slowly keeps no place.
func (s *Server) page(name string, reads, writes http.Handler) http.HandlerFunc {
	return s.counted(name, func(w http.ResponseWriter, r *http.Request, may *token) (int, error) {
		if may.collections != nil {
			return 0, service.Errorf(service.Forbidden, "Authorization", "the token is for some collections, and this is about all of them")
		}
		h := reads
		if may.write && writes != nil {
			h = writes
		}
		to := &held{ResponseWriter: w, status: http.StatusOK, body: newBuffer(s.memory), most: 4 * s.o.MaxBody}
		defer to.body.free()
		err := s.show(to, r, h)
		if err = cmp.Or(err, to.err); err != nil {
			clear(w.Header())
			return 0, err
		}
		return s.send(w, to.status, to.body.bytes), nil
	})
}

func (s *Server) show(w *held, r *http.Request, h http.Handler) error {
	body := newBuffer(s.memory)
	defer body.free()
	if err := s.readBody(body, r); err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body.bytes))
	return s.within(r.Context(), func(ctx context.Context) (err error) {
		defer func() {
			if bug := recover(); bug != nil { // it ends one request, and not the server
				err = fmt.Errorf("a bug: %v\n%s", bug, debug.Stack())
				if w.status == http.StatusInternalServerError { // the handler has told the client
					s.log.Printf("%s %s: %v", r.Method, r.URL.EscapedPath(), err)
					err = nil
				}
			}
		}()
		w.Header()["X-Content-Type-Options"] = noSniff
		h.ServeHTTP(w, r.WithContext(ctx))
		return nil
	})
}

// A held is an answer that is in memory, most bytes of it.
type held struct {
	http.ResponseWriter
	status int
	body   *buffer
	most   int64
	err    error
}

func (w *held) WriteHeader(status int) { w.status = status }

func (w *held) Write(b []byte) (int, error) {
	if w.err == nil {
		w.err = w.body.write(b, w.most)
	}
	return len(b), w.err
}
