package intake

import (
	"bufio"
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
)

// randomSet returns a set that often resembles one of the others.
func randomSet(r *rand.Rand, others [][]uint64) []uint64 {
	in := map[uint64]bool{}
	word := func() uint64 { return (1 + uint64(r.ExpFloat64()*40)) * 0x9e3779b97f4a7c15 } // some are frequent
	if len(others) > 0 && r.IntN(3) > 0 {
		drop := []int{6, 20, 1 << 30}[r.IntN(3)]
		for _, x := range others[r.IntN(len(others))] {
			if r.IntN(drop) > 0 {
				in[x] = true
			}
		}
	}
	for range 1 + r.IntN(25) {
		if len(in) < 4 || r.IntN(5) == 0 {
			in[word()] = true
		}
	}
	set := []uint64{}
	for x := range in {
		set = append(set, x)
	}
	slices.Sort(set)
	return set
}

// Records are new if a scan of those before finds none that is near.
func TestPassingAgainstAScan(t *testing.T) {
	for _, p := range []index.Predicate{index.Within(0), index.Within(3), index.Within(12), index.Similar(0.3), index.Similar(0.8), index.Similar(1), index.WithinAndSimilar(5, 0.5)} {
		for _, width := range []int{32, 64} {
			t.Run(fmt.Sprint(p.Kind.Name, p.Distance, p.Threshold, width), func(t *testing.T) { passes(t, p, width) })
		}
	}
}

func passes(t *testing.T, p index.Predicate, width int) {
	r := rand.New(rand.NewPCG(uint64(p.Distance), uint64(width)))
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	passing, err := NewPassing(p, width, w)
	if err != nil {
		t.Fatal(err)
	}
	defer passing.Close() //nolint:errcheck // it is in memory
	var sets [][]uint64   // of new records
	var all []analysis.Result
	found := 0
	for i := range testkit.Of(600, 3000) {
		q := analysis.Result{Set: randomSet(r, sets), Document: document.Document{HasFingerprint: true, Fingerprint: r.Uint64() >> (64 - width)}}
		if len(all) > 0 && r.IntN(3) > 0 {
			like := r.IntN(len(all))
			q.Fingerprint = all[like].Fingerprint
			q.Set = randomSet(r, sets[like:like+1])
			for range r.IntN(p.Distance + 3) {
				q.Fingerprint ^= 1 << r.IntN(width)
			}
		}
		near := slices.ContainsFunc(all, func(before analysis.Result) bool {
			m := index.Measures{Distance: bits.OnesCount64(before.Fingerprint ^ q.Fingerprint), Value: ints.Jaccard(before.Set, q.Set)}
			return p.Reached(&m)
		})
		out.Reset()
		q.Note = Passed{Record: []byte("passed")}
		a := index.Answer{ID: fmt.Appendf(nil, "r%d", i), Result: &q}
		if err := passing.Decide(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		_ = w.Flush()
		if isNew := out.Len() > 0; isNew == near {
			t.Fatalf("record %d: new %v, and near %v", i, isNew, near)
		}
		if near {
			found++
		} else {
			q.ID = a.ID
			kept := q
			kept.Set = slices.Clone(q.Set)
			all, sets = append(all, kept), append(sets, kept.Set)
		}
		clear(q.Set) // it is valid during the call
	}
	if found < 20 || len(all) < 20 {
		t.Errorf("%d are near, %d are new", found, len(all))
	}
}
