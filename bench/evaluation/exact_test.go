package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// The sixteen-bit example of the course report.
func TestRotateAndSort(t *testing.T) {
	values := []uint64{37586, 50086, 2648, 934, 40957, 2650, 64475, 40955}
	for rotations, want := range map[int]string{1: "[2648-2650 40955-40957]", 3: "[2648-2650 40955-40957 934-50086]"} {
		var got []string
		for pair := range maps.Keys(rotateAndSort(values, 16, 3, rotations)) {
			got = append(got, fmt.Sprintf("%d-%d", pair[0], pair[1]))
		}
		slices.Sort(got)
		if fmt.Sprint(got) != want {
			t.Errorf("%d rotations: %v, want %s", rotations, got, want)
		}
	}
}
