package server

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// A health is whether the service answered a query a moment ago. One query at a time asks for that, for all who want to know.
type health struct {
	mu     sync.Mutex
	at     time.Time
	said   error
	asking chan struct{} // is closed when the query under way has ended; nil if there is none
	work   sync.WaitGroup
}

// healthFor is how long the answer to a query tells of the health, so that probes cost little.
const healthFor = time.Second

// probe returns what answers programs that look whether the server lives, which need no token and may call it by any name. Whoever goes
// away before the answer has asked nothing.
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
	h := &s.health
	h.mu.Lock()
	said, asking := h.said, h.asking
	if time.Since(h.at) <= healthFor {
		h.mu.Unlock()
		return said
	}
	if asking == nil {
		asking = make(chan struct{})
		h.asking = asking
		h.work.Go(s.askHealth)
	}
	h.mu.Unlock()
	select {
	case <-asking:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.ended.Err() != nil {
		return errStopping
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.said
}

// askHealth asks a query of each collection, and keeps the answer, unless the server has stopped meanwhile. Nobody who waits for it can
// stop it.
func (s *Server) askHealth() {
	ctx, stop := context.WithTimeout(s.ended, s.o.Deadline)
	defer stop()
	err := s.svc.Health(ctx)
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.asking)
	if h.asking = nil; s.ended.Err() != nil {
		return
	}
	if h.said, h.at = err, time.Now(); err != nil {
		s.log.Printf("health: %v", err)
	}
}

// readyz says whether requests should come here.
func (s *Server) readyz(ctx context.Context) error {
	if s.stopping.Load() {
		return errStopping
	}
	return s.healthz(ctx)
}
