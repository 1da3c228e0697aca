//go:build purego || !amd64

package kernels

func linesWithin(lines []*Line, qs, ks []uint32) uint64 { return linesWithinEach(lines, qs, ks) }
func prefetch(places []Place)                           { touch(places) }
func lineSum(l *Line, number uint64) uint32             { return lineSumGeneric(l, number) }
