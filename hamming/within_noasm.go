//go:build purego || !amd64

package hamming

func nextWithin(xs []uint64, q uint64, k int) int { return nextWithinGeneric(xs, q, k) }

// Backend returns the name of the code that compares fingerprints on this machine.
func Backend() string { return "generic" }
