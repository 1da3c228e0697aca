package eval

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/index"
	"simsearch/section"
)

// Of several documents with one id, the first is evaluated, even if it has no features: it is the one that
// the index has.
func TestTheFirstDocumentOfAnIDStays(t *testing.T) {
	texts := []string{
		"empty", "... !",
		"full", "the mill by the river grinds the corn of the valley",
		"empty", "the mill by the river grinds the corn of the whole valley",
		"full", "another text altogether that nobody asked for, once more",
		"full", "... !",
	}
	documents := func() iter.Seq2[*document.Document, error] {
		return func(yield func(*document.Document, error) bool) {
			for pair := range slices.Chunk(texts, 2) {
				if !yield(&document.Document{ID: []byte(pair[0]), Text: []byte(pair[1])}, nil) {
					return
				}
			}
		}
	}
	for _, truth := range []string{"", "word:3"} {
		c, err := Load(t.Context(), documents, LoadOptions{Settings: analysis.Classic(), Truth: truth, Floor: 0.1, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != 2 {
			t.Fatalf("%d documents, want 2", c.Len())
		}
		var s analysis.Scratch
		for i, text := range []string{texts[1], texts[3]} {
			want := c.Index.Analysis().Set(&s, []byte(text))
			if !slices.Equal(c.Sets[i], want) || len(c.Weights[i]) != len(want) || c.Words[i] != s.Document.Len() {
				t.Errorf("truth %q, document %d: %d features, %d words, want %d of %q", truth, i, len(c.Sets[i]), c.Words[i], len(want), text)
			}
			if _, has, err := c.Index.Fingerprint(uint32(i)); err != nil || has != (len(c.Sets[i]) > 0) {
				t.Errorf("document %d: the index has features: %v; they are evaluated: %v", i, has, len(c.Sets[i]) > 0)
			}
		}
		if len(c.Truth) > 0 {
			t.Errorf("truth %q: %v, of a document without features", truth, c.Truth)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// If an id of a label cannot be looked up, that is an error: the id is not counted as unknown.
func TestLabelsOfACorruptIndex(t *testing.T) {
	broken := errors.New("broken")
	for _, lines := range []string{`{"a": "x", "b": "y"}`, `{"cluster": ["x", "y"]}`} {
		_, err := ReadLabels(strings.NewReader(lines), func(string) (uint32, bool, error) { return 0, false, broken })
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v", lines, err)
		}
	}

	dir := t.TempDir()
	w, err := index.OpenWriter(dir, analysis.Classic(), index.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Ingest(t.Context(), func(yield func(*document.Document, error) bool) {
		_ = yield(&document.Document{ID: []byte("d0"), Text: []byte("some text")}, nil) && yield(&document.Document{ID: []byte("d1"), Text: []byte("some more text")}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	_, err = w.Commit(t.Context())
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	c := &Collection{}
	if c.Index, err = index.Open(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, ok, err := c.Find("d1"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	data, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	f.Sections(func(name string, offset, length uint64) bool {
		if name == "ids.order" {
			copy(data[offset:offset+length], bytes.Repeat([]byte{0xff}, int(length)))
		}
		return true
	})
	if err := os.WriteFile(segments[0], data, 0o666); err != nil { // in place: the map shows it
		t.Fatal(err)
	}
	if _, ok, err := c.Find("d1"); ok || !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("the id of a damaged index: %v, %v", ok, err)
	}
}
