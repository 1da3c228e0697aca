package kernels

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sketches of all lengths, in blocks at every alignment, compare as bit by bit.
func TestSketchesWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	memory := make([]uint64, 8*8*71+8)
	EachBackend(func(backend string) {
		for _, words := range []int{1, 2, 3, 4, 5, 8, 12, 31, 32, 62, 70} {
			for n := range 8 {
				for offset := range 8 {
					q := make([]uint64, words)
					for i := range q {
						q[i] = rng.Uint64()
					}
					blocks := memory[offset : offset+8*(words+1)*n]
					for i := range blocks {
						if w := i/8%(words+1) - 1; w < 0 {
							blocks[i] = uint64(rng.IntN(5) - 2)
						} else {
							blocks[i] = q[w] ^ rng.Uint64()&rng.Uint64()&rng.Uint64() // about eight bits
						}
					}
					for _, limit := range []int{-1 << 40, -1, 0, 7 * words, 8 * words, 8*words + 5, 64 * words, 1 << 40} {
						masks, want := make([]uint8, n), make([]uint8, n)
						for i := range masks {
							masks[i] = uint8(rng.Uint32())
						}
						for b := range n {
							for i := range 8 {
								block := blocks[8*(words+1)*b:]
								differ := int(block[i])
								for w := range words {
									differ += bits.OnesCount64(block[8*(w+1)+i] ^ q[w])
								}
								if differ <= limit {
									want[b] |= 1 << i
								}
							}
						}
						if SketchesWithin(masks, memory[offset:], q, limit); !slices.Equal(masks, want) {
							t.Fatalf("%s: %d words, %d blocks, offset %d, limit %d: %08b, want %08b", backend, words, n, offset, limit, masks, want)
						}
					}
				}
			}
		}
	})
}

func BenchmarkSketchesWithin(b *testing.B) {
	rng := rand.New(rand.NewPCG(10, 5))
	const n = 64
	for _, words := range []int{2, 4} {
		blocks, q, masks := make([]uint64, 8*(words+1)*n), make([]uint64, words), make([]uint8, n)
		for i := range blocks {
			if i/8%(words+1) > 0 {
				blocks[i] = rng.Uint64()
			}
		}
		EachBackend(func(backend string) {
			b.Run("backend="+backend+"/words="+string(rune('0'+words)), func(b *testing.B) {
				for b.Loop() {
					SketchesWithin(masks, blocks, q, 33)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(8*n), "ns/sketch")
			})
		})
	}
}
