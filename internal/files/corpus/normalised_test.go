package corpus

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// No character grows by more than growth, so that shorter texts need no look.
func TestGrowthOfNormalForms(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		s := string(r)
		if n := len(norm.NFKC.String(s)); n > growth*len(s) {
			t.Fatalf("%U: %d bytes become %d", r, len(s), n)
		}
	}
}

func TestNormalisedExceeds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "plain words ", "\ufdfa", "é", "e\u0301", "\ufb03", "中文", "한", "\u1112\u1161\u11ab", "\xff", "\u0301", "\U0001d11e"}
	for range 200 {
		var text strings.Builder
		for range random.IntN(1000) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		b := []byte(text.String())
		size := max(len(b), len(norm.NFKC.Bytes(b)))
		for _, most := range []int{0, 1, size / 11, size / 2, size - 1, size, size + 1, 11 * size} {
			if got, want := normalisedExceeds(b, int64(most)), size > most; got != want && most >= 0 {
				t.Fatalf("%q has %d bytes; more than %d: %v", b, size, most, got)
			}
		}
	}
}

func TestNormalisedExceedsTakesLittle(t *testing.T) {
	text := []byte(strings.Repeat("\ufdfa", 1<<18))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if !normalisedExceeds(text, 1<<22) || normalisedExceeds(text, 1<<24) {
		t.Error("8.65 MB are taken for something else")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}
