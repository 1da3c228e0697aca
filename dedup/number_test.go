package dedup

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
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
		k := newKeys(Keep{way, "n"}, false)
		for _, s := range numbers {
			k.add(s, true)
		}
		for i := range numbers {
			for j := range numbers {
				want := 0
				if i != j {
					want = map[bool]int{true: 1, false: -1}[(i > j) == (way == Highest)]
				}
				if got := k.compare(uint32(i), uint32(j)); got != want {
					t.Errorf("%v: %s and %s compare as %d, want %d", way, numbers[i], numbers[j], got, want)
				}
			}
		}
	}
	k := newKeys(Keep{Highest, "n"}, false)
	for _, s := range []string{"9007199254740993", "09007199254740993.0", "9007199254740.993e3", "+900719925474099300e-2", " 9007199254740993 "} {
		k.add(s, true)
	}
	for i := range k.of {
		if k.compare(0, uint32(i)) != 0 {
			t.Errorf("number %d is another one", i)
		}
	}
	k = newKeys(Keep{Highest, "n"}, false)
	for _, s := range []string{"0.7348293847293123", "1e22", "12", "-0", "2.50", "9007199254740992"} {
		k.add(s, true)
	}
	if len(k.inexact) > 0 {
		t.Errorf("%v are kept beside keys", k.inexact)
	}
}

// The order is that of math/big.
func FuzzDecimals(f *testing.F) {
	for _, s := range []string{"1", "-0.5e10", "9007199254740993", ".5", "5.", "00.10e-3", "1e", "1e+", "--1", "1e-500", "0x1p-2", "1_0", "+1"} {
		f.Add(s, "9007199254740992")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 100 || len(b) > 100 {
			return
		}
		x, okX := parseDecimal(a)
		y, okY := parseDecimal(b)
		for _, d := range []decimal{x, y} {
			if d.exponent > 5000 || d.exponent < -5000 {
				return // that is much for big.Rat
			}
		}
		if !okX || !okY {
			return
		}
		if again, ok := parseDecimal(x.String()); !ok || again != x {
			t.Errorf("%q is written as %s", a, x)
		}
		r, ok1 := new(big.Rat).SetString(a)
		s, ok2 := new(big.Rat).SetString(b)
		if !ok1 || !ok2 || x.compare(y) != r.Cmp(s) {
			t.Errorf("%q and %q compare as %d", a, b, x.compare(y))
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
