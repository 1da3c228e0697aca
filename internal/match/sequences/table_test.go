package sequences

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Each sequence of a text has a seed that another text with the same sequence has, too: a table of the seeds of one
// text has it, its filter lets it pass, and it stands at the same place of the sequence.
func TestSeedsOfEqualSequences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		n := 2 + rng.IntN(12)
		gram := 1 + rng.IntN(n)
		sequence := make([]uint64, n)
		for i := range sequence {
			sequence[i] = rng.Uint64() >> (60 * (round % 2)) // of many words, or of few
		}
		text := func() []uint64 {
			before, behind := make([]uint64, rng.IntN(20)), make([]uint64, rng.IntN(20))
			for i := range before {
				before[i] = rng.Uint64()
			}
			for i := range behind {
				behind[i] = rng.Uint64()
			}
			return slices.Concat(before, sequence, behind)
		}
		a, b := text(), text()
		var of, in Grams
		of.Read(a, gram, n)
		var entries []uint64
		for _, at := range of.Seeds {
			entries = append(entries, Entry(of.Hashes[at], uint32(at)))
		}
		table := NewTable(entries)
		table.Index()
		in.Read(b, gram, n)
		likely := table.AppendLikely(nil, in.Seeds, in.Hashes)
		shared := false
		for some := range slices.Chunk(likely, 8) {
			var found [8][]uint64
			table.Find(found[:], some, in.Hashes)
			for i, at := range some {
				for _, e := range found[i] {
					from, to := int(uint32(e)), int(at)
					for from > 0 && to > 0 && a[from-1] == b[to-1] {
						from, to = from-1, to-1
					}
					shared = shared || len(a)-from >= n && len(b)-to >= n && slices.Equal(a[from:from+n], b[to:to+n])
				}
			}
		}
		if !shared {
			t.Fatalf("round %d: no seed of %d words leads to the %d words that both have:\n%v\n%v", round, gram, n, a, b)
		}
		if all := table.AppendAllLikely(nil, in.Hashes); len(all) < len(likely) {
			t.Fatalf("round %d: %d of all places may be in the table, and %d of some", round, len(all), len(likely))
		}
	}
	var one Grams
	if one.Read([]uint64{1, 2, 3}, 3, 3); len(one.Hashes) != 1 || len(one.Seeds) != 1 {
		t.Errorf("a text of one gram has the hashes %v and the seeds %v", one.Hashes, one.Seeds)
	}
	if one.Read([]uint64{1, 2}, 3, 3); len(one.Hashes)+len(one.Seeds) > 0 {
		t.Errorf("a text of no gram has the hashes %v and the seeds %v", one.Hashes, one.Seeds)
	}
}
