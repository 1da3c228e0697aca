package tables

import "math/bits"

//go:generate go -C ../bench run ./gendesigns

// Gendesigns finds coverings by simulated annealing. A test checks exhaustively that each of them finds
// its distance. A search of one minute found smaller coverings than several published ones. With mean
// headers of 21 bits, k = 4 takes 12 tables, k = 5 takes 28 and k = 6 takes 52. k = 5 takes 16 tables
// with 17 bits.
//
// The coverings of affine and projective spaces are constructed. An affine space has one table fewer
// than the projective space, with headers of nearly the same width.

// A covering is a list of sets of blocks such that any K blocks are all in one of the sets.
type covering struct {
	K, Blocks int
	DontCare  []uint64 // the sets; bit i stands for block i
}

// projective returns the covering of the projective space PG(k, 2). Its blocks are the 2^(k+1)-1
// points, that is the vectors other than 0. Its don't-care sets are the 2^(k+1)-1 hyperplanes. Any k
// points lie in a hyperplane, since they span at most k of k+1 dimensions.
func projective(k int) covering {
	return hyperplanes(k, func(uint64) bool { return true })
}

// affine returns the covering of the affine space AG(k, 2). Its blocks are the 2^k points of PG(k, 2)
// outside one hyperplane. Its don't-care sets are the 2^(k+1)-2 other hyperplanes, each with half of
// these points.
func affine(k int) covering {
	return hyperplanes(k, func(point uint64) bool { return point&1 == 1 })
}

// hyperplanes returns the covering of the chosen points of PG(k, 2), of which there are at most 64.
func hyperplanes(k int, chosen func(point uint64) bool) covering {
	c := covering{K: k}
	var points []uint64
	for p := uint64(1); p < 1<<(k+1); p++ {
		if chosen(p) {
			points = append(points, p)
		}
	}
	c.Blocks = len(points)
	for normal := uint64(1); normal < 1<<(k+1); normal++ {
		var plane uint64
		for i, p := range points {
			if bits.OnesCount64(p&normal)%2 == 0 {
				plane |= 1 << i
			}
		}
		if plane != 0 {
			c.DontCare = append(c.DontCare, plane)
		}
	}
	return c
}

// coveringsOf returns the known coverings of k blocks: those found by search and those of affine and projective
// spaces. The caller must not change them.
func coveringsOf(k int) []covering {
	var out []covering
	for _, c := range coverings {
		if c.K == k {
			out = append(out, c)
		}
	}
	if 2 <= k && k <= 6 {
		out = append(out, affine(k))
	}
	if 2 <= k && k <= 5 { // PG(6, 2) has more points than a fingerprint has bits
		out = append(out, projective(k))
	}
	return out
}
