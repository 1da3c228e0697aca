//go:build !purego

package preprocess

import "golang.org/x/sys/cpu"

// useAVX512 reports whether this processor has the instructions of the assembly. Only tests write to
// it.
var useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2

func wordEdges(dst []byte, edges []uint32, ms []masks, text []byte) (n int, under bool) {
	if !useAVX512 {
		return wordEdgesGeneric(dst, edges, ms, text)
	}
	under = classifyAVX512(&dst[0], &ms[1], &text[0], len(text)) != 0
	n = edgesAVX512(&edges[0], &ms[0], len(ms)-2)
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
