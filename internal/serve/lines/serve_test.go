package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"simsearch/internal/serve/service"
	"simsearch/internal/tests/testkit"
)

// A shelf does operations in a simple way: documents by id, near is equal. Each operation takes a while, and all are
// noted.
type shelf struct {
	mu    sync.Mutex
	texts map[string]string
	calls []string
	pause func()
}

func newShelf(pause func()) *shelf { return &shelf{texts: map[string]string{}, pause: pause} }

func (s *shelf) ask(ctx context.Context, o *service.Operation, c *service.Call) error {
	if c.Collection != service.DefaultCollection {
		return service.Errorf(service.NotFound, "collection", "there is no collection %s", c.Collection)
	}
	s.pause()
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Status = 200
	switch o.Name {
	case "near":
		return each(s, c, s.near, nil)
	case "check-and-add":
		return each(s, c, s.check, func(a service.CheckAnswer) *service.Error { return a.Error })
	case "delete-all":
		return each(s, c, func(r service.DeleteRequest) service.Outcome { return s.remove(r.ID) }, nil)
	case "delete":
		s.calls = append(s.calls, "delete "+c.ID)
		c.Answer, _ = service.Append(nil, s.remove(c.ID))
		return nil
	case "drop":
		s.calls = append(s.calls, "drop")
		clear(s.texts)
		c.Status = 204
		return nil
	}
	return o.Do(ctx, c) // which panics, since there is no service
}

// each answers the requests of a call one by one.
func each[Q, A any](s *shelf, c *service.Call, do func(Q) A, failed func(A) *service.Error) error {
	rs, err := service.Decode[Q](c.Body, c.Lines)
	if err != nil {
		return err
	}
	s.calls = append(s.calls, fmt.Sprintf("%d%s", len(rs), c.Key))
	for _, r := range rs {
		a := do(r)
		var e *service.Error
		if failed != nil {
			e = failed(a)
		}
		if c.Failed = append(c.Failed, e); e != nil && !c.Lines {
			return e
		}
		c.Answer, _ = service.Append(c.Answer, a)
		if c.Lines {
			c.Answer = append(c.Answer, '\n')
		}
	}
	return nil
}

// equal returns the documents with a text.
func (s *shelf) equal(text string) []service.Match {
	matches := []service.Match{}
	for _, id := range slices.Sorted(maps.Keys(s.texts)) {
		if s.texts[id] == text {
			matches = append(matches, service.Match{ID: id})
		}
	}
	return matches
}

func (s *shelf) near(r service.NearRequest) service.NearAnswer {
	m := s.equal(*r.Text)
	return service.NearAnswer{Matches: m, Total: len(m)}
}

func (s *shelf) check(r service.CheckRequest) service.CheckAnswer {
	if r.Text == nil {
		return service.CheckAnswer{ID: r.ID, Error: service.Errorf(service.BadRequest, "text", "there is none")}
	}
	if m := s.equal(*r.Text); len(m) > 0 {
		return service.CheckAnswer{ID: r.ID, Match: &m[0]}
	}
	s.texts[r.ID] = *r.Text
	return service.CheckAnswer{ID: r.ID, New: true}
}

func (s *shelf) remove(id string) service.Outcome {
	if _, ok := s.texts[id]; !ok {
		return service.Outcome{ID: id, Outcome: "absent"}
	}
	delete(s.texts, id)
	return service.Outcome{ID: id, Outcome: "deleted"}
}

// serve is Serve of a shelf.
func serve(ctx context.Context, s *shelf, in io.Reader, out io.Writer, o Options) error {
	v := newServer(ctx, nil, o)
	v.ask = s.ask
	return v.serve(in, out)
}

