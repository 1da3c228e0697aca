package eval

import (
	"fmt"
	"slices"
	"testing"
)

// The sixteen-bit example of the course report.
func TestRotateAndSort(t *testing.T) {
	values := []uint64{37586, 50086, 2648, 934, 40957, 2650, 64475, 40955}
	one := func(p [][2]uint32) (out []string) {
		for _, x := range p {
			out = append(out, fmt.Sprintf("%d,%d", x[0]+1, x[1]+1))
		}
		return out
	}
	if got := one(rotateAndSort(values, 16, 1)); !slices.Equal(got, []string{"3,6", "5,8"}) {
		t.Errorf("sorted once: %v", got)
	}
	if got := one(rotateAndSort(values, 16, 3)); !slices.Equal(got, []string{"2,4", "3,6", "5,8"}) {
		t.Errorf("rotated by two: %v", got)
	}
	if got := one(comparingAll(values, 3)); !slices.Equal(got, []string{"2,4", "3,6", "5,8"}) {
		t.Errorf("all: %v", got)
	}
	if got := one(comparingAll(values, 1)); !slices.Equal(got, []string{"3,6"}) {
		t.Errorf("all within one bit: %v", got)
	}
}
