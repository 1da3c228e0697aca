package preprocess

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// unicodeFolds returns what Unicode folds each character to, by another implementation.
func unicodeFolds(t *testing.T) map[rune]string {
	t.Helper()
	file, err := os.ReadFile("testdata/casefold.txt")
	if err != nil {
		t.Fatal(err)
	}
	folds := map[rune]string{}
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var runes []rune
		for _, field := range strings.Fields(line) {
			n, err := strconv.ParseUint(field, 16, 21)
			if err != nil {
				t.Fatal(err)
			}
			runes = append(runes, rune(n))
		}
		folds[runes[0]] = string(runes[1:])
	}
	return folds
}

// Every character folds as Unicode says. That of ASCII is known.
func TestFoldsAsUnicode(t *testing.T) {
	t.Parallel()
	folds := unicodeFolds(t)
	if len(folds) < 1400 || folds['ß'] != "ss" || folds['\uab70'] != "\u13a0" {
		t.Fatalf("%d characters", len(folds))
	}
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if 0xd800 <= r && r < 0xe000 {
			continue
		}
		want, ok := folds[r]
		if !ok {
			want = string(r)
		}
		if r == '’' {
			want = "'"
		}
		if IsDropped(r) {
			want = ""
		}
		want = unaccented(want)
		if got := string(appendFolded([]byte("before"), []byte(string(r)))); got != "before"+want {
			t.Fatalf("%U folds to %q, want %q", r, got[6:], want)
		}
	}
}

// unaccented leaves accents out.
func unaccented(s string) (out string) {
	for _, c := range s {
		parts := []rune(norm.NFD.String(string(c)))
		accented := len(parts) > 1 && parts[1] >= 0x300 && parts[1] <= 0x36f
		switch {
		case 0x300 <= c && c <= 0x36f:
		case accented:
			out += string(parts[0])
		default:
			out += string(c)
		}
	}
	return out
}

// Cherokee words are in capital letters, and equal if they differ in case alone.
func TestCherokee(t *testing.T) {
	t.Parallel()
	const upper, lower = "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ Ᏸ", "ꮳꮃꭹ ꭶꮼꮒꭿꮝꮧ ᏸ"
	for _, o := range []Options{{}, {Language: "auto"}, {Features: FeatureSpec{Kind: WordN, N: 3}}} {
		a, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		var doc Document
		for _, text := range []string{upper, lower} {
			a.Analyze(&doc, []byte(text))
			var got []string
			for i := range doc.Len() {
				got = append(got, string(doc.Feature(i)))
			}
			if strings.Join(got, " ") != upper {
				t.Errorf("%+v: %q has %q, want %q", o, text, got, upper)
			}
			if want := a.Reference([]byte(text)); !slices.Equal(got, want) {
				t.Errorf("%+v: %q has %q, and by the reference %q", o, text, got, want)
			}
		}
	}
}

// Items are as they are.
func TestItemsAreNotFolded(t *testing.T) {
	t.Parallel()
	a, err := New(Options{Features: FeatureSpec{Kind: Items}})
	if err != nil {
		t.Fatal(err)
	}
	var doc Document
	a.Analyze(&doc, []byte("Ꭰ ꭰ"))
	if doc.Len() != 2 || string(doc.Feature(0)) != "Ꭰ" || string(doc.Feature(1)) != "ꭰ" {
		t.Errorf("%q", doc.text)
	}
}
