package intake

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/files/document"
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
		true:  {"pen: ann bob", "ink: ann d_d", "cup: ann bob"},
	} {
		var got []string
		for doc, err := range GatheredSets(t.Context(), lines(bought), transpose, func() bool { return false }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s: %s", doc.ID, doc.Text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("transpose %v: %q, want %q", transpose, got, want)
		}
	}
	for _, err := range GatheredSets(t.Context(), lines(bought), false, func() bool { return false }) {
		if err != nil {
			t.Error(err)
		}
		break // leaves nothing behind, and does not panic
	}
	for doc, err := range GatheredSets(t.Context(), lines(""), true, func() bool { return false }) {
		t.Errorf("%v of nothing, %v", doc, err)
	}
}

// A row of a table is one item, whatever white space it has.
func TestGatheredRows(t *testing.T) {
	const bought = "ann lee\tred  pen\nbob\tred pen\nann lee\tink\ncat\t \nbob\tred  pen\n"
	for transpose, want := range map[bool][]string{
		false: {"ann lee: red_pen ink", "bob: red_pen"},
		true:  {"red pen: ann_lee bob", "ink: ann_lee"},
	} {
		var got []string
		for doc, err := range GatheredSets(t.Context(), lines(strings.ReplaceAll(bought, "  ", " ")), transpose, func() bool { return true }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s: %s", doc.ID, doc.Text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("transpose %v: %q, want %q", transpose, got, want)
		}
	}
}
