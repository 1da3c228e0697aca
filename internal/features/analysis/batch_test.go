package analysis

import (
	"iter"
	"strings"
	"testing"
	"time"

	"simsearch/internal/files/document"
)

// large returns a text whose analysis has to wait for its turn.
func large(word string) string { return strings.Repeat(word+" ", largeBytes/(len(word)+1)+1) }

// docs yields documents. The arguments are ids and texts in turn.
func docs(idsAndTexts ...string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i := 0; i < len(idsAndTexts); i += 2 {
			if !yield(&document.Document{ID: []byte(idsAndTexts[i]), Text: []byte(idsAndTexts[i+1])}, nil) {
				return
			}
		}
	}
}

// A batch with a large document is given out only after the batch before it is analysed. Small
// batches need not wait.
func TestLargeDocumentsTakeTurns(t *testing.T) {
	t.Parallel()
	one := func() int { return 1 }
	out := make(chan *Batch)
	go func() {
		defer close(out)
		for b, err := range batches(docs("a", large("one"), "b", "small", "c", large("two"), "d", "small", "e", "small", "f", large("three")), one, make(freeBatches, 4)) {
			if err != nil {
				t.Error(err)
			}
			out <- b
		}
	}()
	var held *Batch
	for want := range strings.SplitSeq("a b c d e f", " ") {
		isLarge := strings.Contains("a c f", want)
		if isLarge && held != nil {
			select {
			case b := <-out:
				t.Fatalf("%s comes while another one is being analysed", b.Result(0).ID)
			case <-time.After(20 * time.Millisecond):
			}
			held.done()
		}
		b := <-out
		if got := string(b.Result(0).ID); got != want || b.large != isLarge {
			t.Fatalf("%s, large: %v; want %s, %v", got, b.large, want, isLarge)
		}
		if isLarge {
			held = b
		}
	}
	if b := <-out; b != nil {
		t.Errorf("another one: %s", b.Result(0).ID)
	}
}

// The memory of a large document is not kept. The memory of small ones is.
func TestLargeDocumentsAreForgotten(t *testing.T) {
	t.Parallel()
	s := Classic()
	s.Mode = Both
	a, err := New(s.Canonical())
	if err != nil {
		t.Fatal(err)
	}
	for text, kept := range map[string]bool{"a few words": true, large("word"): false} {
		b := new(Batch)
		b.add(&document.Document{ID: []byte("id"), Text: []byte(text)})
		if err := b.analyse(a); err != nil {
			t.Fatal(err)
		}
		if !b.results[0].HasFingerprint || len(b.features) != len(b.scratch.distinct()) && kept {
			t.Fatalf("%.20s: it was not analysed", text)
		}
		if got := cap(b.scratch.hashes) > 0; got != kept {
			t.Errorf("%.20s: scratch memory is kept: %v, want %v", text, got, kept)
		}
		b.reset()
		if got := cap(b.bytes) > 0 && cap(b.features) > 0; got != kept || b.Len() > 0 || b.large {
			t.Errorf("%.20s: memory is kept: %v, want %v; %d documents, large: %v", text, got, kept, b.Len(), b.large)
		}
	}
}
