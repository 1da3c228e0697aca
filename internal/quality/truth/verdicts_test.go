package truth

import (
	"math/rand/v2"
	"testing"
)

// Verdicts are those of a map.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	const documents = 30
	for _, n := range []int{0, 1, 10, 300} {
		want := map[[2]uint32]float64{}
		for range n {
			if a, b := r.Uint32N(documents), r.Uint32N(documents); a < b {
				want[[2]uint32{a, b}] = []float64{0, 0.7999, 0.8, 1}[r.IntN(4)]
			}
		}
		var all []Pair
		for pair, jaccard := range want {
			all = append(all, Pair{pair[0], pair[1], jaccard})
		}
		for _, complete := range []bool{false, true} {
			v := NewVerdicts(all, complete)
			pairs, apart := 0, 0
			for a := range uint32(documents + 2) {
				for b := range a {
					jaccard, has := want[[2]uint32{b, a}]
					near, known := v.Judge(a, b)
					if near != (jaccard >= 0.8) || known != (has || complete) {
						t.Errorf("%d and %d, similarity %v %v: near %v, known %v", a, b, jaccard, has, near, known)
					}
					switch {
					case near:
						pairs++
					case has:
						apart++
					}
				}
			}
			for a, b := range v.Pairs {
				if pairs--; want[[2]uint32{a, b}] < 0.8 {
					t.Errorf("%d and %d are near", a, b)
				}
			}
			if pairs != 0 || v.Apart() != apart || v.Near+apart != len(want) || v.AtLeast(0.8) != v.Near || v.AtLeast(0) != len(want) {
				t.Errorf("of %d: %d near, %d apart", len(want), v.Near, v.Apart())
			}
		}
	}
}
