//go:build purego || !amd64

package hamming

func (p *Permutation) applyVectors(_, _ []uint64) int { return 0 }

func (p *Permutation) matchVectors(_, _ []uint64, _ uint, _ uint64) (done, written int) { return 0, 0 }
