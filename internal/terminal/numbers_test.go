package terminal

import (
	"slices"
	"testing"
)

func TestThousands(t *testing.T) {
	var got []string
	for _, n := range []int{0, 999, 1000, 1234567} {
		got = append(got, Thousands(n))
	}
	if want := []string{"0", "999", "1,000", "1,234,567"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
