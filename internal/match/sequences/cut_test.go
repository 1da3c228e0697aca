package sequences

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

// Parts to be cut stand between ⟦ and ⟧.
func TestWithout(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"Nothing. ":                 "Nothing. ",
		"⟦All of it⟧.":              "",
		"A. ⟦cut⟧. B.":              "A. B.",
		"A. ⟦cut⟧.":                 "A.",
		"A.\n⟦cut⟧.\n":              "A.\n",
		"⟦cut⟧. \n\n  B.":           "B.",
		"  (⟦cut⟧) B.":              "B.",
		"The end of it ⟦is cut⟧. B": "The end of it. B",
		"The end of it ⟦is cut⟧!":   "The end of it!",
		"A title\n\n⟦cut⟧.\n\nB":    "A title\n\nB",
		"A.\n\n⟦cut⟧.\n\n\n\tB":     "A.\n\n\n\tB",
		"A.\r\n\r\n⟦cut⟧.\r\nB":     "A.\r\n\r\nB",
		"A, ⟦cut⟧\nB":               "A,\nB",
		"A.\n⟦cut⟧ B":               "A.\nB",
		"A (\"⟦cut⟧\") B":           "A B",
		"say \"hi\", ⟦cut⟧, \"b\"":  "say \"hi\", \"b\"",
		"l'⟦cut⟧ b":                 "l' b",
		"[<⟦cut⟧>]\n```\n\nB":       "```\n\nB",
		"他说「⟦cut⟧」。然后":              "他说。然后",
		"甲。⟦cut⟧。乙":                 "甲。乙",
		"a⟦cut⟧b":                   "ab",
		"A. ⟦cut⟧. ⟦cut⟧; B":        "A. B",
		"A ⟦cut⟧. ⟦cut⟧. B":         "A. B",
		"⟦cut⟧. ⟦cut⟧. B ⟦cut⟧":     "B",
		"A ⟦cut⟧⟦cut⟧, b":           "A b",
		"A\n\n⟦cut⟧\n\n⟦cut⟧\n\nB":  "A\n\nB",
	} {
		var plain []byte
		var cut []Span
		for i, part := range strings.Split(strings.ReplaceAll(text, "⟧", "⟦"), "⟦") {
			if i%2 == 1 {
				cut = append(cut, Span{len(plain), len(plain) + len(part)})
			}
			plain = append(plain, part...)
		}
		if got := string(Without([]byte("x"), plain, cut)); got != "x"+want {
			t.Errorf("%q: %q, want %q", text, got[1:], want)
		}
	}
}

// Whatever is cut, no letter of the rest goes, and nothing comes back.
func TestStaysKeepTheRest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	letters := func(text []byte) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, string(text))
	}
	for range 20_000 {
		var text []byte
		var cut []Span
		want := ""
		for range rng.IntN(8) {
			part := make([]rune, rng.IntN(6))
			for i := range part {
				part[i] = []rune("aaé文 \n.,「」()\"'")[rng.IntN(14)]
			}
			if rng.IntN(2) == 0 {
				cut = append(cut, Span{len(text), len(text) + len(string(part))})
			} else {
				want += letters([]byte(string(part)))
			}
			text = append(text, string(part)...)
		}
		stays := AppendStays(nil, text, cut)
		if got := letters(Only(nil, text, stays)); got != want {
			t.Fatalf("%q without %v: %q, want %q", text, cut, got, want)
		}
		for i := 1; i < len(stays); i++ {
			if stays[i][0] < stays[i-1][1] {
				t.Fatalf("%q without %v: %v", text, cut, stays)
			}
		}
	}
}
