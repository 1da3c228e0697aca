//go:build purego || !amd64

package kernels

func sketchesWithin(masks []uint8, blocks, q []uint64, limit int) {
	sketchesWithinGeneric(masks, blocks, q, limit)
}
