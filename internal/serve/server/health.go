package server

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// A health is whether the service answered a query a moment ago. One query at a time asks for that, for all who want
// to know.
type health struct {
	turn chan struct{} // is full while somebody asks, who has what follows
	at   time.Time
	said error
	work sync.WaitGroup
}

// healthFor is how long the answer to a query tells of the health, so that probes cost little.
const healthFor = time.Second

// probe returns what answers programs that look whether the server lives, which need no token and may call it by any
// name. Whoever goes away before the answer has asked nothing.
func (s *Server) probe(name string, sound func(context.Context) error) http.HandlerFunc {
	count := s.counts.of(name)
	return func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		ctx, stop := context.WithTimeout(r.Context(), s.o.Deadline)
		defer stop()
		err := sound(ctx)
		switch {
		case r.Context().Err() != nil:
		case err != nil:
			count(writeError(w, errUnsound), begun)
		default:
			body := "{\"ok\":true}\n"
			writeHeader(w.Header(), jsonType, len(body))
			_, _ = io.WriteString(w, body) // an error is of the client's connection
			count(http.StatusOK, begun)
		}
	}
}

// healthz returns the health, and waits for it as long as ctx allows.
func (s *Server) healthz(ctx context.Context) error {
	h, answer := &s.health, make(chan error, 1)
	select {
	case h.turn <- struct{}{}:
		h.work.Go(func() {
			answer <- s.askHealth()
			<-h.turn
		})
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// askHealth asks a query of each collection, unless that was done a moment ago, and keeps the answer, unless the
// server has stopped meanwhile. Nobody who waits for it can stop it.
func (s *Server) askHealth() error {
	h := &s.health
	if time.Since(h.at) <= healthFor {
		return h.said
	}
	ctx, stop := context.WithTimeout(s.ended, s.o.Deadline)
	defer stop()
	err := s.svc.Health(ctx)
	if s.ended.Err() != nil {
		return errStopping
	}
	if h.said, h.at = err, time.Now(); err != nil {
		s.log.Printf("health: %v", err)
	}
	return err
}

// readyz says whether requests should come here.
func (s *Server) readyz(ctx context.Context) error {
	if s.stopping.Load() {
		return errStopping
	}
	return s.healthz(ctx)
}
