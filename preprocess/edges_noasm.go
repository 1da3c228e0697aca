//go:build purego || !amd64

package preprocess

import "math/bits"

func trailing(x uint64) int { return bits.TrailingZeros64(x) }

func wordEdges(dst []byte, edges []uint32, ms []masks, text []byte) (n int, under bool) {
	return wordEdgesGeneric(dst, edges, ms, text)
}
