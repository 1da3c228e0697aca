package eval

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/truth"
	"simsearch/internal/tests/testkit"
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
	documents := func(yield func(*document.Document, error) bool) {
		for pair := range slices.Chunk(texts, 2) {
			if !yield(&document.Document{ID: []byte(pair[0]), Text: []byte(pair[1])}, nil) {
				return
			}
		}
	}
	for _, truth := range []string{"", "word:3"} {
		c, err := Load(t.Context(), documents, LoadOptions{Settings: analysis.Classic(), Truth: truth, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != 2 {
			t.Fatalf("%d documents, want 2", c.Len())
		}
		if err := errors.Join(c.Weigh(t.Context()), c.sign(t.Context())); err != nil {
			t.Fatal(err)
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
			fp, has, err := ix.Long(uint32(i))
			if err != nil || has != (len(c.Sets[i]) > 0) || fp[0] != c.Fingerprints[i] {
				t.Errorf("document %d: the index has features: %v; they are evaluated: %v; fingerprints %x and %x", i, has, len(c.Sets[i]) > 0, fp[0], c.Fingerprints[i])
			}
			if signature, _, err := ix.Signature(uint32(i)); err != nil || !bytes.Equal(signature, c.signatures[i]) {
				t.Errorf("document %d: the index has the signature %x, evaluated is %x", i, signature, c.signatures[i])
			}
		}
		if len(c.Truth.All) > 0 {
			t.Errorf("truth %q: %v, of a document without features", truth, c.Truth)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Of a collection that does not fit into the memory, documents are drawn, and pairs of these are evaluated.
func TestDocumentsAreDrawnIfTheMemoryIsShort(t *testing.T) {
	var texts []string
	words := testkit.NewWords(3)
	for range 3000 {
		text := words.Text(100)
		texts = append(texts, text, text+" and more")
	}
	const memory = 16 << 20
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := LoadOptions{Settings: analysis.Classic(), Truth: "word:3", Threads: 2, Seed: 5}
	whole, err := Load(t.Context(), documents(texts), o)
	if err != nil {
		t.Fatal(err)
	}
	all := map[[2]string]float64{}
	for _, p := range whole.Truth.All {
		all[[2]string{string(whole.texts.docs[p.A].ID), string(whole.texts.docs[p.B].ID)}] = p.Jaccard
	}
	whole = nil
	o.Memory = memory
	c, err := Load(t.Context(), documents(texts), o)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for pair, jaccard := range all {
		a, okA := c.Find(pair[0])
		b, okB := c.Find(pair[1])
		if !okA || !okB {
			continue
		}
		want++
		if p, _ := c.Truth.Find(a, b); p.Jaccard != jaccard {
			t.Errorf("%v: %v, want %v", pair, p.Jaccard, jaccard)
		}
	}
	if want < 20 || len(c.Truth.All) != want || c.Len() > len(texts)/2 {
		t.Errorf("%d documents were drawn, with %d pairs of %d; want %d", c.Len(), len(c.Truth.All), len(all), want)
	}
	if err := c.Judge(strings.NewReader(`{"cluster": ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11"]}`)); err != nil || c.Labels.Unknown > 0 {
		t.Errorf("%+v, %v", c.Labels, err)
	}
	experiments, err := FindExperiments([]string{"distances", "thresholds"}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), c, experiments, func(string) {
		runtime.GC() // what pools have is let go by the second collection
		runtime.GC()
		runtime.ReadMemStats(&after)
		if took := int64(after.HeapAlloc) - int64(before.HeapAlloc); took > memory {
			t.Errorf("%d bytes are held, want %d", took, memory)
		}
	})
	if err != nil || !strings.Contains(strings.Join(r.Warnings, " "), fmt.Sprintf("of 6,000 documents, %s were drawn", terminal.Thousands(c.Len()))) {
		t.Errorf("%q, %v", r.Warnings, err)
	}
	if err := c.Judge(strings.NewReader(`{"a": "x", "b": "y"}`)); !errors.Is(err, truth.ErrLabels) || !strings.Contains(err.Error(), "(of the documents, only ") {
		t.Error(err)
	}
}

// If too many pairs are near for the memory, half of the documents are tried.
func TestDocumentsAreDrawnIfPairsAreMany(t *testing.T) {
	t.Parallel()
	texts := make([]string, 300) // 44,850 pairs
	for i := range texts {
		texts[i] = fmt.Sprint("all of these texts have the same words but for the last of them ", i)
	}
	c, err := Load(t.Context(), documents(texts), LoadOptions{Settings: analysis.Classic(), Threads: 2, Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Len(); !c.texts.drawn || n < 2 || len(c.Truth.All) != n*(n-1)/2 || len(c.Truth.All) > 8<<20/pairBytes {
		t.Errorf("%d documents, %d pairs", n, len(c.Truth.All))
	}
}

// Of more texts than manyTexts, about as many are drawn; of fingerprints, all are evaluated.
func TestDocumentsAreDrawnIfTheyAreMany(t *testing.T) {
	t.Parallel()
	many := func(yield func(*document.Document, error) bool) {
		for i := range manyTexts + 1 {
			if !yield(&document.Document{ID: fmt.Append(nil, i), HasFingerprint: true}, nil) {
				return
			}
		}
	}
	for _, fingerprints := range []bool{false, true} {
		got, err := readTexts(many, LoadOptions{Fingerprints: fingerprints})
		if n := len(got.docs); err != nil || got.drawn == fingerprints || fingerprints != (n > manyTexts) || n < manyTexts/2 {
			t.Errorf("fingerprints: %v: %d are evaluated, %v", fingerprints, n, err)
		}
	}
}
