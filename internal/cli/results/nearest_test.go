package results

import "testing"

func TestRoundedDown(t *testing.T) {
	for jaccard, want := range map[float64]string{0.7999: "0.79", 0.5: "0.50", 0.01: "0.01", 0.0099: "less than 0.01", 1e-9: "less than 0.01"} {
		if got := roundedDown(jaccard); got != want {
			t.Errorf("%v is %s, want %s", jaccard, got, want)
		}
	}
}
