package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
)

// A question drops the documents with some ids.
type question struct {
	*Run
	drops []string
	fails error
	seen  []string
}

func (q *question) Begin(r *Run) (Plan, error) {
	q.Run = r
	return Plan{By: "dedup", Writes: []string{RemovedName}, Again: "is read twice"}, nil
}

func (q *question) Answer() error {
	for doc, err := range Documents(q.Reader, func(_ int, is *corpus.BadError) { q.TellBad(is) }, nil) {
		if err != nil {
			return err
		}
		q.seen = append(q.seen, string(doc.ID))
	}
	work := func(ctx context.Context, file int) (rewrite.Result, error) {
		return q.Rewrite(ctx, file, func(doc *document.Document) (rewrite.Decision, error) {
			return rewrite.Decision{Drop: slices.Contains(q.drops, string(doc.ID))}, nil
		})
	}
	err := EachFile(q.Run, work, func(int, rewrite.Result) error { return nil })
	list := q.List(RemovedName, func(row func(any) error) error { return row(map[string]string{"id": "b"}) })
	return errors.Join(err, list, q.fails)
}

func (q *question) Report() (any, func(io.Writer) error) {
	return struct {
		Seen []string `json:"seen"`
	}{q.seen}, func(w io.Writer) error { _, err := w.Write([]byte("page")); return err }
}

func (q *question) Close() error { return nil }

func ask(t *testing.T, q *question) (in, out string, err error) {
	t.Helper()
	in, out = filepath.Join(t.TempDir(), "in.jsonl"), filepath.Join(t.TempDir(), "out")
	const text = "{\"id\":\"a\",\"text\":\"one\"}\n{bad\n{\"id\":\"b\",\"text\":\"two\"}\n"
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return in, out, Ask(t.Context(), []string{in}, out, Options{Threads: 2}, q)
}

func TestAsk(t *testing.T) {
	q := &question{drops: []string{"b"}}
	_, out, err := ask(t, q)
	if err != nil || q.Unread != 1 {
		t.Fatalf("%v, %d documents that cannot be read", err, q.Unread)
	}
	for name, want := range map[string]string{
		KeptName + "/in.jsonl": "{\"id\":\"a\",\"text\":\"one\"}\n{bad\n", RemovedName: "{\"id\":\"b\"}\n",
		ReportName: "{\n \"seen\": [\n  \"a\",\n  \"b\"\n ]\n}\n", PageName: "page",
	} {
		path := filepath.Join(out, name)
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: who may not read the input may read this: %v", name, info.Mode())
		}
	}
}

// A run that fails leaves nothing, and one does not write where it reads.
func TestAskFails(t *testing.T) {
	fails := errors.New("it fails")
	_, out, err := ask(t, &question{fails: fails})
	if left, _ := os.ReadDir(out); !errors.Is(err, fails) || len(left) > 0 {
		t.Errorf("%v, and %v is left", err, left)
	}
	in, _, _ := ask(t, &question{})
	if err := Ask(t.Context(), []string{in}, filepath.Dir(in), Options{Threads: 1}, &question{}); err == nil {
		t.Error("the directory of the input is written to")
	}
}

// However many rows are added, those stay that come first in the order, and of equal ones the first.
func TestTop(t *testing.T) {
	top := Top[[2]int]{Most: 3, Order: func(a, b [2]int) int { return b[0] - a[0] }}
	for i := range 1000 {
		top.Add([2]int{i % 7 / 2, i})
	}
	top.Trim()
	if want := [][2]int{{3, 6}, {3, 13}, {3, 20}}; !slices.Equal(top.Rows, want) {
		t.Errorf("got %v, want %v", top.Rows, want)
	}
}
