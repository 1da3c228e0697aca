//go:build !purego

package fingerprint

import (
	"golang.org/x/sys/cpu"

	"simsearch/internal/match/kernels"
)

// The backends that this processor has. Only tests write to these variables.
var (
	useAVX512 = kernels.Allows("avx512") && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ
	useAVX2   = kernels.Allows("avx2") && cpu.X86.HasAVX2 && cpu.X86.HasBMI2
)

func addWeights(set *[64]uint64, hashes []uint64, weights []uint32) {
	switch {
	case useAVX512:
		addWeightsAVX512(set, &hashes[0], &weights[0], len(hashes))
	case useAVX2:
		addWeightsAVX2(set, &hashes[0], &weights[0], len(hashes))
	default:
		addWeightsGeneric(set, hashes, weights)
	}
}

// addWeightsAVX512 adds n > 0 weights, and needs n hashes.
//
//go:noescape
func addWeightsAVX512(set *[64]uint64, hashes *uint64, weights *uint32, n int)

// addWeightsAVX2 adds n > 0 weights, and needs n hashes.
//
//go:noescape
func addWeightsAVX2(set *[64]uint64, hashes *uint64, weights *uint32, n int)
