package server

import (
	"context"
	"fmt"
	"net/http"
	runtimemetrics "runtime/metrics"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// counts are what /metrics tells of the server.
type counts struct {
	s       *Server
	set     *metrics.Set
	refused *metrics.Counter
}

// buckets are of seconds: an answer takes from some microseconds to the deadline.
var buckets = []float64{.0001, .00025, .0005, .001, .002, .004, .01, .025, .1, .5, 2, 10, 30}

func newCounts(s *Server) *counts {
	set := metrics.NewSet()
	set.NewGauge("simsearch_requests_running", func() float64 { return float64(len(s.places.running)) })
	set.NewGauge("simsearch_requests_waiting", func() float64 { return float64(s.places.waiting.Load()) })
	set.NewGauge("simsearch_body_bytes", func() float64 { return float64(s.memory.all - s.memory.free.Load()) })
	set.NewGauge("go_gc_heap_live_bytes", inUse)
	return &counts{s: s, set: set, refused: set.NewCounter("simsearch_connections_refused_total")}
}

// inUse returns the memory that was in use when garbage was last collected. Other figures of memory rise and fall
// with the garbage, so that growth shows in this one.
func inUse() float64 {
	live := []runtimemetrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtimemetrics.Read(live)
	return float64(live[0].Value.Uint64())
}

// A counter counts a request that was answered with a status.
type counter func(status int, begun time.Time)

// of returns what counts the requests for an operation.
func (c *counts) of(operation string) counter {
	seconds := c.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("simsearch_request_seconds{operation=%q}", operation), buckets)
	return func(status int, begun time.Time) {
		c.set.GetOrCreateCounter(fmt.Sprintf("simsearch_requests_total{operation=%q,status=\"%d\"}", operation, status)).Inc()
		seconds.Update(time.Since(begun).Seconds())
	}
}

// handler answers with all counts, those of the collections, and those of the process.
func (c *counts) handler() http.Handler {
	metrics.ExposeMetadata(true)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		c.set.WritePrometheus(w)
		if all, err := c.s.svc.List(context.WithoutCancel(r.Context())); err == nil { // else the health tells
			for _, of := range all {
				metrics.WriteGaugeUint64(w, fmt.Sprintf("simsearch_documents{collection=%q}", of.Name), uint64(of.Documents))
				metrics.WriteGaugeUint64(w, fmt.Sprintf("simsearch_index_bytes{collection=%q}", of.Name), of.Bytes)
			}
		}
		metrics.WriteProcessMetrics(w)
	})
}
