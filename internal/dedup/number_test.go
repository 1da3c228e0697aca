package dedup

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// Numbers are in order, and whole ones of 64 bits are told apart.
func TestKeysAreInOrder(t *testing.T) {
	numbers := []string{
		"-Inf", "-1e300", "-9223372036854775808", "-9223372036854775807", "-9007199254740993", "-9007199254740992", "-9007199254740991", "-1e-300", "0", "1e-300", "0.1", "0.3",
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994", "9223372036854775806", "9223372036854775807", "9223372036854775808",
		"18446744073709551614", "18446744073709551615", "123456789012345678901234567890", "1e300", "Inf",
	}
	for _, way := range []Way{Highest, Lowest} {
		for i := range numbers {
			for j := range numbers {
				want := 0
				if i != j {
					want = map[bool]int{true: 1, false: -1}[(i > j) == (way == Highest)]
				}
				if got := way.Compare(numbers[i], numbers[j]); got != want {
					t.Errorf("%v: %s and %s compare as %d, want %d", way, numbers[i], numbers[j], got, want)
				}
			}
		}
	}
	for _, s := range []string{"12.0", "012", " 12 ", "1.2e1", "+12"} {
		if Highest.Compare("12", s) != 0 {
			t.Errorf("%s is another number", s)
		}
	}
}

// A document with a larger number is kept though no floating-point number tells them apart.
func TestKeepByLargeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var lines []string
	for i, n := range rng.Perm(40) {
		lines = append(lines, fmt.Sprintf(`{"id":"%d","n":%d,"text":"%s"}`, i, 1<<60+int64(n), sameText))
	}
	dir := writeFiles(t, map[string]string{"a.jsonl": joined(lines)})
	for way, want := range map[Way]int64{Highest: 1<<60 + 39, Lowest: 1 << 60} {
		o := options()
		o.Keep = Keep{way, "n"}
		got, _ := run(t, nil, []string{filepath.Join(dir, "a.jsonl")}, o)
		if kept := got[KeptName+"/a.jsonl"]; strings.Count(kept, "\n") != 1 || !strings.Contains(kept, fmt.Sprintf(`"n":%d,`, want)) {
			t.Errorf("%v keeps %s, want %d", way, kept, want)
		}
	}
}
