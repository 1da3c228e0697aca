package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/service"
)

// A scripted server answers requests one after the other as its steps say, and notes them.
type scripted struct {
	*httptest.Server
	steps []func(w http.ResponseWriter)
	got   []string // method, path, token and body of each request
	keys  []string
}

func newScripted(t *testing.T, steps ...func(w http.ResponseWriter)) *scripted {
	s := &scripted{steps: steps}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.got = append(s.got, strings.TrimSpace(r.Method+" "+r.URL.EscapedPath()+" "+r.Header.Get("Authorization")+" "+string(body)))
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		if len(s.steps) == 0 {
			t.Errorf("a request too many: %s", s.got[len(s.got)-1])
			return
		}
		step := s.steps[0]
		s.steps = s.steps[1:]
		step(w)
	}))
	t.Cleanup(s.Close)
	return s
}

// status answers with a status and a body.
func status(code int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// drop breaks the connection within an answer.
func drop(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, `{"id":"a",`)
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func (s *scripted) client(t *testing.T) *Client {
	t.Helper()
	c, err := New(s.URL+"/prefix#a b/c", "secret")
	if err != nil {
		t.Fatal(err)
	}
	c.shortest = time.Microsecond
	return c
}

const busy = `{"error":{"code":"unavailable","message":"full"}}`

func TestAsksAgain(t *testing.T) {
	ok := status(200, `{"id":"a","new":true}`+"\n")
	s := newScripted(t, status(503, busy), status(429, busy), drop, ok)
	c := s.client(t)
	var waits []string
	c.Waiting = func(_ time.Duration, why string) { waits = append(waits, why) }
	text := "x"
	r := service.CheckRequest{Document: service.Document{ID: "a", Content: service.Content{Text: &text}}}
	answers, err := c.CheckAndAdd(t.Context(), []service.CheckRequest{r})
	if err != nil || len(answers) != 1 || !answers[0].New {
		t.Fatalf("answers %v, error %v", answers, err)
	}
	want := slices.Repeat([]string{`POST /prefix/v1/collections/a%20b%2Fc/check-and-add Bearer secret {"id":"a","text":"x"}`}, 4)
	if !slices.Equal(s.got, want) {
		t.Errorf("requests are %q", s.got)
	}
	if s.keys[0] == "" || !slices.Equal(s.keys, slices.Repeat(s.keys[:1], 4)) {
		t.Errorf("keys are %q, want one", s.keys)
	}
	if len(waits) != 3 || !strings.Contains(waits[0], "full") {
		t.Errorf("told of %q", waits)
	}
	s.steps = []func(http.ResponseWriter){ok}
	if _, err := c.CheckAndAdd(t.Context(), []service.CheckRequest{r}); err != nil || s.keys[4] == s.keys[0] {
		t.Errorf("error %v, keys %q", err, s.keys)
	}
}

func TestGivesUp(t *testing.T) {
	s := newScripted(t, slices.Repeat([]func(http.ResponseWriter){status(503, busy)}, tries)...)
	_, err := s.client(t).Info(t.Context())
	var told *service.Error
	if !errors.As(err, &told) || told.Code != service.Unavailable || len(s.got) != tries {
		t.Errorf("error %v after %d requests", err, len(s.got))
	}
	ctx, stop := context.WithCancel(t.Context())
	s = newScripted(t, status(503, busy))
	c := s.client(t)
	c.shortest = time.Hour
	c.Waiting = func(time.Duration, string) { stop() }
	if _, err := c.Info(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		step func(http.ResponseWriter)
		want string
	}{
		{"of a request", status(404, `{"error":{"code":"not_found","message":"there is none","where":"collection"}}`), "collection: there is none"},
		{"of a token", status(401, `{"error":{"code":"unauthorized","message":"no"}}`), "no (--token-file names a file with a token)"},
		{"of another server", status(404, `<html>`), "the answer is 404 Not Found, and not one of a server of simsearch"},
		{"a way elsewhere", func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusFound)
		}, "the answer is 302 Found, and not one of a server of simsearch"},
		{"no JSON", status(200, "hello"), "the answer is not one of a server of simsearch: it is no JSON"},
		{"nothing", status(200, ""), "the answer is not one of a server of simsearch: it is no JSON"},
		{"null", status(200, "null"), "the answer is not one of a server of simsearch: it is null"},
		{"two answers", status(200, `{"name":"a","documents":1,"bytes":1,"settings":{}} {}`), "the answer is not one of a server of simsearch: it is no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScripted(t, c.step)
			want := "asking " + s.URL + "/prefix/v1/collections/a%20b%2Fc: " + c.want
			if _, err := s.client(t).Info(t.Context()); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	const none = `{"matches":[],"total":0}` + "\n"
	s := newScripted(t, status(200, none), status(200, none+none+none))
	for _, n := range []int{1, 3} {
		want := fmt.Sprintf("%d answers to 2 lines", n)
		if _, err := s.client(t).NearAll(t.Context(), make([]service.NearRequest, 2)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, server := range []string{"", "localhost:8080", "ftp://x", "http://", "http://u:p@x", "http://x/?a=b"} {
		if _, err := New(server, ""); err == nil {
			t.Errorf("no error of the server %q", server)
		}
	}
	if c, err := New("http://127.0.0.1:1", ""); err != nil {
		t.Error(err)
	} else if _, err := c.Info(t.Context()); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error %v of a server that is not there", err)
	}
}

// Whatever is not an answer of the right shape is an error, and never taken for one that says that nothing is near.
func TestAnswersOfAnotherShape(t *testing.T) {
	const of = "the answer is not one of a server of simsearch: "
	for text, want := range map[string]string{
		`null`: "it is null", ``: "it is no JSON", `{}`: "matches: it is missing", `[]`: "it is no object", `"x"`: "it is no object", `0`: "it is no object",
		`{"matches":null,"total":0}`:                                    "matches: it is null",
		`{"matches":{},"total":0}`:                                      "matches: it is no array",
		`{"matches":[null],"total":1}`:                                  "matches: 0: it is null",
		`{"matches":[{}],"total":1}`:                                    "matches: 0: id: it is missing",
		`{"matches":[{"id":"a","jaccard":null}],"total":1}`:             "matches: 0: jaccard: it is null",
		`{"matches":[{"id":7}],"total":1}`:                              "json: cannot unmarshal number",
		`{"matches":[]}`:                                                "total: it is missing",
		`{"matches":[],"total":"0"}`:                                    "json: cannot unmarshal string",
		`{"matches":[],"total":0,"nearest":null}`:                       "nearest: it is null",
		`{"error":{"code":"internal","message":"a bug"}}`:               "matches: it is missing",
		`{"matches":[],"total":0}{"matches":[],"total":0}`:              "it is no JSON",
		`{"matches":[],"total":0,"later":null}`:                         "",
		`{"matches":[{"id":"a","distance":2,"x":[]}],"total":1}` + "\n": "",
	} {
		s := newScripted(t, status(200, text), status(200, text))
		c := s.client(t)
		_, err := c.Near(t.Context(), &service.NearRequest{})
		_, errAll := c.NearAll(t.Context(), make([]service.NearRequest, 1))
		for _, err := range []error{err, errAll} {
			switch {
			case want == "":
				if err != nil {
					t.Errorf("%s: %v", text, err)
				}
			case err == nil || !strings.Contains(err.Error(), of) || strings.Contains(err.Error(), "\n") ||
				!strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "0 answers to 1 lines"):
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
	}
}
