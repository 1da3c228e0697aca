package dedup

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

func TestParseKeep(t *testing.T) {
	for s, want := range map[string]Keep{
		"longest": {}, "first": {Way: First}, "newest:a.b": {Newest, "a.b", ""}, "oldest:x": {Oldest, "x", ""}, "highest:a:b": {Highest, "a:b", ""}, "lowest: ": {Lowest, " ", ""},
		"first:x=a": {Listed, "x", "a"}, "first:a.b=c d,e=f": {Listed, "a.b", "c d,e=f"},
	} {
		got, err := ParseKeep(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%q is %+v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "best", "newest", "lowest:", "longest:", "first:x", "first:", "first:x=", "first:=a", "first:x=a,,b", "first:x=a,", "Newest:x"} {
		if k, err := ParseKeep(s); err == nil {
			t.Errorf("%q is read as %v", s, k)
		}
	}
}

// What is listed comes in the order of the list, by itself or as an address of a host, and all else last.
func TestKeysOfLists(t *testing.T) {
	k := Keep{Listed, "url", "wiki.org,news,http://c"}
	for value, want := range map[string]key{
		"wiki.org": {}, "https://wiki.org/a": {}, "<http://EN.Wiki.org>": {}, "news": {of: -1}, "http://news/": {of: -1}, "http://c": {of: -2},
		"https://notwiki.org/": noKey, "https://a.org/wiki.org": noKey, "News": noKey, "": noKey, ".": noKey, "http://c/": noKey, "%": noKey,
	} {
		if got := k.keyOf(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

// Keys are in the order of the numbers.
func TestKeysOfNumbers(t *testing.T) {
	numbers := []float64{math.Inf(-1), -1e300, -2.5, -1, -5e-324, 0, 5e-324, 0.1, 1, 1.5, 1e300, math.Inf(1)}
	for i, f := range numbers {
		for j, g := range numbers {
			if a, b := Highest.keyOf(fmt.Sprint(f)), Highest.keyOf(fmt.Sprint(g)); (a.of < b.of) != (i < j) {
				t.Errorf("keys %v of %v and %v of %v", a, f, b, g)
			}
			if a, b := Lowest.keyOf(fmt.Sprint(f)), Lowest.keyOf(fmt.Sprint(g)); (a.of < b.of) != (i > j) {
				t.Errorf("keys %v of %v and %v of %v for the lowest", a, f, b, g)
			}
		}
	}
	if Highest.keyOf("-0") != Highest.keyOf("0") || Highest.keyOf("NaN") != noKey || Lowest.keyOf("1,5") != noKey || Lowest.keyOf("-1e999") == noKey {
		t.Error("-0, NaN, 1,5 or -1e999 has a wrong key")
	}
}

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

// Documents without a value come last. It is an error if none has one, which is told early unless values are optional.
func TestKeysOfDocuments(t *testing.T) {
	for _, way := range []Way{Newest, Oldest, Highest, Lowest} {
		for _, lenient := range []bool{false, true} {
			k := newKeys(Keep{Way: way, Field: "field"}, lenient)
			for n := range 2 * fieldless {
				err := k.Take(nil, uint32(n), false)
				if told := !lenient && n+1 == fieldless; (err != nil) != told || k.End() == nil {
					t.Fatalf("%v, lenient: %v: document %d: %v; at the end: %v", way, lenient, n, err, k.End())
				}
			}
			if missing := (*FieldError)(nil); !errors.As(k.End(), &missing) || missing.Documents != 2*fieldless {
				t.Errorf("%v: no document has the field, and that is no error", way)
			}
			if err := k.Take(way.keyOf("2024").bytes(), 1, false); err != nil || k.End() != nil {
				t.Errorf("%v: a document has the field: %v", way, errors.Join(err, k.End()))
			}
			if k.Compare(2*fieldless, 0) != 1 || k.Compare(0, 2*fieldless) != -1 || k.Compare(0, 1) != 0 || k.Unread != 2*fieldless {
				t.Errorf("%v: a document without a value is kept, or %d have none", way, k.Unread)
			}
		}
	}
}

// Whatever stands in a field has a key or none, and the other direction has the opposite one.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"2024-03-04T15:04:05+01:00", "Mon, 04 Mar 2024 15:04:05 GMT", "-1e308", "9223372036854775807", "-9223372036854775808", "1e18", "0x1p-2", " 7 ", "99999-01-01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for way, other := range map[Way]Way{Newest: Oldest, Highest: Lowest} {
			a, b := way.keyOf(s), other.keyOf(s)
			if (a == noKey) != (b == noKey) || a != noKey && a.of != -b.of {
				t.Errorf("%q: %v is %v, %v is %v", s, a, way, b, other)
			}
		}
	})
}
