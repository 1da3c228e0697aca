package sequences

import (
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/tests/testkit"
)

// changed returns codes with k edits, so far apart that no gram is lost twice: of each two edits, some codes that are
// equal stand between them. If odd is set, all runs of equal codes but the last have odd lengths. Codes of 200 and
// more are of no query. An edit replaces a code, or inserts one if insert says so.
func changed(rng *rand.Rand, codes []uint8, k int, odd bool, insert func() bool) (out []uint8) {
	left := len(codes)
	for edit := range k + 1 {
		run := left
		if edits := k - edit; edits > 0 { // what follows needs three codes and an edit for each of these
			most := left - edits*(gramWords+1)
			run = gramWords + rng.IntN(max(1, most-gramWords+1))
			if odd {
				run -= 1 - run%2
			}
		}
		at := len(codes) - left
		out = append(out, codes[at:at+run]...)
		if left -= run; edit < k {
			out = append(out, uint8(200+rng.IntN(50)))
			if !insert() {
				left--
			}
		}
	}
	return out
}

// No filter refuses a document that has words of a query with as many edits as the bounds allow, wherever they stand:
// at the border of chunks, at even and odd places, whatever the bounds, and however unluckily the edits lie.
func TestFilterRefusesNoPassage(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	random := func(n, from, of int) (codes []uint8) {
		for range n {
			codes = append(codes, uint8(from+rng.IntN(of)))
		}
		return codes
	}
	for _, words := range []int{3, 4, 5, 8, 9, 12, 20, 21, 50, 51, 120} {
		for _, edits := range []float64{0, 0.02, 0.05, 0.1, 0.15, 0.2} {
			b := Bounds{words, edits}
			if b.Check() != nil {
				continue
			}
			for round := range testkit.Of(60, 1000) {
				w := words + rng.IntN(words) // filter says why longer ones have such a part
				k := b.share() * w / scale
				if w < (k+1)*(gramWords+1) {
					continue // some edits leave no gram, which the bounds count with more lost ones than there are
				}
				query := random(w, 0, 200)
				insert := []func() bool{func() bool { return false }, func() bool { return rng.IntN(2) > 0 }}[round%2]
				passage := changed(rng, query, k, round%3 > 0, insert)
				if longer := max(len(query), len(passage)); longer >= 2*words || b.share()*longer/scale < k {
					continue
				}
				if round%5 == 0 { // the query has the edits
					query, passage = passage, query
				}
				before := random(rng.IntN(3*words), 200, 50)
				document := slices.Concat(before, passage, random(rng.IntN(2*words), 200, 50))
				f := &filter{}
				f.prepare(slices.Concat(random(rng.IntN(words), 0, 200), query, random(rng.IntN(words), 0, 200)), b)
				if !f.maybe(document) {
					t.Fatalf("bounds %v: %d words with %d edits behind %d others are refused (evenly %v, crowded %v):\n%v\n%v",
						b, w, k, len(before), f.evenly(document), f.crowded(document), query, document)
				}
			}
		}
	}
}
