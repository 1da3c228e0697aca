//go:build unix

package server

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/serve/service"
)

// A load is clients that send one request again and again, each on a connection of its own. They do as little as
// clients can, since they run on the processors of the server.
type load struct {
	address string
	request func(client, i int) []byte
	clients int
}

// run sends n requests, and returns how long each took, in ascending order.
func (l *load) run(t testing.TB, n int) []time.Duration {
	t.Helper()
	var next atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	for client := range l.clients {
		wg.Go(func() {
			own, err := l.client(client, &next, int64(n))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
		})
	}
	wg.Wait()
	slices.Sort(took)
	return took
}

func (l *load) client(number int, next *atomic.Int64, n int64) (took []time.Duration, err error) {
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReaderSize(conn, 64<<10)
	for next.Add(1) <= n {
		begun := time.Now()
		if _, err := conn.Write(l.request(number, len(took))); err != nil {
			return took, err
		}
		if err := answered(in); err != nil {
			return took, err
		}
		took = append(took, time.Since(begun))
	}
	return took, nil
}

// answered reads an answer with status 200.
func answered(in *bufio.Reader) error {
	length := -1
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			return fmt.Errorf("answered %q", line)
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return fmt.Errorf("an answer without a length")
	}
	_, err := in.Discard(length)
	return err
}

// post returns a request as it is sent.
func post(path, kind, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, kind, len(body), body)
}

// benchmark runs a load, and adds what it has shown to a benchmark: what a machine with nothing else to do answers a
// second follows from the time of processors that a query takes, client and server together.
func (l *load) benchmark(b *testing.B, each int) {
	b.ReportAllocs()
	before := processorTime(b)
	b.ResetTimer()
	took := l.run(b, b.N)
	b.StopTimer()
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1e3/float64(b.N*each), "cpu-µs/query")
	b.ReportMetric(float64(b.N*each)/b.Elapsed().Seconds(), "queries/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

var served = flag.String("index", "", "serve the index of fingerprints in `DIR` in benchmarks; else a service that has nothing to do shows what HTTP and JSON cost")

// benchmarked returns what is served.
func benchmarked(b *testing.B) service.API {
	b.Helper()
	if *served == "" {
		return newFake()
	}
	s, err := service.Open(service.Options{Index: *served, ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

// queries returns requests for what is near random fingerprints, each times.
func queries(n, each int, kind string) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([][]byte, n)
	for i := range all {
		var body strings.Builder
		for range each {
			fmt.Fprintf(&body, "{\"fingerprint\":\"%016x\",\"k\":3}\n", r.Uint64())
		}
		all[i] = post("/v1/collections/default/near", kind, body.String())
	}
	return all
}

func BenchmarkNearOne(b *testing.B) {
	r := start(b, benchmarked(b), Options{})
	requests := queries(10_000, 1, "application/json")
	l := load{address: strings.TrimPrefix(r.url, "http://"), clients: 16, request: func(c, i int) []byte { return requests[(c*625+i)%len(requests)] }}
	l.benchmark(b, 1)
}

func BenchmarkNearBatch(b *testing.B) {
	const each = 100
	r := start(b, benchmarked(b), Options{})
	requests := queries(1_000, each, "application/x-ndjson")
	l := load{address: strings.TrimPrefix(r.url, "http://"), clients: 4, request: func(c, i int) []byte { return requests[(c*250+i)%len(requests)] }}
	l.benchmark(b, each)
}

// checks serves a new collection of texts, and returns where it is.
func checks(b *testing.B) (address string) {
	b.Helper()
	s, err := service.Open(service.Options{Data: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	if _, _, err := s.Create(b.Context(), "texts", &service.Settings{}); err != nil {
		b.Fatal(err)
	}
	return strings.TrimPrefix(start(b, s, Options{}).url, "http://")
}

// document appends a document of 100 words, with an id of its own, as a line. A third are near the one before.
func document(dst []byte, client, i int) []byte {
	seed := uint64(client)<<32 | uint64(i-i%3/2)
	words := rand.New(rand.NewPCG(seed, 7))
	dst = fmt.Appendf(dst, `{"id":"%d-%d","text":"%d`, client, i, i)
	for range 100 {
		dst = fmt.Appendf(dst, " w%d", words.IntN(50_000))
	}
	return append(dst, "\"}\n"...)
}

func BenchmarkCheckAndAddOne(b *testing.B) {
	l := load{address: checks(b), clients: 64, request: func(c, i int) []byte {
		return post("/v1/collections/texts/check-and-add", "application/json", string(document(nil, c, i)))
	}}
	l.benchmark(b, 1)
}

func BenchmarkCheckAndAddBatch(b *testing.B) {
	const each = 100
	l := load{address: checks(b), clients: 4, request: func(c, i int) []byte {
		var body []byte
		for j := range each {
			body = document(body, c, i*each+j)
		}
		return post("/v1/collections/texts/check-and-add", "application/x-ndjson", string(body))
	}}
	l.benchmark(b, each)
}
