package eval

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The sixteen-bit example of the course report, after one rotation and more.
func TestMissedAfter(t *testing.T) {
	values := []uint64{37586, 50086, 2648, 934, 40957, 2650, 64475, 40955}
	got := missedAfter(neighbours(values, 4, rotation(16)), 3, 4)
	if got[0] != 1 || got[2] != 0 || got[3] != 0 {
		t.Errorf("missed after 1 to 4 rounds: %v", got)
	}
	r := rand.New(rand.NewPCG(31, 1))
	of := permutation(r, 16, 40)
	for round := range 40 {
		seen := map[uint64]bool{}
		for bit := range 16 {
			seen[of(round, 1<<bit)] = true
		}
		if len(seen) != 16 || bits.OnesCount64(of(round, 0xbeef)) != bits.OnesCount64(0xbeef) || of(0, 0xbeef) != 0xbeef {
			t.Fatalf("round %d does not permute the bits", round)
		}
	}
	got = missedAfter(neighbours(values, 40, of), 3, 40)
	if got[0] != 1 || got[39] != 0 || !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) {
		t.Errorf("missed after 1 to 40 permutations: %v", got)
	}
}

// A share of missed pairs is shown if there are enough near ones.
func TestBiswasSaysIfPairsAreFew(t *testing.T) {
	for _, tt := range []struct {
		copies int
		few    bool
	}{{2, true}, {60, false}} {
		r := rand.New(rand.NewPCG(32, 1))
		var texts []string
		for i := range tt.copies {
			words := make([]string, 200)
			for j := range words {
				words[j] = fmt.Sprintf("w%dx%d", i, r.IntN(1000))
			}
			text := strings.Join(words, " ")
			texts = append(texts, text, text+" granite", text+" granite harbour")
		}
		c := load(t, texts, nil, LoadOptions{})
		s, err := biswas(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(s.Text, "\n"), "Too few near pairs: Of 64 bits, only")
		curves := len(s.Plots) == 1 && len(s.Plots[0].Series) >= 2
		if said != tt.few || curves == tt.few {
			t.Errorf("%d copies: too few is said: %v, curves: %v", tt.copies, said, curves)
		}
	}
}
