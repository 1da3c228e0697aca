package testkit

import (
	"strings"
	"testing"
)

func TestTextIsTheSameForASeed(t *testing.T) {
	a, b, c := NewWords(1).Text(500), NewWords(1).Text(500), NewWords(2).Text(500)
	if a != b {
		t.Error("one seed gives two texts")
	}
	if a == c {
		t.Error("two seeds give one text")
	}
	if n := len(strings.Fields(a)); n != 500 {
		t.Errorf("%d words, want 500", n)
	}
}

// Two fifths of English running text are stop words. A benchmark with stop words depends on this share.
func TestShareOfCommonWords(t *testing.T) {
	known := map[string]bool{}
	for _, c := range common {
		known[c.word] = true
	}
	n := 0
	words := strings.FieldsFunc(strings.ToLower(NewWords(3).Text(20_000)), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, w := range words {
		if known[w] {
			n++
		}
	}
	if share := float64(n) / float64(len(words)); share < 0.36 || share > 0.46 {
		t.Errorf("share of common words %.3f, want about 0.4", share)
	}
}
