package eval

import (
	"bytes"
	"iter"
	"slices"
	"testing"

	"simsearch/analysis"
	"simsearch/document"
)

// Of several documents with one id, the first is evaluated, even if it has no features: it is the one that
// an index has.
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
		ix, err := c.Index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{texts[1], texts[3]} {
			want := ix.Analysis().Set(&s, []byte(text))
			if !slices.Equal(c.Sets[i], want) || len(c.Weights[i]) != len(want) || c.Words[i] != s.Document.Len() {
				t.Errorf("truth %q, document %d: %d features, %d words, want %d of %q", truth, i, len(c.Sets[i]), c.Words[i], len(want), text)
			}
			fp, has, err := ix.Fingerprint(uint32(i))
			if err != nil || has != (len(c.Sets[i]) > 0) || fp != c.Fingerprints[i] {
				t.Errorf("document %d: the index has features: %v; they are evaluated: %v; fingerprints %x and %x", i, has, len(c.Sets[i]) > 0, fp, c.Fingerprints[i])
			}
			if signature, _, err := ix.Signature(uint32(i)); err != nil || !bytes.Equal(signature, c.signatures[i]) {
				t.Errorf("document %d: the index has the signature %x, evaluated is %x", i, signature, c.signatures[i])
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
