package server

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics tells.
type metrics struct {
	s        *Server
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	shed     prometheus.Counter

	documents, bytes *prometheus.Desc
}

// buckets are of seconds: an answer takes from some microseconds to the deadline.
var buckets = []float64{.0001, .00025, .0005, .001, .002, .004, .01, .025, .1, .5, 2, 10, 30}

// inUse is the metric go_gc_heap_live_bytes: what was in use when garbage was last collected. Other figures of memory rise and fall with
// the garbage, so that growth shows in this one.
var inUse = collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/gc/heap/live:bytes$`)}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		s: s, registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "simsearch_requests_total", Help: "Requests, by operation and status."}, []string{"operation", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "simsearch_request_seconds", Help: "From the header of a request to its answer, by operation.", Buckets: buckets,
		}, []string{"operation"}),
		shed:      prometheus.NewCounter(prometheus.CounterOpts{Name: "simsearch_connections_refused_total", Help: "Connections beyond those that there may be."}),
		documents: prometheus.NewDesc("simsearch_documents", "Documents of a collection.", []string{"collection"}, nil),
		bytes:     prometheus.NewDesc("simsearch_index_bytes", "Bytes of the index of a collection.", []string{"collection"}, nil),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(inUse)), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), m.requests, m.seconds, m.shed, m,
		gauge("simsearch_requests_running", "Requests that are being answered.", func() float64 { return float64(len(s.places.running)) }),
		gauge("simsearch_requests_waiting", "Requests that wait for a place.", func() float64 { return float64(s.places.waiting.Load()) }),
		gauge("simsearch_body_bytes", "Memory of bodies and answers under way.", func() float64 { return float64(s.memory.all - s.memory.free.Load()) }),
	)
	return m
}

// refused counts a connection that is one too many.
func (m *metrics) refused() { m.shed.Inc() }

// A counter counts a request that was answered with a status.
type counter func(status int, begun time.Time)

// of returns what counts the requests for an operation.
func (m *metrics) of(operation string) counter {
	seconds := m.seconds.WithLabelValues(operation)
	var counters sync.Map // status to prometheus.Counter: looking one up by its labels takes as long as a short query
	return func(status int, begun time.Time) {
		c, ok := counters.Load(status)
		if !ok {
			c, _ = counters.LoadOrStore(status, m.requests.WithLabelValues(operation, strconv.Itoa(status)))
		}
		c.(prometheus.Counter).Inc() //nolint:forcetypeassert // nothing else is stored
		seconds.Observe(time.Since(begun).Seconds())
	}
}

// Describe is a method of prometheus.Collector.
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	to <- m.documents
	to <- m.bytes
}

// Collect is a method of prometheus.Collector. It tells of the collections.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	all, err := m.s.svc.List(context.Background())
	if err != nil {
		return // the health tells
	}
	for _, c := range all {
		to <- prometheus.MustNewConstMetric(m.documents, prometheus.GaugeValue, float64(c.Documents), c.Name)
		to <- prometheus.MustNewConstMetric(m.bytes, prometheus.GaugeValue, float64(c.Bytes), c.Name)
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
}
