package preprocess

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every backend writes what the reference writes, for all lengths around those of blocks, and nothing
// behind what it may write.
func TestEdgesOfWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	const alphabet = "abzAZ09_:,;.' -@[`{/\x00\n\x7f"
	for n := range 300 {
		for range 8 {
			text := make([]byte, n)
			for i := range text {
				text[i] = alphabet[rng.IntN(len(alphabet))]
				if rng.IntN(3) > 0 {
					text[i] = "aB3"[rng.IntN(3)]
				}
			}
			run := func(find func(dst []byte, edges []uint32, ms []masks, text []byte) (int, bool)) ([]byte, []uint32, bool) {
				dst := append(make([]byte, n), 0xee)
				edges := make([]uint32, n+1+edgeSlack)
				ms := make([]masks, (n+block-1)/block+2)
				if n == 0 {
					return dst, nil, false
				}
				k, under := find(dst[:n], edges, ms, text)
				return dst, edges[:k], under
			}
			wantDst, wantEdges, wantUnder := run(wordEdgesGeneric)
			dst, edges, under := run(wordEdges)
			if !bytes.Equal(dst, wantDst) || !slices.Equal(edges, wantEdges) || under != wantUnder || len(edges)%2 != 0 {
				t.Fatalf("%q:\n got %q %v %v\nwant %q %v %v", text, dst, edges, under, wantDst, wantEdges, wantUnder)
			}
		}
	}
}

func BenchmarkEdges(b *testing.B) {
	text := bytes.Repeat([]byte("The quick brown fox doesn't jump over 3.14 lazy dogs; "), 200)
	dst, edges := make([]byte, len(text)), make([]uint32, len(text)+1+edgeSlack)
	ms := make([]masks, len(text)/block+3)
	for name, find := range map[string]func(dst []byte, edges []uint32, ms []masks, text []byte) (int, bool){"generic": wordEdgesGeneric, "fastest": wordEdges} {
		b.Run("backend="+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				find(dst, edges, ms[:(len(text)+block-1)/block+2], text)
			}
		})
	}
}
