package index

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
)

// withFields yields documents whose fields are their number modulo 3 and, for every other one, modulo 5.
func withFields(texts []string, from int) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for d, err := range numbered(texts, from) {
			d.Fields = document.AppendField(nil, fmt.Append(nil, from%3), true)
			d.Fields = document.AppendField(d.Fields, fmt.Append(nil, from%5), from%2 == 0)
			if from++; !yield(d, err) {
				return
			}
		}
	}
}

// What is found with conditions is what is found without them, of the documents that meet them.
func TestWhere(t *testing.T) {
	t.Parallel()
	texts := nearTexts(160)
	dir := t.TempDir()
	o := WriterOptions{Threads: 2, Input: Input{KeepFields: "three,five"}}
	addWith(t, dir, analysis.Default(), o, withFields(texts[:100], 0))
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 1}, withFields(texts[100:], 100))
	ix := mustOpen(t, dir)
	is := func(want string) func([]byte) bool { return func(v []byte) bool { return string(v) == want } }
	for _, where := range [][]Where{{{"three", is("1")}}, {{"five", is("2")}}, {{"three", is("0")}, {"five", is("4")}}, {{"three", is("7")}}} {
		passes := func(doc uint32) bool {
			for _, w := range where {
				value, ok := fmt.Append(nil, doc%3), true
				if w.Field == "five" {
					value, ok = fmt.Append(nil, doc%5), doc%2 == 0
				}
				if !ok || !w.Is(value) {
					return false
				}
			}
			return true
		}
		for _, p := range []Predicate{Within(20), Similar(0.4), WithinAndSimilar(30, 0.3)} {
			var want []Pair
			for _, pair := range similarPairs(t, ix, p, PairOptions{Threads: 2}) {
				if passes(pair.A) && passes(pair.B) {
					want = append(want, pair)
				}
			}
			if got := similarPairs(t, ix, p, PairOptions{Threads: 2, Where: where}); !slices.Equal(got, want) {
				t.Errorf("%+v: %d pairs, want %d", p, len(got), len(want))
			}
			for _, o := range []Options{{}, {Limit: 2}, {Nearest: 3}} {
				if o.Nearest > 0 && p.Kind.NoNearest != "" {
					continue
				}
				o.Predicate, o.Threads = p, 2
				limit := max(o.Limit, o.Nearest)
				all := o
				if all.Limit = 0; all.Nearest > 0 {
					all.Nearest = len(texts)
				}
				o.Where = where
				for _, text := range texts[:6] {
					full, err := ix.Near(t.Context(), Text([]byte(text)), all)
					if err != nil {
						t.Fatal(err)
					}
					want := slices.DeleteFunc(full.Matches, func(m Match) bool { return !passes(m.Document) })
					if limit > 0 {
						want = want[:min(limit, len(want))]
					}
					got, err := ix.Near(t.Context(), Text([]byte(text)), o)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.EqualFunc(got.Matches, want, func(x, y Match) bool { return x.Document == y.Document }) {
						t.Errorf("%+v: %d matches, want %d", o, len(got.Matches), len(want))
					}
				}
			}
		}
	}
	if _, err := ix.Near(t.Context(), Text([]byte("a")), Options{Predicate: Within(3), Where: []Where{{"four", is("")}}}); !errors.Is(err, ErrNoSearch) {
		t.Errorf("a field that is not kept: %v", err)
	}
	w, err := OpenWriter(dir, analysis.Default(), WriterOptions{Input: Input{KeepFields: "other"}})
	if err == nil {
		_ = w.Close()
	}
	if !errors.Is(err, ErrSettings) {
		t.Errorf("other fields for the same index: %v", err)
	}
}
