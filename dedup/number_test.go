package dedup

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Numbers are compared as they are written, however long they are.
func TestKeysAreExact(t *testing.T) {
	numbers := []string{
		"-Inf", "-1e400", "-1e309", "-9007199254740993", "-9007199254740992", "-9007199254740991", "-1e-400", "0", "1e-400", "2e-400", "0.1", "0.10000000000000000001", "0.3",
		"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740993.5", "9007199254740994", "9223372036854775806", "9223372036854775807",
		"123456789012345678901234567890", "123456789012345678901234567891", "1e309", "1e400", "Inf",
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
	same := []string{"9007199254740993", "09007199254740993.0", "9007199254740.993e3", "+900719925474099300e-2", " 9007199254740993 "}
	for _, s := range same {
		if Highest.Compare(same[0], s) != 0 {
			t.Errorf("%s is another number", s)
		}
	}
	for _, s := range []string{"0.7348293847293123", "1e22", "12", "-0", "2.50", "9007199254740992"} {
		if k := Highest.keyOf(s); k.exact != "" {
			t.Errorf("%s is kept beside its key", k.exact)
		}
	}
}

var longExponent = regexp.MustCompile(`[eE][+-]?[0-9]{5}`)

// The order is that of math/big.
func FuzzDecimals(f *testing.F) {
	for _, s := range []string{"1", "-0.5e10", "9007199254740993", ".5", "5.", "00.10e-3", "1e", "1e+", "--1", "1e-500", "0x1p-2", "1_0", "+1"} {
		f.Add(s, "9007199254740992")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 100 || len(b) > 100 {
			return
		}
		if longExponent.MatchString(a + " " + b) {
			return // that is much for big.Rat
		}
		x, okX := new(big.Rat).SetString(a)
		y, okY := new(big.Rat).SetString(b)
		if strings.ContainsAny(a+b, "/_xXpPoObB") || !Highest.Reads(a) || !Highest.Reads(b) || !okX || !okY {
			return
		}
		if got := Highest.Compare(a, b); got != x.Cmp(y) {
			t.Errorf("%q and %q compare as %d", a, b, got)
		}
	})
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
