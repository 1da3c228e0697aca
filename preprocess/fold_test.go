package preprocess

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
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
		if got := string(appendFolded([]byte("before"), []byte(string(r)))); got != "before"+want {
			t.Fatalf("%U folds to %q, want %q", r, got[6:], want)
		}
	}
}

// Cherokee words are in capital letters by this version, in small ones by version 1, and equal in both if they differ
// in case alone. Other features are the same.
func TestCherokee(t *testing.T) {
	t.Parallel()
	const upper, lower = "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ Ᏸ", "ꮳꮃꭹ ꭶꮼꮒꭿꮝꮧ ᏸ"
	for _, tt := range []struct {
		options Options
		want    string
	}{
		{Options{}, upper},
		{Options{Version: Version}, upper},
		{Options{Version: 1}, lower},
		{Options{Version: 1, Language: "auto"}, lower},
		{Options{Language: "auto"}, upper},
		{Options{Version: 1, Features: FeatureSpec{WordN, 3}}, lower},
		{Options{Features: FeatureSpec{WordN, 3}}, upper},
	} {
		a, err := New(tt.options)
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
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%+v: %q has %q, want %q", tt.options, text, got, tt.want)
			}
			if want := a.Reference([]byte(text)); !slices.Equal(got, want) {
				t.Errorf("%+v: %q has %q, and by the reference %q", tt.options, text, got, want)
			}
		}
	}
	for _, version := range []int{-1, Version + 1} {
		if _, err := New(Options{Version: version}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(version)) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// Items are as they are, by any version.
func TestItemsAreNotFolded(t *testing.T) {
	t.Parallel()
	for version := 1; version <= Version; version++ {
		a, err := New(Options{Features: FeatureSpec{Kind: Items}, Version: version})
		if err != nil {
			t.Fatal(err)
		}
		var doc Document
		a.Analyze(&doc, []byte("Ꭰ ꭰ"))
		if doc.Len() != 2 || string(doc.Feature(0)) != "Ꭰ" || string(doc.Feature(1)) != "ꭰ" {
			t.Errorf("version %d: %q", version, doc.text)
		}
	}
}
