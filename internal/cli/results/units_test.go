package results

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
)

// nearTexts returns n texts, many of which are copies of others with some words replaced.
func nearTexts(n int) (texts []string) {
	r, g := rand.New(rand.NewPCG(11, 4)), testkit.NewWords(9)
	for i := range n {
		if i == 0 || r.IntN(3) == 0 {
			texts = append(texts, g.Text(20+r.IntN(120)))
			continue
		}
		words := strings.Fields(texts[r.IntN(i)])
		for range r.IntN(1 + len(words)/6) {
			words[r.IntN(len(words))] = fmt.Sprint("w", r.IntN(1000))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	return texts
}

// indexWithFields returns an index of texts. The field three of a document is its number modulo 3.
func indexWithFields(t *testing.T, texts []string) *index.Snapshot {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "idx")
	w, err := index.OpenWriter(dir, analysis.Default(), index.WriterOptions{Threads: 2, Input: index.Input{KeepFields: "three"}})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Ingest(t.Context(), func(yield func(*document.Document, error) bool) {
		for i, text := range texts {
			fields := document.AppendField(nil, fmt.Append(nil, i%3), true)
			if !yield(&document.Document{ID: fmt.Append(nil, i), Text: []byte(text), Fields: fields}, nil) {
				return
			}
		}
	})
	if err == nil {
		_, err = w.Commit(t.Context())
	}
	ix, openErr := index.Open(dir)
	if err := errors.Join(err, w.Close(), openErr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

// Pairs of units are what counting for each two units says.
func TestUnitPairs(t *testing.T) {
	t.Parallel()
	texts := nearTexts(240)
	texts = append(texts, texts[:60]...) // some are equal
	ix := indexWithFields(t, texts)
	const units = 7
	of := make([]uint32, len(texts))
	for doc := range of {
		of[doc] = uint32(doc * doc % 11)
		if of[doc] >= units {
			of[doc] = noUnit
		}
	}
	for _, where := range [][]index.Where{nil, {{Field: "three", Is: func(v []byte) bool { return string(v) != "1" }}}} {
		for _, p := range []index.Predicate{index.Within(8), index.Similar(0.5)} {
			takesPart := func(doc uint32) bool { return of[doc] != noUnit && (where == nil || doc%3 != 1) }
			near := map[[2]uint32]bool{} // a document, and a unit near it
			err := ix.Pairs(t.Context(), p, index.PairOptions{Threads: 2}, func(pair index.Pair) error {
				if takesPart(pair.A) && takesPart(pair.B) {
					near[[2]uint32{pair.A, of[pair.B]}], near[[2]uint32{pair.B, of[pair.A]}] = true, true
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := map[[2]uint32]UnitPair{}
			for a := range uint32(units) {
				for b := a + 1; b < units; b++ {
					u := UnitPair{A: a, B: b}
					for doc := range uint32(len(of)) {
						switch {
						case !takesPart(doc):
						case of[doc] == a:
							u.TotalA++
							if near[[2]uint32{doc, b}] {
								u.NearA++
							}
						case of[doc] == b:
							u.TotalB++
							if near[[2]uint32{doc, a}] {
								u.NearB++
							}
						}
					}
					if u.NearA > 0 {
						want[[2]uint32{a, b}] = u
					}
				}
			}
			for _, hold := range []int{0, 5} {
				got, err := (&Units{Of: of}).Pairs(t.Context(), ix, p, index.PairOptions{Threads: 2, Where: where, PairsInMemory: hold, Groups: true})
				if err != nil || len(got) != len(want) || len(want) < 4 {
					t.Fatalf("%+v: %d pairs, want %d: %v", p, len(got), len(want), err)
				}
				last := math.Inf(1)
				for _, u := range got {
					if u != want[[2]uint32{u.A, u.B}] || u.share() > last || u.share() > 1 {
						t.Errorf("%+v: %+v, want %+v", p, u, want[[2]uint32{u.A, u.B}])
					}
					last = u.share()
				}
				if !slices.ContainsFunc(got, func(u UnitPair) bool { return u.NearA != u.NearB }) {
					t.Error("all pairs are symmetric: too easy a test")
				}
			}
		}
	}
}