// answers returns the answers to requests that come at once.
func answers(t *testing.T, s *shelf, requests string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := serve(t.Context(), s, strings.NewReader(requests), &out, Options{}); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct{ name, requests, want string }{
		{"one", `{"id":1,"op":"check_and_add","body":{"id":"a","text":"x"}}`, `{"id":1,"status":200,"body":{"id":"a","new":true}}`},
		{"a list", `{"id":"b","op":"check_and_add","body":[{"id":"a","text":"x"},{"id":"b","text":"x"}]}`,
			`{"id":"b","status":200,"body":[{"id":"a","new":true},{"id":"b","new":false,"match":{"id":"a"}}]}`},
		{"an empty list", `{"id":1,"op":"delete","body":[]}`, `{"id":1,"status":200,"body":[]}`},
		{"no id, no end of line", `{"op":"near","body":{"text":"<x>"}}`, `{"id":null,"status":200,"body":{"matches":[],"total":0}}`},
		{"an item that fails", `{"id":1,"op":"check_and_add","body":{"id":"a"}}`, `{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"there is none","where":"text"}}}`},
		{"an item of a list that fails", `{"id":1,"op":"check_and_add","body":[{"id":"a"}]}`,
			`{"id":1,"status":200,"body":[{"id":"a","new":false,"error":{"code":"bad_request","message":"there is none","where":"text"}}]}`},
		{"another collection", `{"id":1,"op":"near","collection":"c","body":{"text":"x"}}`,
			`{"id":1,"status":404,"body":{"error":{"code":"not_found","message":"there is no collection c","where":"collection"}}}`},
		{"a fault", `{"id":1,"op":"list"}`, `{"id":1,"status":500,"body":{"error":{"code":"internal","message":"an error of the server; its log says more"}}}`},
		{"an unknown operation", `{"id":1,"op":"nera"}`, `{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"there is no operation \"nera\"","where":"op"}}}`},
		{"an unknown name", `{"id":1,"op":"near","body":{"txt":"x"}}`, `{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"unknown member \"txt\": did you mean \"text\"?","where":"txt"}}}`},
		{"another kind", `{"id":1,"op":"near","body":{"text":"x","k":"3"}}`, `{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"want a whole number","where":"k"}}}`},
		{"an unknown name of the line", `{"id":1,"op":"near","colection":"c"}`,
			`{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"unknown member \"colection\": did you mean \"collection\"?","where":"line 1: colection"}}}`},
		{"an item of a list that is none", `{"id":1,"op":"near","body":[{"text":"x"},{"k":true}]}`,
			`{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"want a whole number","where":"line 2: k"}}}`},
		{"a list where none is taken", `{"id":1,"op":"compare","body":[]}`,
			`{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"compare takes one JSON object, and no list","where":"body"}}}`},
		{"a body where none is taken", `{"id":1,"op":"drop","body":{"a":1}}`, `{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"drop takes no body","where":"body"}}}`},
		{"delete", `{"id":1,"op":"delete","body":{"id":"a"}}`, `{"id":1,"status":200,"body":{"id":"a","outcome":"absent"}}`},
		{"delete many", `{"id":1,"op":"delete","body":[{"id":"a"},{"id":"b"}]}`, `{"id":1,"status":200,"body":[{"id":"a","outcome":"absent"},{"id":"b","outcome":"absent"}]}`},
		{"drop", `{"id":1,"op":"drop","body":null}`, `{"id":1,"status":204,"body":{}}`},
		{"export", `{"id":1,"op":"export"}`, `{"id":1,"status":400,"body":{"error":{"code":"bad_request","message":"export is for clients by HTTP","where":"op"}}}`},
		{"no JSON", "\n{]\n", `{"id":null,"status":400,"body":{"error":{"code":"bad_request","message":"not JSON: want a name in quotes","where":"line 2"}}}`},
		{"half a line", `{"id":1,"op":`, `{"id":null,"status":400,"body":{"error":{"code":"bad_request","message":"not JSON: want a value","where":"line 1"}}}`},
		{"two values", `{"id":1,"op":"list"}{}`, `{"id":null,"status":400,"body":{"error":{"code":"bad_request","message":"not JSON: more behind the value","where":"line 1"}}}`},
		{"an id that is none", `{"id":{"a":1},"op":"list"}`, `{"id":null,"status":400,"body":{"error":{"code":"bad_request","message":"want a string or a number, of at most 1024 bytes","where":"line 1: id"}}}`},
		{"no UTF-8", "{\"id\":1,\"op\":\"near\",\"body\":{\"text\":\"\xff\"}}", `{"id":null,"status":400,"body":{"error":{"code":"bad_request","message":"the text is not UTF-8","where":"line 1"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			// The line behind is answered in any case.
			got := answers(t, newShelf(func() {}), c.requests+"\n"+`{"id":9,"op":"near","body":{"text":"y"}}`)
			if want := []string{c.want, `{"id":9,"status":200,"body":{"matches":[],"total":0}}`}; !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestHostileLines(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	long := `{"id":1,"op":"near","body":{"text":"` + strings.Repeat("x", 5000) + `"}}`
	var out bytes.Buffer
	in := long + "\n" + deep[:4096] + "\n" + long[:4000] + "\n" + `{"id":2,"op":"list","body":` + deep[:4000] + "\n" + `{"id":9,"op":"near","body":{"text":"y"}}`
	if err := serve(t.Context(), newShelf(func() {}), iotest.HalfReader(strings.NewReader(in)), &out, Options{longest: 4096}); err != nil {
		t.Fatal(err)
	}
	var statuses []int
	for line := range strings.Lines(out.String()) {
		var a struct{ Status int }
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		statuses = append(statuses, a.Status)
	}
	if want := []int{413, 400, 400, 400, 200}; !slices.Equal(statuses, want) {
		t.Errorf("statuses %v, want %v", statuses, want)
	}
	if got := answers(t, newShelf(func() {}), `{"id":1,"op":"near","body":`+deep+"\n"+`{"id":2,"op":"near","body":{"text":"y"}}`); len(got) != 2 {
		t.Errorf("%d answers, want 2", len(got))
	}
}

// TestOrder compares requests that come at once with the same requests, each of which waits for the answer before it.
func TestOrder(t *testing.T) {
	for seed := range uint64(testkit.Of(5, 30)) {
		random := rand.New(rand.NewPCG(seed, 1))
		var requests []string
		for n := range 300 {
			op, body := "near", fmt.Sprintf(`{"text":"%d"}`, random.IntN(20))
			switch random.IntN(8) {
			case 0, 1, 2:
				op, body = "check_and_add", fmt.Sprintf(`{"id":"d%03d","text":"%d"}`, n, random.IntN(20))
			case 3:
				op, body = "delete", fmt.Sprintf(`[{"id":"d%03d"},{"id":"d%03d"}]`, random.IntN(n+1), random.IntN(n+1))
			}
			requests = append(requests, fmt.Sprintf(`{"id":%d,"op":%q,"body":%s}`, n, op, body))
		}
		var want []string
		alone := newShelf(func() {})
		for _, r := range requests {
			want = append(want, answers(t, alone, r)...)
		}
		got := answers(t, newShelf(func() {
			if rand.IntN(2) == 0 {
				time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
			}
		}), strings.Join(requests, "\n"))
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestWritesAreJoined sends writes while another one is made.
func TestWritesAreJoined(t *testing.T) {
	begun, goOn := make(chan struct{}, 1000), make(chan struct{})
	s := newShelf(func() { begun <- struct{}{}; <-goOn })
	in, requests := io.Pipe()
	ended := make(chan error)
	var out bytes.Buffer
	go func() { ended <- serve(t.Context(), s, in, &out, Options{}) }()
	check := func(n int) {
		fmt.Fprintf(requests, `{"id":%d,"op":"check_and_add","body":{"id":"%[1]d","text":"%[1]d"}}`+"\n", n)
	}
	check(0)
	<-begun
	for n := range 299 {
		check(1 + n)
	}
	fmt.Fprintln(requests, `{"id":300,"op":"check_and_add","body":{"id":"300","txt":"300"}}`)
	fmt.Fprintln(requests, `{"id":301,"op":"check_and_add","key":"k","body":{"id":"301","text":"301"}}`)
	fmt.Fprintln(requests, `{"id":302,"op":"near","body":{"text":"302"}}`)
	check(303)
	_ = requests.Close()
	close(goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if want := append(append([]string{"1", "256"}, slices.Repeat([]string{"1"}, 43)...), "1k", "1", "1"); !slices.Equal(s.calls, want) {
		t.Errorf("calls are %v, want %v", s.calls, want)
	}
	for n, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		status := 200
		if n == 300 {
			status = 400 // it alone, though it was joined to others
		}
		if !strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,"status":%d,`, n, status)) {
			t.Fatalf("answer %d is %s", n, line)
		}
	}
}

func TestReadOnly(t *testing.T) {
	var out bytes.Buffer
	in := `{"id":1,"op":"put","body":{"id":"a","text":"x"}}` + "\n" + `{"id":2,"op":"near","body":{"text":"x"}}`
	if err := serve(t.Context(), newShelf(func() {}), strings.NewReader(in), &out, Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, `{"id":1,"status":403,"body":{"error":{"code":"read_only"`) || !strings.Contains(got, `{"id":2,"status":200`) {
		t.Errorf("got %s", got)
	}
}

// TestStop stops a server that has read requests, and whose input has not ended.
func TestStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	s := newShelf(func() { begun <- struct{}{}; <-goOn })
	in, requests := io.Pipe()
	defer func() { _ = requests.Close() }()
	ended := make(chan error)
	var out bytes.Buffer
	go func() { ended <- serve(ctx, s, in, &out, Options{}) }()
	fmt.Fprintln(requests, `{"id":1,"op":"check_and_add","body":{"id":"a","text":"x"}}`)
	fmt.Fprintln(requests, `{"id":2,"op":"near","body":{"text":"x"}}`)
	fmt.Fprintln(requests, "") // what stands before it has been taken
	<-begun
	stop()
	close(goOn)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	want := `{"id":1,"status":200,"body":{"id":"a","new":true}}` + "\n" + `{"id":2,"status":200,"body":{"matches":[{"id":"a"}],"total":1}}` + "\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestNobodyListens has an output that fails.
func TestNobodyListens(t *testing.T) {
	gone := errors.New("gone")
	in, requests := io.Pipe()
	defer func() { _ = requests.Close() }()
	go func() {
		for range 3 {
			fmt.Fprintln(requests, `{"id":1,"op":"drop"}`)
		}
	}()
	err := serve(t.Context(), newShelf(func() {}), in, failing{gone}, Options{})
	if !errors.Is(err, gone) {
		t.Errorf("error %v, want %v", err, gone)
	}
	lost := errors.New("lost")
	if err := serve(t.Context(), newShelf(func() {}), iotest.ErrReader(lost), io.Discard, Options{}); !errors.Is(err, lost) {
		t.Errorf("error %v, want %v", err, lost)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestInteractive waits for each answer before the next request.
func TestInteractive(t *testing.T) {
	in, requests := io.Pipe()
	replies, out := io.Pipe()
	go func() { out.CloseWithError(serve(t.Context(), newShelf(func() {}), in, out, Options{})) }()
	r := bufio.NewReader(replies)
	for n := range 50 {
		fmt.Fprintf(requests, `{"id":%d,"op":"check_and_add","body":{"id":"%[1]d","text":"x%[1]d"}}`+"\n", n)
		got, err := r.ReadString('\n')
		if want := fmt.Sprintf(`{"id":%d,"status":200,"body":{"id":"%[1]d","new":true}}`+"\n", n); err != nil || got != want {
			t.Fatalf("got %s, want %s (%v)", got, want, err)
		}
	}
	_ = requests.Close()
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"id":1,"op":"near","body":{"text":"x"}}` + "\n{}\n[1]\n\"\xff\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if err := serve(t.Context(), newShelf(func() {}), bytes.NewReader(in), &out, Options{longest: 100}); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, line := range bytes.Split(in, []byte("\n")) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			var a struct {
				More bool
				Body json.RawMessage
			}
			if err := json.Unmarshal(line, &a); err != nil || len(a.Body) == 0 {
				t.Fatalf("%q is no answer (%v)", line, err)
			}
			if !a.More {
				lines--
			}
		}
		if lines != 0 {
			t.Errorf("%d lines more than answers", lines)
		}
	})
}
