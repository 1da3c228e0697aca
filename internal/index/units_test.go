package index

import (
	"math"
	"slices"
	"testing"

	"simsearch/internal/analysis"
)

// Pairs of units are what counting for each two units says.
func TestUnitPairs(t *testing.T) {
	t.Parallel()
	texts := nearTexts(240)
	texts = append(texts, texts[:60]...) // some are equal
	dir := t.TempDir()
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 2, Input: Input{KeepFields: "three,five"}}, withFields(texts, 0))
	ix := mustOpen(t, dir)
	const units = 7
	of := make([]uint32, len(texts))
	for doc := range of {
		of[doc] = uint32(doc * doc % 11)
		if of[doc] >= units {
			of[doc] = NoUnit
		}
	}
	for _, where := range [][]Where{nil, {{"three", func(v []byte) bool { return string(v) != "1" }}}} {
		for _, p := range []Predicate{Within(8), Similar(0.5)} {
			takesPart := func(doc uint32) bool { return of[doc] != NoUnit && (where == nil || doc%3 != 1) }
			near := map[[2]uint32]bool{} // a document, and a unit near it
			for _, pair := range similarPairs(t, ix, p, PairOptions{Threads: 2}) {
				if takesPart(pair.A) && takesPart(pair.B) {
					near[[2]uint32{pair.A, of[pair.B]}], near[[2]uint32{pair.B, of[pair.A]}] = true, true
				}
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
				got, err := ix.UnitPairs(t.Context(), p, PairOptions{Threads: 2, Where: where, PairsInMemory: hold, Groups: true}, of)
				if err != nil || len(got) != len(want) || len(want) < 4 {
					t.Fatalf("%+v: %d pairs, want %d: %v", p, len(got), len(want), err)
				}
				last := math.Inf(1)
				for _, u := range got {
					if u != want[[2]uint32{u.A, u.B}] || u.Share() > last || u.Share() > 1 {
						t.Errorf("%+v: %+v, want %+v", p, u, want[[2]uint32{u.A, u.B}])
					}
					last = u.Share()
				}
				if !slices.ContainsFunc(got, func(u UnitPair) bool { return u.NearA != u.NearB }) {
					t.Error("all pairs are symmetric: too easy a test")
				}
			}
		}
	}
	if _, err := ix.UnitPairs(t.Context(), Within(3), PairOptions{Threads: 1}, of[1:]); err == nil {
		t.Error("a document without a unit passes")
	}
}
