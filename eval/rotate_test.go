package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"simsearch/hamming"
)

func sortedPairs(found map[[2]uint32]int) [][2]uint32 {
	return slices.SortedFunc(maps.Keys(found), func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
}

// The sixteen-bit example of the course report.
func TestRotateAndSort(t *testing.T) {
	values := []uint64{37586, 50086, 2648, 934, 40957, 2650, 64475, 40955}
	one := func(p [][2]uint32) (out []string) {
		for _, x := range p {
			out = append(out, fmt.Sprintf("%d,%d", x[0]+1, x[1]+1))
		}
		return out
	}
	if got := one(sortedPairs(neighbours(values, 1, rotation(16)))); !slices.Equal(got, []string{"3,6", "5,8"}) {
		t.Errorf("sorted once: %v", got)
	}
	if got := one(sortedPairs(neighbours(values, 3, rotation(16)))); !slices.Equal(got, []string{"2,4", "3,6", "5,8"}) {
		t.Errorf("rotated by two: %v", got)
	}
	if got := one(comparingAll(values, 3)); !slices.Equal(got, []string{"2,4", "3,6", "5,8"}) {
		t.Errorf("all: %v", got)
	}
	if got := one(comparingAll(values, 1)); !slices.Equal(got, []string{"3,6"}) {
		t.Errorf("all within one bit: %v", got)
	}
}

// The distances of neighbours in the sixteen-bit example, sorted as they are and rotated by two bits. Within three
// bits are the second and third, the fifth and sixth, and behind the rotation also 934 and 50086.
func TestAdjacentDistances(t *testing.T) {
	values := []uint64{37586, 50086, 2648, 934, 40957, 2650, 64475, 40955}
	for rotations, want := range map[int]struct {
		sorted    []uint64
		distances []int
	}{
		0: {[]uint64{934, 2648, 2650, 37586, 40955, 40957, 50086, 64475}, []int{9, 1, 5, 6, 2, 9, 9}},
		2: {[]uint64{934, 50086, 2648, 2650, 37586, 40955, 40957, 64475}, []int{2, 11, 1, 5, 6, 2, 6}},
	} {
		rotate := rotation(16)
		sorted := slices.SortedFunc(slices.Values(values), func(a, b uint64) int { return cmp.Compare(rotate(rotations, a), rotate(rotations, b)) })
		var distances []int
		for i, x := range sorted[1:] {
			distances = append(distances, hamming.Distance(sorted[i], x))
		}
		if !slices.Equal(sorted, want.sorted) || !slices.Equal(distances, want.distances) {
			t.Errorf("rotated by %d: %v at distances %v, want %v at %v", rotations, sorted, distances, want.sorted, want.distances)
		}
	}
}
