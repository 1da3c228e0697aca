//go:build !purego

package fingerprint

import "golang.org/x/sys/cpu"

// useAVX512 is whether this processor has what the assembly needs; only tests write to it.
var useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ

func addWeights(set *[64]uint64, hashes []uint64, weights []uint32) {
	if useAVX512 {
		addWeightsAVX512(set, &hashes[0], &weights[0], len(hashes))
		return
	}
	addWeightsGeneric(set, hashes, weights)
}

// addWeightsAVX512 wants n > 0 hashes and as many weights.
//
//go:noescape
func addWeightsAVX512(set *[64]uint64, hashes *uint64, weights *uint32, n int)
