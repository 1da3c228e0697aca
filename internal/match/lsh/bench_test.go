package lsh

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkCandidates looks up signatures of a file in this file.
func BenchmarkCandidates(b *testing.B) {
	const positions = 128
	rng := rand.New(rand.NewPCG(2, 3))
	for _, n := range []int{10_000, 200_000} {
		data := make([]byte, n*positions)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		s := NewSignatures(positions, n)
		s.Add(data)
		t, err := load(write(b, s, Bands{16, 8}, 1), n, positions)
		if err != nil {
			b.Fatal(err)
		}
		for _, depth := range []int{2, 8} {
			b.Run(fmt.Sprintf("n=%d/depth=%d", n, depth), func(b *testing.B) {
				var dst []uint32
				for i := uint32(0); b.Loop(); i++ {
					dst = t.Candidates(dst[:0], s.Of(i*7919%uint32(n)), Bands{16, depth})
				}
			})
		}
	}
}
