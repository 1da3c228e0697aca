//go:build !purego

package preprocess

import (
	"golang.org/x/sys/cpu"

	"simsearch/internal/match/kernels"
)

// The backends that this processor has. Only tests write to these variables.
var (
	useAVX512 = kernels.Allows("avx512") && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2
	useAVX2   = kernels.Allows("avx2") && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
)

func wordEdges(dst []byte, edges []uint32, ms []masks, text []byte) (n int, under bool) {
	switch {
	case useAVX512:
		under = classifyAVX512(&dst[0], &ms[1], &text[0], len(text)) != 0
		n = edgesAVX512(&edges[0], &ms[0], len(ms)-2)
	case useAVX2:
		whole := len(text) / block
		unders := uint64(0)
		if whole > 0 {
			unders = classifyAVX2(&dst[0], &ms[1], &text[0], whole)
		}
		if rest := text[whole*block:]; len(rest) > 0 {
			var last [block]byte
			copy(last[:], rest)
			unders |= classifyAVX2(&last[0], &ms[1+whole], &last[0], 1)
			copy(dst[whole*block:], last[:])
		}
		under = unders != 0
		n = edgesAVX2(&edges[0], &ms[0], len(ms)-2)
	default:
		return wordEdgesGeneric(dst, edges, ms, text)
	}
	// The last block is taken as 64 characters. A word that ends with the text ends there.
	if n%2 != 0 {
		edges[n] = uint32(len(text))
		n++
	}
	return n, under
}

// classifyAVX512 writes n > 0 lower-case characters to dst and the masks of their blocks
// to ms, and returns the union of the masks of underscores. text is ASCII.
//
//go:noescape
func classifyAVX512(dst *byte, ms *masks, text *byte, n int) uint64

// edgesAVX512 writes the edges of the words of n > 0 blocks, and returns their number. The number is odd
// if the last word reaches the end of the last block. The masks of the blocks follow the first at ms.
// It writes at most 15 elements behind the last edge.
//
//go:noescape
func edgesAVX512(edges *uint32, ms *masks, n int) int

// classifyAVX2 is classifyAVX512 for n > 0 blocks of 64 characters. dst may be text.
//
//go:noescape
func classifyAVX2(dst *byte, ms *masks, text *byte, n int) uint64

// edgesAVX2 is edgesAVX512 by the instructions of AVX2's time. It writes at most 8 elements behind the last edge.
//
//go:noescape
func edgesAVX2(edges *uint32, ms *masks, n int) int
