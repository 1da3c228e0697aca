package cli

import "testing"

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{"1000": 1000, "2GiB": 2 << 30, "800MB": 800e6, "1.5 kb": 1500, "3g": 3e9} {
		if got, err := parseSize(s); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "x", "-1", "0", "1XB", "NaN", "1e300", "GB"} {
		if got, err := parseSize(s); err == nil {
			t.Errorf("parseSize(%q) = %d, want an error", s, got)
		}
	}
}
