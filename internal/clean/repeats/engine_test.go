package repeats

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
)

// found returns what the engine finds in documents of the given words, with a sorter that spills.
func found(tb testing.TB, documents [][]uint64, n, threads int) (all [][]referencePiece) {
	tb.Helper()
	e := newEngine(n, threads, 1, disk.OS, tb.TempDir())
	defer func() {
		if err := e.close(); err != nil {
			tb.Error(err)
		}
	}()
	p := e.parts[0]
	for _, words := range documents {
		p.add(encoded(words))
	}
	if err := p.finish(); err != nil {
		tb.Fatal(err)
	}
	is, err := e.find(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	all = make([][]referencePiece, len(documents))
	for i, doc := range is.docs {
		for _, p := range is.of(i) {
			source, at := e.documentAt(p.source)
			all[doc] = append(all[doc], referencePiece{int(p.from), int(p.to), int(source), at})
		}
	}
	if err := is.list.Close(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// What is found is what the definition says, as a whole, with sources: in texts of few words, which repeat themselves
// and overlap, in texts with copies of parts of others, and where many documents have a passage.
func TestFindAgainstTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cuts := 0
	for round := range 300 {
		n := []int{2, 3, 5, 8, 13, 50}[round%6]
		words := []int{1, 2, 3, 50, 100_000}[rng.IntN(5)]
		var documents [][]uint64
		for range 1 + rng.IntN(12) {
			var doc []uint64
			for range rng.IntN(5) {
				if len(documents) > 0 && rng.IntN(3) > 0 { // a part of another
					from := documents[rng.IntN(len(documents))]
					if len(from) > 0 {
						at := rng.IntN(len(from))
						doc = append(doc, from[at:at+rng.IntN(len(from)-at+1)]...)
					}
				}
				for range rng.IntN(3 * n) {
					doc = append(doc, uint64(1+rng.IntN(words))*0x9e3779b97f4a7c15)
				}
				if rng.IntN(4) == 0 { // again
					doc = append(doc, doc[rng.IntN(len(doc)+1):]...)
				}
			}
			documents = append(documents, doc[:min(len(doc), 400)])
		}
		want := reference(documents, n)
		for threads := 1; threads <= 2; threads++ {
			if got := found(t, documents, n, threads); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("round %d, %d words, %d threads: found\n%v\nwant\n%v\nin %v", round, n, threads, got, want, documents)
			}
		}
		for _, list := range want {
			cuts += len(list)
		}
	}
	if cuts < 1000 {
		t.Errorf("only %d pieces", cuts)
	}
}

// A footer that very many documents have behind other words takes several rounds.
func TestFindFrequent(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 20
	var footer []uint64
	for range 15 {
		footer = append(footer, rng.Uint64()|1)
	}
	tails := [][]uint64{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11}}
	var documents [][]uint64
	for i := range 100_000 {
		documents = append(documents, slices.Concat([]uint64{rng.Uint64() | 1, rng.Uint64() | 1}, footer, tails[i%3]))
	}
	for i, list := range found(t, documents, n, 2) {
		want := fmt.Sprintf("[{2 22 %d 2}]", i%3)
		if i < 3 || i%3 == 2 {
			want = "[]"
		}
		if fmt.Sprint(list) != want {
			t.Fatalf("document %d: %v, want %s", i, list, want)
		}
	}
}
