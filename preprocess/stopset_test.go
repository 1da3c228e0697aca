package preprocess

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Every backend keeps the words that the reference keeps, in lists of all lengths, with stop words and others of all
// lengths, and does not write far behind them.
func TestKeepIsTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, code := range Languages() {
		list, err := stopListOf(code)
		if err != nil {
			t.Fatal(err)
		}
		var ascii []string
		for _, word := range list.words {
			if indexNonASCII([]byte(word)) < 0 {
				ascii = append(ascii, word)
			}
		}
		for n := range 100 {
			var text strings.Builder
			text.WriteString("before ")
			base := text.Len()
			var edges []uint32
			for range n {
				word := strings.Repeat("abcdefgh", 4)[:1+rng.IntN(8)]
				switch rng.IntN(8) {
				case 0:
					word = strings.Repeat("abcdefgh", 4)[:1+rng.IntN(32)]
				case 1, 2, 3, 4:
					if len(ascii) > 0 {
						word = ascii[rng.IntN(len(ascii))]
					}
				}
				edges = append(edges, uint32(text.Len()-base), uint32(text.Len()-base+len(word)))
				text.WriteString(word + " ,"[:1+rng.IntN(2)])
			}
			characters := slices.Grow([]byte(text.String()), slack)
			want := list.set().keepGeneric(make([]span, 0, n), characters[:cap(characters)], base, edges)
			room := slices.Repeat([]span{{-1, -1}}, 3+n+2*keepSlack)
			got := list.set().keep(room[:3], characters, base, edges)
			if !slices.Equal(got[3:], want) || got[0] != (span{-1, -1}) {
				t.Fatalf("%s, %q: got %v, want %v", code, text.String(), got[3:], want)
			}
			if behind := room[len(got)+keepSlack:]; &got[0] == &room[0] && slices.ContainsFunc(behind[n-len(want):], func(s span) bool { return s != span{-1, -1} }) {
				t.Fatalf("%s, %d words: spans are written far behind the last one", code, n)
			}
			var exact []span
			for e := 0; e < len(edges); e += 2 {
				lo, hi := base+int(edges[e]), base+int(edges[e+1])
				if !list.set().contains(characters[lo:hi]) {
					exact = append(exact, span{lo, hi})
				}
			}
			if !slices.Equal(want, exact) && len(exact) > 0 {
				t.Fatalf("%s, %q: the reference keeps %v, and contains leaves %v", code, text.String(), want, exact)
			}
		}
	}
}

func BenchmarkKeep(b *testing.B) {
	set, err := stopSetOf("en")
	if err != nil {
		b.Fatal(err)
	}
	text := slices.Grow([]byte(strings.Repeat("the quick brown fox is not over there with something and the shares of the company ", 12)), slack)
	edges := make([]uint32, len(text)+1+edgeSlack)
	n, _ := edgesASCII(slices.Clone(text), edges, make([]masks, len(text)/block+3), text)
	text = text[:cap(text)]
	words := make([]span, 0, n+keepSlack)
	eachBackend(func(backend string) {
		b.Run("backend="+backend, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				set.keepWords(words, text, 0, edges[:n])
			}
		})
	})
}
