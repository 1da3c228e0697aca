package fingerprint

// Weighted returns the fingerprint of features with the given hashes and weights. width is the
// number of bits, 64 or 32. weights[i] > 0 is the weight of hashes[i]. The same hash may occur
// several times. ok is false if there are no features. Weighted returns what Sums returns, and does
// not allocate. It panics unless hashes and weights have the same length.
func Weighted(hashes []uint64, weights []uint32, width int) (fp uint64, ok bool) {
	if len(hashes) != len(weights) {
		panic("fingerprint: as many weights as features are wanted")
	}
	if len(hashes) == 0 {
		return 0, false
	}
	var set [64]uint64 // the weight of the features that have each bit
	addWeights(&set, hashes, weights)
	var total uint64
	for _, w := range weights {
		total += uint64(w)
	}
	for j, s := range set[:width] {
		if 2*s >= total {
			fp |= 1 << j
		}
	}
	return fp, true
}

func addWeights(set *[64]uint64, hashes []uint64, weights []uint32) {
	switch {
	case useAVX512:
		addWeightsAVX512(set, &hashes[0], &weights[0], len(hashes))
	case useAVX2 || useNEON:
		addWeightsVectors(set, &hashes[0], &weights[0], len(hashes))
	default:
		addWeightsGeneric(set, hashes, weights)
	}
}

// addWeightsAVX512 adds n > 0 weights, and needs n hashes.
//
//go:noescape
func addWeightsAVX512(set *[64]uint64, hashes *uint64, weights *uint32, n int)

// addWeightsVectors adds n > 0 weights, and needs n hashes.
//
//go:noescape
func addWeightsVectors(set *[64]uint64, hashes *uint64, weights *uint32, n int)

// addWeightsGeneric adds each weight to the sums of the bits that are set in its hash. It is the
// reference of the other backends.
func addWeightsGeneric(set *[64]uint64, hashes []uint64, weights []uint32) {
	for i, h := range hashes {
		w := uint64(weights[i])
		for j := range set {
			set[j] += w & -(h >> j & 1)
		}
	}
}
