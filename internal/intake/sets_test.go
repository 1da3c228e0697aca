package intake

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"simsearch/document"
)

// lines yields a document for each line, an id and items.
func lines(text string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for line := range strings.Lines(text) {
			id, items, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if !yield(&document.Document{ID: []byte(id), Text: []byte(items)}, nil) {
				return
			}
		}
	}
}

func TestGatheredSets(t *testing.T) {
	const bought = "ann\tpen ink\nbob\tpen\nann\tcup pen\ncat\t\nd d\tink\nbob\tcup\n"
	for transpose, want := range map[bool][]string{
		false: {"ann: pen ink cup", "bob: pen cup", "d d: ink"},
		true:  {"refused", "pen: ann bob", "ink: ann", "cup: ann bob"},
	} {
		var got []string
		for doc, err := range GatheredSets(t.Context(), lines(bought), transpose, func(string) { got = append(got, "refused") }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s: %s", doc.ID, doc.Text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("transpose %v: %q, want %q", transpose, got, want)
		}
	}
	for _, err := range GatheredSets(t.Context(), lines(bought), false, nil) {
		if err != nil {
			t.Error(err)
		}
		break // leaves nothing behind, and does not panic
	}
	for doc, err := range GatheredSets(t.Context(), lines(""), true, nil) {
		t.Errorf("%v of nothing, %v", doc, err)
	}
}
