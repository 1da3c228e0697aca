// Package server serves the operations of a service over HTTP, safely: who may ask, how much at once, for how long,
// and what of it is counted. What an operation means, and which there are, stands in package service.
package server

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"simsearch/internal/serve/service"
)

// Options say how a Server serves. Zero values of limits are their defaults.
type Options struct {
	Tokens   *Tokens  // nil: whoever reaches the server may do all that it does
	Hosts    []string // names, beside those of the machine itself, by which clients may call the server
	ReadOnly bool     // nothing is changed
	Version  string   // of the program
	Log      io.Writer

	Page  http.Handler                  // is mounted at /; nil for none
	Agent func(write bool) http.Handler // returns what is mounted at /mcp for clients that may write, or may not; nil for none

	Memory      int64         // bytes of all bodies and answers under way beyond their first kilobytes; 256 MiB
	MaxBody     int64         // bytes of a body; 64 MiB
	Running     int           // requests that are answered at once; 64
	Waiting     int           // requests that wait for that; 4 times as many
	Exports     int           // answers at once that are written as they are made; 4
	Connections int           // 16,384, or three quarters of what the system lets the process open
	Deadline    time.Duration // of an answer; 30 s
	WriteTime   time.Duration // for writing an answer, or the next part of one that is written as it is made; 30 s
	Drain       time.Duration // for requests under way when the server stops; 20 s
}

// defaults sets the limits that are zero.
func (o *Options) defaults() {
	o.Memory = cmp.Or(o.Memory, 256<<20)
	o.MaxBody = cmp.Or(o.MaxBody, MaxBody)
	o.Running = cmp.Or(o.Running, 64)
	o.Waiting = cmp.Or(o.Waiting, 4*o.Running)
	o.Exports = cmp.Or(o.Exports, 4)
	o.Connections = cmp.Or(o.Connections, min(16_384, openFiles()/4*3))
	o.Deadline = cmp.Or(o.Deadline, 30*time.Second)
	o.WriteTime = cmp.Or(o.WriteTime, 30*time.Second)
	o.Drain = cmp.Or(o.Drain, 20*time.Second)
	o.Log = cmp.Or(o.Log, io.Discard)
}

// MaxBody is the default of Options.MaxBody.
const MaxBody = 64 << 20

// bodyTime is how long reading a request with its body may take.
const bodyTime = 30 * time.Second

// A Server answers requests. It is safe for concurrent use.
type Server struct {
	o       Options
	svc     service.API
	log     *log.Logger
	guard   *guard
	places  *places
	exports chan struct{}
	memory  *budget
	counts  *counts
	handler http.Handler

	strangers counter // of requests of those who may not enter
	health    health

	stopping atomic.Bool
	ended    context.Context // is done when the server stops: for what would go on for ever
	end      context.CancelFunc
}

// New returns a server of a service, which stays the caller's.
func New(svc service.API, o Options) *Server {
	o.defaults()
	s := &Server{o: o, svc: svc, log: log.New(o.Log, "simsearch: ", 0), guard: newGuard(&o), memory: newBudget(o.Memory), exports: make(chan struct{}, o.Exports)}
	s.places = &places{running: make(chan struct{}, o.Running), most: int64(o.Waiting), patience: 50 * time.Millisecond}
	s.health.turn = make(chan struct{}, 1)
	s.counts = newCounts(s)
	s.strangers = s.counts.of("none")
	s.ended, s.end = context.WithCancel(context.Background())
	s.handler = s.routes()
	return s
}

// Handler returns what answers requests.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers requests on the listeners until ctx is done. Then it accepts no more, lets the requests under way end
// for a while, and returns nil.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       bodyTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          s.log,
	}
	places := make(chan struct{}, max(1, s.o.Connections))
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		s.guard.listensOn(l.Addr())
	}
	for _, l := range listeners {
		go func() { failed <- h.Serve(&limited{l, places, s.counts.refused.Inc}) }()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.stopping.Store(true)
	s.end()
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), s.o.Drain)
	defer stop()
	if slow := h.Shutdown(drain); slow != nil {
		s.log.Printf("some requests had not ended after %v, and are given up", s.o.Drain)
		_ = h.Close() // of connections that are given up
	}
	s.places.wait()
	s.health.work.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// fail answers with an error, and counts that. Who may not enter does not count for the operation that it has asked
// for.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error, count counter, begun time.Time) {
	e, told := service.ErrorOf(err)
	if !told {
		s.log.Printf("%s %s: %v", r.Method, r.URL.EscapedPath(), err)
	}
	if e == errNoToken || e == errHost || e == errOrigin {
		count = s.strangers
	}
	unread := s.unread(w, r)
	count(writeError(w, e), begun)
	if unread {
		to := http.NewResponseController(w)
		defer context.AfterFunc(s.ended, func() { _ = to.SetReadDeadline(time.Now()) })()
		_ = to.Flush() // errors are of the client's connection
		_, _ = io.CopyN(io.Discard, r.Body, 4*s.o.MaxBody)
	}
}

// leftToHTTP is how much of a body that nobody reads net/http reads itself, so that its client sees the answer.
const leftToHTTP = 256 << 10

// unread reports whether a client may still be sending a body that is larger than that. It would see a broken
// connection and no answer if nobody read the body. One that waits for 100 Continue sends nothing.
func (s *Server) unread(w http.ResponseWriter, r *http.Request) bool {
	large := r.ContentLength < 0 || r.ContentLength > leftToHTTP
	return large && r.ProtoMajor == 1 && r.Header.Get("Expect") == "" && http.NewResponseController(w).EnableFullDuplex() == nil
}

// writeError writes an error in the one shape that errors have, and returns its status.
func writeError(w http.ResponseWriter, e *service.Error) int {
	status := service.Status(e)
	header := w.Header()
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		header.Set("Retry-After", "1")
	case http.StatusUnauthorized:
		// Browsers ask for a password then, which is the token; the name does not matter.
		header.Set("WWW-Authenticate", `Basic realm="simsearch", charset="UTF-8"`)
	}
	body, _ := service.Append(nil, service.Failure{Error: e}) // which is of strings
	writeHeader(header, jsonType, len(body)+1)
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // an error is of the client's connection
	return status
}

// Values of headers.
var (
	jsonType  = []string{"application/json"}
	linesType = []string{"application/x-ndjson"}
	noSniff   = []string{"nosniff"}
	noStore   = []string{"no-store"}
)

// writeHeader sets what every answer of the API says of itself. length is that of the body, -1 if it is not known.
func writeHeader(h http.Header, contentType []string, length int) {
	h["Content-Type"], h["X-Content-Type-Options"], h["Cache-Control"] = contentType, noSniff, noStore
	if length >= 0 {
		h["Content-Length"] = []string{strconv.Itoa(length)}
	}
}
