//go:build purego || !amd64

package fingerprint

func addWeights(set *[64]uint64, hashes []uint64, weights []uint32) {
	addWeightsGeneric(set, hashes, weights)
}
