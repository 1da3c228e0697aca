package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"simsearch/internal/serve/service"
	"simsearch/internal/tests/testkit"
)

// slowHealth returns a service that takes a while to tell its health, and tells that it was stopped if it was.
func slowHealth(takes time.Duration) *fake {
	f := filled()
	f.health = func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(takes):
			return nil
		}
	}
	return f
}

// figures returns the counters of operations, and what is under way.
func figures(t *testing.T, r *running) (lines []string) {
	t.Helper()
	_, text := r.send(t, sent{method: "GET", path: "/metrics", header: map[string]string{"Authorization": "Bearer 0123456789abcdef"}})
	for _, line := range regexp.MustCompile(`(?m)^simsearch_(requests|request_seconds_count|body).*$`).FindAllString(text, -1) {
		if !strings.Contains(line, `operation="none"`) && !strings.Contains(line, `operation="metrics"`) && !strings.Contains(line, `z"`) {
			lines = append(lines, line)
		}
	}
	return lines
}

// Whatever strangers do, who go away, are slow, and are many: the health is what it is, whoever may enter is
// answered, and nothing but the count of requests for nothing moves.
func TestStrangers(t *testing.T) {
	t.Parallel()
	r := start(t, slowHealth(20*time.Millisecond), Options{Tokens: readTokens(t), Running: 2, Waiting: 2})
	near := sent{method: "POST", path: "/v1/collections/default/near", body: `{"text":"some text"}`,
		header: map[string]string{"Authorization": "Bearer 0123456789abcdef", "Content-Type": "application/json"}}
	r.want(t, near, 200, "")
	before := figures(t, r)
	address := strings.TrimPrefix(r.url, "http://")
	heads := []string{
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /readyz HTTP/1.1\r\nHost: somewhere.else\r\n\r\n",
		"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"text\":\"some text\"}",
		"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{",
		"POST /v1/collections/default/documents HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer 0123456789abcdef0\r\nContent-Length: 0\r\n\r\n",
		"GET /v1/collections/default/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer no\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /hea",
	}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for stranger := range 3 * len(heads) {
		wg.Go(func() {
			for n := stranger; ctx.Err() == nil; n++ {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					continue
				}
				_, _ = conn.Write([]byte(heads[stranger%len(heads)]))
				time.Sleep(time.Duration(n%4) * 5 * time.Millisecond) // some go away at once
				_ = conn.Close()
			}
		})
	}
	for end := time.Now().Add(time.Duration(testkit.Of(1500, 8000)) * time.Millisecond); time.Now().Before(end) && !t.Failed(); {
		r.want(t, sent{method: "GET", path: "/readyz"}, 200, "")
		r.want(t, sent{method: "GET", path: "/healthz"}, 200, "")
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	wg.Wait()
	for try := 0; ; try++ { // those of the last strangers end
		if after := figures(t, r); slices.Equal(after, before) {
			break
		} else if try == 100 {
			t.Fatalf("strangers have moved %q to %q", before, after)
		}
		time.Sleep(10 * time.Millisecond)
	}
	_, text := r.send(t, sent{method: "GET", path: "/metrics", header: near.header})
	for _, probe := range []string{"healthz", "readyz"} {
		if strings.Contains(text, `operation="`+probe+`",status="503"`) {
			t.Errorf("%s was 503 for somebody", probe)
		}
	}
	r.want(t, near, 200, "")
}

// A query for the health that the server itself has stopped says nothing, nor does a client that goes away. A service
// that fails does.
func TestHealthIsNotThatOfAClient(t *testing.T) {
	t.Parallel()
	f := slowHealth(time.Hour)
	s := New(f, Options{Deadline: time.Hour})
	for range 3 {
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, leave)
		if err := s.readyz(gone); err == nil {
			t.Error("nobody has answered")
		}
		if len(s.health.turn) == 0 {
			t.Error("a client that has gone away has ended the query")
		}
	}
	s.end()
	s.health.work.Wait()
	if !s.health.at.IsZero() || s.health.said != nil {
		t.Errorf("a query that was stopped says %v", s.health.said)
	}
	damaged := filled()
	damaged.health = func(context.Context) error { return io.ErrUnexpectedEOF }
	r := start(t, damaged, Options{})
	r.want(t, sent{method: "GET", path: "/readyz"}, 503, service.Unavailable)
	if !strings.Contains(r.log.String(), io.ErrUnexpectedEOF.Error()) {
		t.Errorf("the log has %q", r.log)
	}
}

// A client that sends all of a body that is refused before it reads sees the answer, whatever is wrong, and so does
// one that asks first whether to send it.
func TestRefusedBodiesAreAnswered(t *testing.T) {
	t.Parallel()
	const size = 20 << 20
	r := start(t, filled(), Options{Tokens: readTokens(t), MaxBody: 8 << 20})
	body := bytes.Repeat([]byte("a"), size)
	know := "Authorization: Bearer 0123456789abcdef0\r\nContent-Type: application/json\r\n"
	for what, tt := range map[string]struct {
		head   string
		chunks bool
		status int
	}{
		"too large":           {"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\n" + know, false, 413},
		"too large in chunks": {"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\n" + know, true, 413},
		"no token":            {"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\n", false, 401},
		"another type":        {"PUT /v1/collections/new HTTP/1.1\r\nHost: localhost\r\n" + strings.Replace(know, "json", "pdf", 1), false, 415},
		"no such path":        {"POST /none HTTP/1.1\r\nHost: localhost\r\n" + know, false, 404},
		"no body is wanted":   {"GET /v1/collections/default/info HTTP/1.1\r\nHost: localhost\r\n" + know, false, 400},
		"a page":              {"POST /metrics HTTP/1.1\r\nHost: localhost\r\n" + know, false, 405},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close() //nolint:errcheck // of a test
			if tt.chunks {
				_, err = fmt.Fprintf(conn, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", tt.head, size, body)
			} else {
				_, err = fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", tt.head, size, body)
			}
			if err != nil {
				t.Fatalf("the body cannot be sent: %v", err)
			}
			in := bufio.NewReader(conn)
			for _, status := range []int{tt.status, 200} { // the connection can be used again
				answer, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != status {
					t.Errorf("status %d, want %d: %v", answer.StatusCode, status, err)
				}
				fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
			}
		})
	}
	t.Run("asks first", func(t *testing.T) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // of a test
		fmt.Fprintf(conn, "POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\n%sExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", know, size)
		if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 413 ") {
			t.Errorf("%.100q, %v", answer, err)
		}
	})
}
