//go:build purego || !amd64

package kernels

func (Moves) applyVectors(_, _ []uint64) int { return 0 }

func (Moves) matchVectors(_, _ []uint64, _ uint, _ uint64) (done, written int) { return 0, 0 }
