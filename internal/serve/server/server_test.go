package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"simsearch/internal/serve/service"
)

// A running is a server of a test.
type running struct {
	*Server
	url  string
	log  *locked
	stop func() error // ends it, and returns the error of Serve
}

// start serves svc until the test ends.
func start(t testing.TB, svc service.API, o Options) *running {
	t.Helper()
	log := &locked{}
	o.Log = log
	s := New(svc, o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	r := &running{Server: s, url: "http://" + l.Addr().String(), log: log, stop: sync.OnceValue(func() error {
		stop()
		return <-ended
	})}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// A locked is a buffer for several goroutines.
type locked struct {
	mu sync.Mutex
	to bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.String()
}

// A sent is a request of a test.
type sent struct {
	method, path, body string
	header             map[string]string // Host is that of the request
}

var asJSON = map[string]string{"Content-Type": "application/json"}

// send sends a request, and returns the answer with its body.
func (r *running) send(t testing.TB, s sent) (*http.Response, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), s.method, r.url+s.path, strings.NewReader(s.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range s.header {
		if name == "Host" {
			q.Host = value
		}
		q.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// want sends a request whose answer has a status, and, if it is an error, a code. It returns the body.
func (r *running) want(t testing.TB, s sent, status int, code string) string {
	t.Helper()
	answer, body := r.send(t, s)
	if answer.StatusCode != status {
		t.Errorf("%s %.80s: status %d, want %d: %.300s", s.method, s.path, answer.StatusCode, status, body)
	}
	if status >= 400 {
		var f service.Failure
		if err := json.Unmarshal([]byte(body), &f); err != nil || f.Error == nil || f.Error.Code != code || f.Error.Message == "" {
			t.Errorf("%s %.80s: %.300s, want an error of the code %s", s.method, s.path, body, code)
		}
		if kind := answer.Header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("%s %.80s: an error of the type %s", s.method, s.path, kind)
		}
		if again := answer.Header.Get("Retry-After"); (again != "") != (status == 429 || status == 503) {
			t.Errorf("%s %.80s: status %d with Retry-After %q", s.method, s.path, status, again)
		}
	}
	if answer.Header.Get("X-Content-Type-Options") != "nosniff" && status != http.StatusNoContent {
		t.Errorf("%s %.80s: a browser may guess the type", s.method, s.path)
	}
	return body
}

// exampleOf returns a request for an operation that succeeds on the fake.
func exampleOf(o *service.Operation) sent {
	path := strings.Replace(strings.Replace(o.Path, "{name}", "default", 1), "{id}", "folder%2Fa.txt", 1)
	s := sent{method: o.Method, path: path}
	if o.Request != nil && !o.InQuery {
		s.header, s.body = asJSON, `{}`
		switch o.Name {
		case "put", "check-and-add":
			s.body = `{"id":"folder/a.txt","text":"some text"}`
		case "near":
			s.body = `{"text":"some text"}`
		case "compare":
			s.body = `{"a":{"text":"x"},"b":{"text":"y"}}`
		case "delete-all":
			s.body = `{"id":"none"}`
		}
	}
	return s
}

// filled returns a fake with the document that requests of tests are about.
func filled() *fake {
	f := newFake()
	text := "some text"
	f.documents["folder/a.txt"] = service.Document{ID: "folder/a.txt", Content: service.Content{Text: &text}}
	return f
}

// Each operation of the table answers, as a batch, too, and what it answers is what the document of OpenAPI says.
func TestEveryOperationAnswersByItsSchema(t *testing.T) {
	t.Parallel()
	f := filled()
	r := start(t, f, Options{})
	var api struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody *struct{ Content map[string]any }
			Responses   map[string]struct {
				Content map[string]struct{ Schema any }
			}
		}
	}
	if err := json.Unmarshal([]byte(r.want(t, sent{method: "GET", path: "/openapi.json"}, 200, "")), &api); err != nil {
		t.Fatal(err)
	}
	described := 0
	for _, methods := range api.Paths {
		described += len(methods)
	}
	if want := len(service.All) + 2; described != want {
		t.Errorf("the document describes %d operations, want %d", described, want)
	}
	for i := range service.All {
		o := &service.All[i]
		op, ok := api.Paths[o.Path][strings.ToLower(o.Method)]
		if !ok || op.OperationID != o.Name {
			t.Errorf("%s is not described", o.Name)
		}
		f.mu.Lock()
		f.documents = filled().documents
		f.mu.Unlock()
		s := exampleOf(o)
		body := r.want(t, s, o.Statuses[0], "")
		if o.Answer != nil {
			lines := []string{body}
			if o.Streams {
				lines = strings.SplitAfter(strings.TrimSuffix(body, "\n"), "\n")
			}
			for _, line := range lines {
				valid(t, o, line)
			}
		}
		if o.Lines {
			s.header = map[string]string{"Content-Type": "application/x-ndjson"}
			s.body = s.body + "\n\n" + s.body + "\n"
			lines := strings.SplitAfter(strings.TrimSuffix(r.want(t, s, 200, ""), "\n"), "\n")
			if len(lines) != 2 {
				t.Errorf("%s: %d answers to a batch of two", o.Name, len(lines))
			}
			for _, line := range lines {
				valid(t, o, line)
			}
		}
	}
}

// valid checks an answer by its schema.
func valid(t *testing.T, o *service.Operation, answer string) {
	t.Helper()
	var free any
	if err := json.Unmarshal([]byte(answer), &free); err != nil {
		t.Errorf("%s: %v: %s", o.Name, err, answer)
		return
	}
	if err := schemaOf(o.Answer).Validate(free); err != nil {
		t.Errorf("%s: %v: %s", o.Name, err, answer)
	}
}

// schemaOf returns the schema of a type, resolved.
func schemaOf(t reflect.Type) *jsonschema.Resolved {
	named := service.Object{}
	of := service.SchemaOf(t, named)
	text, err := json.Marshal(service.Object{"allOf": []any{of}, "$defs": named})
	if err != nil {
		panic(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &s); err != nil {
		panic(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return resolved
}

// attacks are what is done to a request that would succeed, and how it is refused.
var attacks = []struct {
	name   string
	change func(*sent)
	status int
	code   string
}{
	{"another name of the host", func(s *sent) { s.header["Host"] = "evil.example" }, 403, service.Forbidden},
	{"another name that begins alike", func(s *sent) { s.header["Host"] = "localhost.evil.example:80" }, 403, service.Forbidden},
	{"another address", func(s *sent) { s.header["Host"] = "192.0.2.1" }, 403, service.Forbidden},
	{"no token", func(s *sent) { delete(s.header, "Authorization") }, 401, service.Unauthorized},
	{"a wrong token", func(s *sent) { s.header["Authorization"] = "Bearer 0123456789abcdee" }, 401, service.Unauthorized},
	{"an empty token", func(s *sent) { s.header["Authorization"] = "Bearer " }, 401, service.Unauthorized},
	{"the hash of a token", func(s *sent) { s.header["Authorization"] = "Token 0123456789abcdef" }, 401, service.Unauthorized},
	{"a token for others", func(s *sent) { s.header["Authorization"] = "Bearer only-for-another" }, 403, service.Forbidden},
	{"a way up", func(s *sent) { s.path = "/v1/../etc/passwd" }, 404, service.NotFound},
	{"a coded way up", func(s *sent) { s.path = "/v1/collections/..%2f..%2fetc/info" }, 404, service.NotFound},
	{"a dot", func(s *sent) { s.path = strings.Replace(s.path, "/v1/", "/v1/./", 1) }, 404, service.NotFound},
	{"two slashes", func(s *sent) { s.path = strings.Replace(s.path, "/v1/", "/v1//", 1) }, 404, service.NotFound},
	{"another method", func(s *sent) { s.method = "PATCH" }, 405, service.MethodNotAllowed},
	{"a trace", func(s *sent) { s.method = "TRACE"; s.body = "" }, 405, service.MethodNotAllowed},
	{"an unknown collection", func(s *sent) { s.path = strings.Replace(s.path, "/default", "/other", 1) }, 404, service.NotFound},
}

// attacksOnWriting are of a page of another site, which GET cannot be.
var attacksOnWriting = []struct {
	name   string
	change func(*sent)
	status int
	code   string
}{
	{"another origin", func(s *sent) { s.header["Origin"] = "https://evil.example" }, 403, service.Forbidden},
	{"no origin", func(s *sent) { s.header["Origin"] = "null" }, 403, service.Forbidden},
	{"another site", func(s *sent) { s.header["Sec-Fetch-Site"] = "cross-site" }, 403, service.Forbidden},
	{"another part of the site", func(s *sent) { s.header["Sec-Fetch-Site"] = "same-site" }, 403, service.Forbidden},
}

// attacksOnBodies are of requests with a body.
var attacksOnBodies = []struct {
	name   string
	change func(*sent)
	status int
	code   string
}{
	{"a form", func(s *sent) { s.header["Content-Type"] = "application/x-www-form-urlencoded" }, 415, service.UnsupportedType},
	{"plain text", func(s *sent) { s.header["Content-Type"] = "text/plain" }, 415, service.UnsupportedType},
	{"another charset", func(s *sent) { s.header["Content-Type"] = "application/json; charset=utf-16" }, 415, service.UnsupportedType},
	{"another coding", func(s *sent) { s.header["Content-Encoding"] = "br" }, 415, service.UnsupportedType},
	{"two codings", func(s *sent) { s.header["Content-Encoding"] = "gzip, gzip" }, 415, service.UnsupportedType},
	{"gzip", func(s *sent) { s.header["Content-Encoding"] = "gzip" }, 415, service.UnsupportedType},
	{"too large", func(s *sent) { s.body = `{"text":"` + strings.Repeat("a", 2<<20) + `"}` }, 413, service.TooLarge},
	{"not JSON", func(s *sent) { s.body = `{"text":` }, 400, service.BadRequest},
	{"an array", func(s *sent) { s.body = `[{}]` }, 400, service.BadRequest},
	{"a deep one", func(s *sent) { s.body = strings.Repeat(`{"fields":`, 100_000) }, 400, service.BadRequest},
	{"a deep array", func(s *sent) { s.body = `{"fields":` + strings.Repeat(`[`, 1_000_000) }, 400, service.BadRequest},
	{"another member", func(s *sent) { s.body = `{"__proto__":{},"x":1}` }, 400, service.BadRequest},
	{"no UTF-8", func(s *sent) { s.body = "{\"id\":\"\xff\"}" }, 400, service.BadRequest},
	{"two values", func(s *sent) { s.body += s.body }, 400, service.BadRequest},
	{"a huge number", func(s *sent) { s.body = `{"k":` + strings.Repeat("9", 1_000_000) + `}` }, 400, service.BadRequest},
	{"a parameter", func(s *sent) { s.path += "?path=/etc/passwd&url=http://localhost" }, 400, service.BadRequest},
	{"a long key", func(s *sent) { s.header["Idempotency-Key"] = strings.Repeat("k", 10_000) }, 400, service.BadRequest},
}

const tokenFile = `# a comment
0123456789abcdef read # of a reader
0123456789abcdef0 write
only-for-another read other,more
only-for-default write default
`

func readTokens(t testing.TB) *Tokens {
	t.Helper()
	tokens, err := ReadTokens(strings.NewReader(tokenFile))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// Each route × each attack.
func TestRoutesUnderAttack(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Tokens: readTokens(t), MaxBody: 1 << 20})
	for i := range service.All {
		o := &service.All[i]
		try := func(name string, change func(*sent), status int, code string) {
			s := exampleOf(o)
			header := map[string]string{"Authorization": "Bearer 0123456789abcdef0"}
			for k, v := range s.header {
				header[k] = v
			}
			s.header = header
			change(&s)
			switch {
			case o.Name == "collections" && (name == "an unknown collection" || name == "a token for others"):
				return // it is of no collection
			case name == "a coded way up" && (o.Method != "GET" || o.Name == "collections"):
				return
			}
			t.Run(o.Name+"/"+name, func(t *testing.T) { r.want(t, s, status, code) })
		}
		for _, a := range attacks {
			try(a.name, a.change, a.status, a.code)
		}
		if o.Method != "GET" {
			for _, a := range attacksOnWriting {
				try(a.name, a.change, a.status, a.code)
			}
		}
		if o.Request != nil && !o.InQuery {
			for _, a := range attacksOnBodies {
				try(a.name, a.change, a.status, a.code)
			}
		} else {
			try("a body", func(s *sent) { s.body = "{}" }, 400, service.BadRequest)
			try("a parameter", func(s *sent) { s.path += "?file=/etc/passwd" }, 400, service.BadRequest)
		}
		if o.Writes {
			try("a token for reading", func(s *sent) { s.header["Authorization"] = "Bearer 0123456789abcdef" }, 403, service.Forbidden)
		}
	}
	if free := r.memory.free.Load(); free != r.memory.all {
		t.Errorf("%d bytes of memory have not been given back", r.memory.all-free)
	}
	if n := len(r.places.running); n != 0 {
		t.Errorf("%d places have not been given back", n)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Tokens: readTokens(t), Page: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page") })})
	with := func(token string, s sent) sent {
		s.header = map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
		return s
	}
	near := sent{method: "POST", path: "/v1/collections/default/near", body: `{"text":"some text"}`}
	put := sent{method: "POST", path: "/v1/collections/default/documents", body: `{"id":"b","text":"some text"}`}
	r.want(t, with("0123456789abcdef", near), 200, "")
	r.want(t, with("0123456789abcdef", put), 403, service.Forbidden)
	r.want(t, with("0123456789abcdef0", put), 200, "")
	r.want(t, with("only-for-default", put), 200, "")
	r.want(t, with("only-for-default", sent{method: "GET", path: "/v1/collections/slow/info"}), 403, service.Forbidden)
	r.want(t, with("only-for-default", sent{method: "GET", path: "/"}), 403, service.Forbidden)
	r.want(t, with("0123456789abcdef", sent{method: "GET", path: "/"}), 200, "")
	if body := r.want(t, with("only-for-default", sent{method: "GET", path: "/v1/collections"}), 200, ""); strings.Contains(body, "slow") || !strings.Contains(body, "default") {
		t.Errorf("a token for one collection lists %s", body)
	}
	basic := sent{method: "GET", path: "/v1/collections", header: map[string]string{"Authorization": "Basic YW55Ym9keTowMTIzNDU2Nzg5YWJjZGVm"}}
	r.want(t, basic, 200, "")
	for _, probe := range []string{"/healthz", "/readyz"} { // they tell nothing, and have no token
		r.want(t, sent{method: "GET", path: probe, header: map[string]string{"Host": "10.1.2.3:80"}}, 200, "")
	}
	for _, path := range []string{"/metrics", "/openapi.json", "/none", "/"} {
		r.want(t, sent{method: "GET", path: path}, 401, service.Unauthorized)
	}
	for text, want := range map[string]string{
		"":                          "no token",
		"# nothing\n":               "no token",
		"0123456789abcdef":          "line 1: want",
		"\n0123456789abcdef rw":     "line 2: want",
		"short read":                "line 1: the token has fewer",
		"0123456789abcde read":      "line 1: the token has fewer",
		"0123456789abcdef read a b": "line 1: want",
		"0123456789abcdef read\n0123456789abcdef write": "line 2: the token is there twice",
	} {
		if _, err := ReadTokens(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "0123") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Clients call the server by its names, and pages of its own may send requests.
func TestNamesOfTheServer(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Hosts: []string{"Search.example.org:8080", "192.0.2.7"}})
	for host, status := range map[string]int{
		"localhost": 200, "LOCALHOST:1": 200, "127.0.0.1": 200, "127.1.2.3:80": 200, "[::1]:8080": 200, "[::ffff:127.0.0.1]": 200, "search.example.org": 200, "search.example.org.:8080": 200, "192.0.2.7:80": 200,
		"example.org": 403, "0.0.0.0": 403, "[::]": 403, "localhost.example.org": 403, "127.0.0.1.example.org": 403, "[fe80::1%25lo]": 403, "2130706433": 403, "0x7f000001": 403,
	} {
		code := ""
		if status == 403 {
			code = service.Forbidden
		}
		r.want(t, sent{method: "GET", path: "/v1/collections", header: map[string]string{"Host": host}}, status, code)
	}
	near := sent{method: "POST", path: "/v1/collections/default/near", body: `{}`, header: map[string]string{
		"Content-Type": "application/json", "Origin": "http://localhost:8080", "Host": "localhost:8080", "Sec-Fetch-Site": "same-origin",
	}}
	r.want(t, near, 200, "")
}

func TestAnswersThatAreErrors(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Deadline: 50 * time.Millisecond})
	post := func(path, body string) sent { return sent{method: "POST", path: path, body: body, header: asJSON} }
	r.want(t, post("/v1/collections/stuck/near", `{}`), 504, service.Deadline)
	r.want(t, post("/v1/collections/damaged/near", `{}`), 500, service.Internal)
	if body := r.want(t, post("/v1/collections/panics/near", `{}`), 500, service.Internal); strings.Contains(body, "bug") {
		t.Errorf("a client is told of a bug: %s", body)
	}
	if log := r.log.String(); !strings.Contains(log, "a bug: a bug") || !strings.Contains(log, "unexpected EOF") {
		t.Errorf("the log has %q", log)
	}
	r.want(t, sent{method: "GET", path: "/v1/collections/panics/export"}, 500, service.Internal)
	r.want(t, sent{method: "GET", path: "/none"}, 404, service.NotFound)
	r.want(t, sent{method: "GET", path: "/v1/collections/default/documents/none"}, 404, service.NotFound)
	r.want(t, post("/v1/collections/default/documents", `{"id":"x"}`), 400, service.BadRequest)
	lines := post("/v1/collections/default/near", strings.Repeat("{}\n", 10_001))
	lines.header = map[string]string{"Content-Type": "application/x-ndjson"}
	r.want(t, lines, 413, service.TooLarge)
	lines.body = "{}\n{\"k\":-1}\n"
	if body := r.want(t, lines, 400, service.BadRequest); !strings.Contains(body, `"where":"line 2: k"`) {
		t.Errorf("a wrong line: %s", body)
	}
	answer, _ := r.send(t, sent{method: "PATCH", path: "/v1/collections"})
	if allow := answer.Header.Get("Allow"); allow != "GET, HEAD" {
		t.Errorf("Allow: %q", allow)
	}
	for i := range r.o.Running * 2 { // none of these has kept its place
		r.want(t, post("/v1/collections/panics/near", `{"nearest":`+fmt.Sprint(i)+`}`), 500, service.Internal)
	}
	r.want(t, post("/v1/collections/default/near", `{}`), 200, "")
}

// As many requests wait as may, and one more is told at once.
func TestSoManyWait(t *testing.T) {
	t.Parallel()
	for most := range int64(3) {
		p := &places{running: make(chan struct{}, 1), most: most, patience: time.Minute}
		if err := p.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		for range most {
			waiting.Go(func() {
				if err := p.enter(t.Context()); err != nil {
					t.Error(err)
				}
				p.leave()
			})
		}
		for p.waiting.Load() < most {
			time.Sleep(time.Millisecond)
		}
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := p.enter(ctx); !errors.Is(err, errFull) {
			t.Errorf("behind %d that wait: %v", most, err)
		}
		stop()
		p.leave()
		waiting.Wait()
	}
}

// A server that changes nothing says so.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{ReadOnly: true, Agent: func(write bool) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, write) })
	}})
	if _, body := r.send(t, sent{method: "POST", path: "/mcp", body: "{}"}); body != "false" {
		t.Errorf("an agent may write: %s", body)
	}
	for i := range service.All {
		if o := &service.All[i]; o.Writes {
			r.want(t, exampleOf(o), 403, service.ReadOnly)
		} else {
			r.want(t, exampleOf(o), o.Statuses[0], "")
		}
	}
}

