package minhash

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Figure 3.4 of Mining of Massive Datasets: rows a to e are 0 to 4.
func TestGoldenMMDS(t *testing.T) {
	t.Parallel()
	s := &independent{fs: []func(uint64) uint64{
		func(x uint64) uint64 { return (x + 1) % 5 },
		func(x uint64) uint64 { return (3*x + 1) % 5 },
	}}
	sets := [][]uint64{{0, 3}, {2}, {1, 3, 4}, {0, 2, 3}}
	want := [][]uint64{{1, 0}, {3, 2}, {0, 0}, {1, 0}}
	for i, set := range sets {
		if got := s.Sketch(nil, set); !slices.Equal(got, want[i]) {
			t.Errorf("S%d: %v, want %v", i+1, got, want[i])
		}
	}
	if got := s.Jaccard(want[0], want[3]); got != 1 {
		t.Errorf("estimate of S1 and S4: %v, want 1 (the similarity is 2/3)", got)
	}
}

// Example 3.8 of Mining of Massive Datasets: the signature matrix after each row of figure 3.4, for x + 1 and 3x + 1
// modulo 5.
func TestGoldenFiveSteps(t *testing.T) {
	t.Parallel()
	s := &independent{fs: []func(uint64) uint64{
		func(x uint64) uint64 { return (x + 1) % 5 },
		func(x uint64) uint64 { return (3*x + 1) % 5 },
	}}
	const none = math.MaxUint64
	sets := [][]uint64{{0, 3}, {2}, {1, 3, 4}, {0, 2, 3}}
	for row, want := range [][2][4]uint64{
		{{1, none, none, 1}, {1, none, none, 1}},
		{{1, none, 2, 1}, {1, none, 4, 1}},
		{{1, 3, 2, 1}, {1, 2, 4, 1}},
		{{1, 3, 2, 1}, {0, 2, 0, 0}},
		{{1, 3, 0, 1}, {0, 2, 0, 0}},
	} {
		for i, set := range sets {
			seen := slices.DeleteFunc(slices.Clone(set), func(x uint64) bool { return x > uint64(row) })
			if got := s.Sketch(nil, seen); !slices.Equal(got, []uint64{want[0][i], want[1][i]}) {
				t.Errorf("S%d after row %d: %v, want %d, %d", i+1, row, got, want[0][i], want[1][i])
			}
		}
	}
}

// The second example of the course notes: rows 1 to 5.
func TestGoldenNotes(t *testing.T) {
	t.Parallel()
	s := &independent{fs: []func(uint64) uint64{
		func(x uint64) uint64 { return x % 5 },
		func(x uint64) uint64 { return (2*x + 1) % 5 },
	}}
	for _, tt := range []struct{ set, want []uint64 }{{[]uint64{1, 3, 4}, []uint64{1, 2}}, {[]uint64{2, 3, 5}, []uint64{0, 0}}} {
		if got := s.Sketch(nil, tt.set); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.set, got, tt.want)
		}
	}
}

func ExampleSketcher() {
	s := VariantFast.New(1000, 0)
	a := s.Sketch(nil, []uint64{1, 2, 3, 4, 5}) // chair, desk, rug, keyboard, mouse
	b := s.Sketch(nil, []uint64{1, 3, 4})       // chair, rug, keyboard
	j := s.Jaccard(a, b)
	fmt.Println(math.Abs(j-0.6) < 3*StandardError(0.6, 1000))
	// Output:
	// true
}
