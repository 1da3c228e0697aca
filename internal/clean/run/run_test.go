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
	for doc, err := range q.Documents(q.Reader, nil, nil) {
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
	if err != nil || q.Missed.Bad != 1 {
		t.Fatalf("%v, %d documents that cannot be read", err, q.Missed.Bad)
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

// What cannot be read is a document if others of its file can be read, before it or after it, and else the file, once.
func TestMissed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"before.jsonl": "{bad\n{bad\n{\"id\":\"a\",\"text\":\"one\"}\n{bad\n", "none.jsonl": "{bad\n{bad\n",
		"odd.docx": "PK\x03\x04", "zero.txt": "\x00", "packed.txt.gz": "\x1f\x8bgarbage", "fine.txt": "two",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q := &question{}
	if err := Ask(t.Context(), []string{dir}, filepath.Join(t.TempDir(), "out"), Options{Threads: 2}, q); err != nil {
		t.Fatal(err)
	}
	if want := (Missed{Bad: 3, LeftOut: 4, Damaged: 3}); q.Missed != want || len(q.seen) != 2 {
		t.Errorf("%+v, want %+v; documents %q", q.Missed, want, q.seen)
	}
	for i, name := range []string{"none.jsonl", "odd.docx", "packed.txt.gz", "zero.txt"} {
		if is := NewLeftOut(q.Left[i]); filepath.Base(is.Source) != name || is.Copied != (name != "zero.txt") {
			t.Errorf("%+v, want %s", is, name)
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