// A breaking is a service whose exports break off.
type breaking struct{ *fake }

func (b breaking) Export(ctx context.Context, name string, w io.Writer) error {
	return errors.Join(b.fake.Export(ctx, name, w), io.ErrUnexpectedEOF)
}

// The client of an export that breaks off does not take what has come for all.
func TestExportThatBreaksOff(t *testing.T) {
	t.Parallel()
	r := start(t, breaking{filled()}, Options{})
	answer, err := http.Get(r.url + "/v1/collections/default/export") //nolint:noctx // the server ends with the test
	if err == nil {
		_, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close()
	}
	if err == nil {
		t.Error("it is whole")
	}
}

// Ten times as many requests as can be answered are told so within a tenth of a second.
func TestOverloadIsShed(t *testing.T) {
	t.Parallel()
	f := filled()
	f.slow = 300 * time.Millisecond
	r := start(t, f, Options{Running: 4, Waiting: 8})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	statuses := map[int]int{}
	var slowest time.Duration
	var wg sync.WaitGroup
	for range 120 {
		wg.Go(func() {
			begun := time.Now()
			answer, err := client.Post(r.url+"/v1/collections/slow/near", "application/json", strings.NewReader(`{}`))
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			statuses[answer.StatusCode]++
			if answer.StatusCode != 200 {
				slowest = max(slowest, time.Since(begun))
				if answer.Header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
			}
		})
	}
	wg.Wait()
	if statuses[200] < 4 || statuses[200]+statuses[429] != 120 || statuses[429] < 60 {
		t.Errorf("statuses %v", statuses)
	}
	if f.most.Load() > 4 {
		t.Errorf("%d ran at once", f.most.Load())
	}
	// What clients see takes longer on a machine that is busy with other tests.
	_, text := r.send(t, sent{method: "GET", path: "/metrics"})
	found := regexp.MustCompile(`simsearch_request_seconds_bucket{operation="near",le="0.1"} (\d+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatal(text)
	}
	if n, _ := strconv.Atoi(found[1]); n < statuses[429]*9/10 {
		t.Errorf("%s of %d requests were shed within a tenth of a second", found[1], statuses[429])
	}
	t.Logf("%v, shed after %v at most", statuses, slowest)
}

// Bodies under way take no more memory than they may, whatever they announce.
func TestBodiesShareABudget(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Memory: 1 << 20, MaxBody: 1 << 20})
	big := sent{method: "POST", path: "/v1/collections/default/near", body: `{"text":"` + strings.Repeat("a", 900_000) + `"}`, header: asJSON}
	r.want(t, big, 503, service.Unavailable) // it takes what it has and twice that while it grows
	small := sent{method: "POST", path: "/v1/collections/default/near", body: `{"text":"some text"}`, header: asJSON}
	var held []net.Conn
	for range 50 { // they announce 50 MB, and send what fits
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
		fmt.Fprintf(conn, "POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"text\":\"%s", strings.Repeat("a", 60_000))
	}
	time.Sleep(50 * time.Millisecond)
	if free := r.memory.free.Load(); free < 0 || free == r.memory.all {
		t.Errorf("%d of %d bytes are free", free, r.memory.all)
	}
	r.want(t, small, 200, "")
	for _, conn := range held {
		_ = conn.Close()
	}
	for range 100 {
		if r.memory.free.Load() == r.memory.all {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if free := r.memory.free.Load(); free != r.memory.all {
		t.Errorf("%d bytes of memory have not been given back", r.memory.all-free)
	}
}

// A server that stops answers what it has taken, and takes no more.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	f := filled()
	f.slow = 200 * time.Millisecond
	r := start(t, f, Options{})
	acknowledged := make(chan string, 100)
	var wg sync.WaitGroup
	for client := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", client, i)
				answer, err := http.Post(r.url+"/v1/collections/default/documents", "application/json", strings.NewReader(`{"id":"`+id+`","text":"x"}`))
				if err != nil {
					return // no connection any more
				}
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if answer.StatusCode == 200 && err == nil {
					acknowledged <- id
				}
			}
		})
	}
	slow := make(chan int, 1)
	go func() {
		answer, err := http.Post(r.url+"/v1/collections/slow/near", "application/json", strings.NewReader(`{}`))
		if err != nil {
			slow <- 0
			return
		}
		_ = answer.Body.Close()
		slow <- answer.StatusCode
	}()
	var ids []string
	done := make(chan struct{})
	go func() {
		for id := range acknowledged {
			ids = append(ids, id)
		}
		close(done)
	}()
	for f.running.Load() == 0 || len(r.places.running) == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	close(acknowledged)
	<-done
	if status := <-slow; status != 200 {
		t.Errorf("a request under way got status %d", status)
	}
	if len(ids) == 0 {
		t.Error("nothing was acknowledged")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if _, ok := f.documents[id]; !ok {
			t.Errorf("%s was acknowledged and is not there", id)
		}
	}
	answer := &recorder{header: http.Header{}}
	q, err := http.NewRequestWithContext(t.Context(), "GET", "/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Handler().ServeHTTP(answer, q); answer.status != 503 {
		t.Errorf("readyz of a server that has stopped: %d", answer.status)
	}
}

// An agent's tools get the right of its token, and what waits for the server does not keep it from stopping.
func TestAgents(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Tokens: readTokens(t), Agent: func(write bool) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "may write: %v", write) })
	}})
	for token, want := range map[string]string{"0123456789abcdef": "may write: false", "0123456789abcdef0": "may write: true"} {
		if _, body := r.send(t, sent{method: "POST", path: "/mcp", body: "{}", header: map[string]string{"Authorization": "Bearer " + token}}); body != want {
			t.Errorf("%q, want %q", body, want)
		}
	}
	for token, status := range map[string]int{"": 401, "only-for-default": 403} {
		if answer, _ := r.send(t, sent{method: "POST", path: "/mcp", body: "{}", header: map[string]string{"Authorization": "Bearer " + token}}); answer.StatusCode != status {
			t.Errorf("token %q: status %d", token, answer.StatusCode)
		}
	}
}

type recorder struct {
	header http.Header
	status int
	bytes.Buffer
}

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }

// Connections beyond those that there may be are told to come again.
func TestConnectionsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Connections: 2})
	address := strings.TrimPrefix(r.url, "http://")
	var held []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
		fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if body, _ := io.ReadAll(conn); !strings.HasPrefix(string(body), "HTTP/1.1 503 ") || !strings.Contains(string(body), "Retry-After: 1") {
		t.Errorf("%q", body)
	}
	for _, conn := range held {
		_ = conn.Close()
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range 100 {
		if answer, err := client.Get(r.url + "/healthz"); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == 200 {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("places of connections are not given back")
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{})
	r.want(t, sent{method: "GET", path: "/v1/collections/default/info"}, 200, "")
	r.want(t, sent{method: "GET", path: "/none"}, 404, service.NotFound)
	_, text := r.send(t, sent{method: "GET", path: "/metrics"})
	for _, line := range []string{
		`simsearch_requests_total{operation="info",status="200"} 1`, `simsearch_requests_total{operation="none",status="404"} 1`,
		`simsearch_request_seconds_count{operation="info"} 1`, `simsearch_documents{collection="default"} 1`, "simsearch_requests_running ", "go_goroutines ",
		"go_gc_heap_live_bytes ",
	} {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}

// The document of OpenAPI says of no array that it may be null, and every reference leads somewhere.
func TestOpenAPIIsSound(t *testing.T) {
	made := OpenAPI("1", true)
	schemas := made["components"].(object)["schemas"].(object)
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var api any
	if err := json.Unmarshal(text, &api); err != nil {
		t.Fatal(err)
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && schemas[strings.TrimPrefix(ref, "#/components/schemas/")] == nil {
				t.Errorf("%s: %s leads nowhere", at, ref)
			}
			if kinds, ok := v["type"].([]any); ok && slices.Contains(kinds, any("null")) {
				t.Errorf("%s may be null", at)
			}
			for key, v := range v {
				walk(at+"/"+key, v)
			}
		case []any:
			for i, v := range v {
				walk(fmt.Sprint(at, "/", i), v)
			}
		}
	}
	walk("", api)
}

// A page that panics is answered with what it has said of it, or else with an error. The log has it in both cases.
func TestPagesThatPanic(t *testing.T) {
	t.Parallel()
	r := start(t, filled(), Options{Page: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/told" {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "<p>That did not work.</p>")
		}
		panic("mistake of " + r.URL.Path)
	})})
	answer, text := r.send(t, sent{method: "GET", path: "/told"})
	if answer.StatusCode != 500 || text != "<p>That did not work.</p>" ||
		answer.Header.Get("Content-Type") != "text/html" {
		t.Errorf("%d: %s", answer.StatusCode, text)
	}
	r.want(t, sent{method: "GET", path: "/untold"}, 500, service.Internal)
	for _, want := range []string{"GET /told: a bug: mistake of /told", "GET /untold: a bug: mistake of /untold"} {
		if log := r.log.String(); !strings.Contains(log, want) {
			t.Errorf("%q is not in the log: %s", want, log)
		}
	}
}

// A client that does not read a page keeps no place from others.
func TestClientsThatDoNotReadPages(t *testing.T) {
	t.Parallel()
	const size = 8 << 20 // more than the buffers of connections
	made := make(chan struct{}, 10)
	r := start(t, filled(), Options{Running: 2, Waiting: 1, Page: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/larger" {
			_, _ = w.Write(make([]byte, 5*size))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusAccepted)
		for range size >> 16 {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				t.Error(err)
			}
		}
		made <- struct{}{}
	}), MaxBody: size})
	for range 4 {
		c, err := net.Dial("tcp", r.url[len("http://"):])
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // of a test
		if _, err := io.WriteString(c, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-made
		r.want(t, sent{method: "GET", path: "/v1/collections"}, 200, "")
	}
	if answer, text := r.send(t, sent{method: "GET", path: "/large"}); answer.StatusCode != http.StatusAccepted || len(text) != size {
		t.Errorf("%d, %d bytes", answer.StatusCode, len(text))
	}
	r.want(t, sent{method: "GET", path: "/larger"}, http.StatusRequestEntityTooLarge, service.TooLarge)
}
