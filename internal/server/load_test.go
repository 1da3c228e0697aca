//go:build unix

package server

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A load is clients that send one request again and again, each on a connection of its own. They do as little as clients can, since they
// run on the processors of the server.
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
	defer conn.Close()
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

// benchmark runs a load, and adds what it has shown to a benchmark: what a machine with nothing else to do answers a second follows from the
// time of processors that a query takes, client and server together.
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

// What HTTP and JSON cost: the service has nothing to do.
func BenchmarkNearOne(b *testing.B) {
	r := start(b, newFake(), Options{})
	request := post("/v1/collections/default/near", "application/json", `{"fingerprint":"5abf969df17af7dd","k":3}`)
	l := load{address: strings.TrimPrefix(r.url, "http://"), clients: 16, request: func(int, int) []byte { return request }}
	l.benchmark(b, 1)
}

func BenchmarkNearBatch(b *testing.B) {
	const each = 100
	r := start(b, newFake(), Options{})
	request := post("/v1/collections/default/near", "application/x-ndjson", strings.Repeat(`{"fingerprint":"5abf969df17af7dd","k":3}`+"\n", each))
	l := load{address: strings.TrimPrefix(r.url, "http://"), clients: 4, request: func(int, int) []byte { return request }}
	l.benchmark(b, each)
}
