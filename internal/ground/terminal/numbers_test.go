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

func TestSimilarity(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0000", 0.00005: "0.0001", 0.8: "0.8000", 0.99994: "0.9999", 0.99999: "0.9999", 1 - 1e-15: "1.0000", 1: "1.0000"} {
		if got := Similarity(x); got != want {
			t.Errorf("Similarity(%v) = %s, want %s", x, got, want)
		}
	}
}
