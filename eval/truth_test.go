package eval

import "testing"

// The numbers of evaluated pairs equal those of counting them.
func TestPairsEvaluated(t *testing.T) {
	for _, sampled := range [][]bool{nil, {true, false, false, true, false}, {true, true, true, true, true}, {false, false, false, false, true}} {
		c := &Collection{Sets: make([][]uint64, 5), Sampled: sampled}
		want := 0
		for a := range uint32(5) {
			for b := a + 1; b < 5; b++ {
				if c.evaluated(a, b) {
					want++
				}
			}
		}
		if got := pairsEvaluated(c); got != want {
			t.Errorf("sample %v: %d pairs, want %d", sampled, got, want)
		}
	}
}
