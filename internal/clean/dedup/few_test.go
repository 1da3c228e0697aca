package dedup

import (
	"slices"
	"testing"
)

// Lower thresholds are tried for many short texts or some long ones, but not for many long ones, which are compared each with each.
func TestAreFew(t *testing.T) {
	t.Parallel()
	for _, is := range []struct {
		sets int
		size uint32
		want bool
	}{{0, 0, true}, {20_000, 50, true}, {2_000, 5_000, true}, {20_000, 1_000, false}, {20_001, 1, false}} {
		if got := areFew(slices.Repeat([]uint32{is.size}, is.sets)); got != is.want {
			t.Errorf("%d sets of %d features are few: %v", is.sets, is.size, got)
		}
	}
}
