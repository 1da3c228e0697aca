package preprocess

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkEdges compares every backend with the reference. None may write behind what it may write.
func checkEdges(t *testing.T, text []byte) {
	n := len(text)
	run := func(find func(dst []byte, edges []uint32, ms []masks, text []byte) (int, bool)) ([]byte, []uint32, bool) {
		dst, edges := append(make([]byte, n), 0xee), append(make([]uint32, n+1+edgeSlack), 0xee)
		ms := make([]masks, (n+block-1)/block+2)
		k, under := find(dst[:n], edges[:n+1+edgeSlack], ms, text)
		if dst[n] != 0xee || edges[n+1+edgeSlack] != 0xee {
			t.Fatalf("%q: something is written behind the end", text)
		}
		return dst, edges[:k], under
	}
	wantDst, wantEdges, wantUnder := run(func(dst []byte, edges []uint32, ms []masks, text []byte) (int, bool) {
		under, k := classifyGeneric(dst, ms, text), edgesGeneric(edges, ms)
		if k%2 != 0 { // the last word ends with the text
			edges[k] = uint32(len(text))
			k++
		}
		return k, under
	})
	eachBackend(func(name string) {
		dst, edges, under := run(wordEdges)
		if !bytes.Equal(dst, wantDst) || !slices.Equal(edges, wantEdges) || under != wantUnder || len(edges)%2 != 0 {
			t.Fatalf("%s, %q:\n got %q %v %v\nwant %q %v %v", name, text, dst, edges, under, wantDst, wantEdges, wantUnder)
		}
	})
}

// The lengths are all around those of blocks.
func TestEdgesOfWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	const alphabet = "abzAZ09_:,;.' -@[`{/\x00\n\x7f\x80\xff"
	for n := 1; n < 300; n++ {
		for range 8 {
			text := make([]byte, n)
			for i := range text {
				text[i] = alphabet[rng.IntN(len(alphabet))]
				if rng.IntN(3) > 0 {
					text[i] = "aB3"[rng.IntN(3)]
				}
			}
			checkEdges(t, text)
		}
	}
}

func FuzzEdgesOfWords(f *testing.F) {
	f.Add([]byte("The fox's 3.14 a_b:c, 1,2 d;e"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 0 {
			checkEdges(t, text)
		}
	})
}

func BenchmarkEdges(b *testing.B) {
	text := bytes.Repeat([]byte("The quick brown fox doesn't jump over 3.14 lazy dogs; "), 200)
	dst, edges := make([]byte, len(text)), make([]uint32, len(text)+1+edgeSlack)
	ms := make([]masks, len(text)/block+3)
	eachBackend(func(name string) {
		b.Run("backend="+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				wordEdges(dst, edges, ms[:(len(text)+block-1)/block+2], text)
			}
		})
	})
}
