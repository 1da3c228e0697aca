package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// A health is whether the service answered a query a moment ago.
type health struct {
	mu   sync.Mutex
	at   time.Time
	said error
}

// healthFor is how long the answer to a query tells of the health, so that probes cost little.
const healthFor = time.Second

// probe returns what answers programs that look whether the server lives, which need no token and may call it by any name.
func (s *Server) probe(name string, sound func(context.Context) error) http.HandlerFunc {
	count := s.metrics.of(name)
	return func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		ctx, stop := context.WithTimeout(r.Context(), s.o.Deadline)
		defer stop()
		if err := sound(ctx); err != nil {
			s.log.Printf("%s: %v", name, err)
			count(writeError(w, errUnsound), begun)
			return
		}
		body := "{\"ok\":true}\n"
		writeHeader(w.Header(), jsonType, len(body))
		_, _ = io.WriteString(w, body) // an error is of the client's connection
		count(http.StatusOK, begun)
	}
}

// healthz asks a query of each collection.
func (s *Server) healthz(ctx context.Context) error {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.at) > healthFor {
		h.said, h.at = s.svc.Health(ctx), time.Now()
	}
	return h.said
}

// readyz says whether requests should come here.
func (s *Server) readyz(ctx context.Context) error {
	if s.stopping.Load() {
		return errStopping
	}
	return s.healthz(ctx)
}

// bodyOf returns a body that has been read.
func bodyOf(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }
