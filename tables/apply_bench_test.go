package tables

import (
	"fmt"
	"testing"
)

func BenchmarkApplyAll(b *testing.B) {
	for _, d := range []Design{Choose(64, 1e6, 3, 0).Design, Choose(64, 1e7, 3, 0).Design} {
		xs, ys := make([]uint64, 64), make([]uint64, 64)
		for i, p := range d.Permutations() {
			b.Run(fmt.Sprintf("tables=%d/table=%d", len(d.Permutations()), i), func(b *testing.B) {
				for b.Loop() {
					p.ApplyAll(ys, xs)
				}
			})
		}
	}
}
