// Package objectstest has a store of objects for tests, which fails when it is told to.
package objectstest

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the protocol has it
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"simsearch/internal/ground/objects"
)

// Bucket is the one that a Server has.
const Bucket = "crawl"

// Secret stands for the credentials of tests: it is part of the key and of the token, and must be in nothing that is
// written.
const Secret = "marker9of8secrets7"

// A Fault answers a request in place of the store. It may send it on to next.
type Fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// A Server is a store on this machine.
type Server struct {
	Address  string
	Requests atomic.Int64
	store    http.Handler
	fault    atomic.Pointer[func(n int64, r *http.Request) Fault]
	asking   sync.Mutex // held to ask fault, which may count
	test     testing.TB
}

// Patience is that of tests.
var Patience = objects.Attempts{Most: 6, Wait: 5 * time.Millisecond, Idle: 20 * time.Second}

// New starts a store, to which the environment points until the test ends. What fails is tried again soon.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{test: t, store: gofakes3.New(s3mem.New(), gofakes3.WithoutVersioning()).Server()}
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that break
	server.Start()
	t.Cleanup(server.CloseClientConnections)
	s.Address = server.URL
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": Secret,
		"AWS_SESSION_TOKEN": "token-" + Secret, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "", "AWS_PROFILE": "", "XDG_CACHE_HOME": t.TempDir()} {
		t.Setenv(name, value)
	}
	was := objects.SetPatience(Patience)
	t.Cleanup(func() { objects.SetPatience(was) })
	s.Do(http.MethodPut, "", nil)
	return s
}

// Name returns the name of an object of the Bucket.
func Name(key string) string { return objects.Scheme + Bucket + "/" + key }

// Do sends a request about an object of the Bucket, past all faults, and returns the body of the answer.
func (s *Server) Do(method, key string, body []byte) []byte {
	s.test.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "/"+Bucket+"/"+key, bytes.NewReader(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	s.store.ServeHTTP(w, r)
	if w.Code >= 300 {
		s.test.Fatalf("%s %s: %d %s", method, key, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// Put makes an object.
func (s *Server) Put(key, contents string) {
	s.test.Helper()
	s.Do(http.MethodPut, key, []byte(contents))
}

// Files returns all objects whose keys begin with a prefix, by the rest of their keys.
func (s *Server) Files(prefix string) map[string]string {
	s.test.Helper()
	files := map[string]string{}
	for _, key := range s.keys(prefix) {
		files[strings.TrimPrefix(key, prefix)] = string(s.Do(http.MethodGet, key, nil))
	}
	return files
}

// keys returns the keys that begin with a prefix.
func (s *Server) keys(prefix string) (keys []string) {
	s.test.Helper()
	rest := string(s.Do(http.MethodGet, "?max-keys=1000000&prefix="+prefix, nil))
	for {
		_, after, ok := strings.Cut(rest, "<Key>")
		if !ok {
			return keys
		}
		key, next, _ := strings.Cut(after, "</Key>")
		keys, rest = append(keys, key), next
	}
}

// Uploads returns how many uploads in pieces have not ended.
func (s *Server) Uploads() int {
	s.test.Helper()
	w := httptest.NewRecorder()
	s.store.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+Bucket+"?uploads", nil)) // not found means none
	return strings.Count(w.Body.String(), "<UploadId>")
}

// Fail sets what becomes of requests, which are counted from 1. A Fault that is nil lets one pass.
func (s *Server) Fail(fault func(n int64, r *http.Request) Fault) {
	s.Requests.Store(0)
	if fault == nil {
		s.fault.Store(nil)
		return
	}
	s.fault.Store(&fault)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.Requests.Add(1)
	if fault := s.fault.Load(); fault != nil {
		s.asking.Lock()
		f := (*fault)(n, r)
		s.asking.Unlock()
		if f != nil {
			f(w, r, s.store)
			return
		}
	}
	s.store.ServeHTTP(w, r)
}

// EachNth is for Fail: each n-th request fails. None fails more often in a row than it is tried, unless all do.
func EachNth(n int64, fault Fault) func(i int64, r *http.Request) Fault {
	var mu sync.Mutex
	failed := map[string]int{}
	return func(i int64, r *http.Request) Fault {
		if n == 1 {
			return fault
		}
		mu.Lock()
		defer mu.Unlock()
		from, _, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
		at, _ := strconv.ParseInt(from, 10, 64) // what is left of a range is of the same part
		key := fmt.Sprint(r.Method, r.URL, at>>16)
		if i%n != 0 || failed[key] == 4 {
			failed[key] = 0
			return nil
		}
		failed[key]++
		return fault
	}
}

// Faults are what a store may do in place of what it is asked for.
var Faults = map[string]Fault{
	"500": answer(http.StatusInternalServerError, "InternalError"),
	"503": answer(http.StatusServiceUnavailable, "SlowDown"),
	"429": answer(http.StatusTooManyRequests, "TooManyRequests"),
	"page": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		http.Error(w, "<html>bad gateway", http.StatusBadGateway)
	},
	"reset": func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.CopyN(io.Discard, r.Body, 100)
		hangUp(w, nil)
	},
	// What was asked for has been done, and the answer is lost.
	"lost": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		hangUp(w, nil)
	},
	"cut": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		is := httptest.NewRecorder()
		next.ServeHTTP(is, r)
		var head bytes.Buffer
		if r.Method == http.MethodHead { // all that it has is the head
			hangUp(w, nil)
			return
		}
		answer := is.Result()
		answer.ContentLength = int64(is.Body.Len())
		answer.Body = io.NopCloser(io.LimitReader(is.Body, int64(is.Body.Len()/2)))
		_ = answer.Write(&head) // it is shorter than it says
		hangUp(w, head.Bytes())
	},
	"stall": func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
	},
}

// Lies are what a store may do with an object that it says it has taken.
var Lies = map[string]Fault{
	"forget": func(w http.ResponseWriter, r *http.Request, next http.Handler) { lie(w, r, next, false) },
	"half":   func(w http.ResponseWriter, r *http.Request, next http.Handler) { lie(w, r, next, true) },
}

// lie answers as if the object had been taken. half says that the first half of it is.
func lie(w http.ResponseWriter, r *http.Request, next http.Handler, half bool) {
	body, _ := io.ReadAll(r.Body)
	if half {
		part := httptest.NewRequest(r.Method, r.URL.String(), bytes.NewReader(body[:len(body)/2]))
		part.Header.Set("Content-Length", strconv.Itoa(len(body)/2))
		next.ServeHTTP(httptest.NewRecorder(), part)
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, md5.Sum(body)))
	w.WriteHeader(http.StatusOK)
}

// answer answers with a status, as a store does.
func answer(status int, code string) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		const page = `<?xml version="1.0"?><Error><Code>%s</Code><Message>%s</Message></Error>`
		_, _ = fmt.Fprintf(w, page, code, r.Header.Get("X-Amz-Security-Token")) // a store may repeat what it was sent
	}
}

// hangUp writes some bytes to a connection, and breaks it.
func hangUp(w http.ResponseWriter, bytes []byte) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = c.Write(bytes)
	if tcp, ok := c.(*net.TCPConn); ok && bytes == nil {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
