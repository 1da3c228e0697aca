package ints

import "sync/atomic"

// DisjointSets are disjoint sets of the numbers 0 to n-1. At first, each number is a set. They are safe for
// concurrent use.
//
// Source: R. Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", JACM 22 (1975)
// (https://doi.org/10.1145/321879.321884). Here paths are halved, and the smaller number becomes the root.
type DisjointSets []uint32

// NewDisjointSets returns n sets of one number each.
func NewDisjointSets(n int) DisjointSets {
	s := make(DisjointSets, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

// Find returns the least number of the set of x.
func (s DisjointSets) Find(x uint32) uint32 {
	for {
		parent := atomic.LoadUint32(&s[x])
		if parent == x {
			return x
		}
		above := atomic.LoadUint32(&s[parent])
		if above != parent {
			atomic.CompareAndSwapUint32(&s[x], parent, above)
		}
		x = above
	}
}

// Union joins the sets of x and y.
func (s DisjointSets) Union(x, y uint32) {
	for {
		x, y = s.Find(x), s.Find(y)
		if x == y || atomic.CompareAndSwapUint32(&s[max(x, y)], max(x, y), min(x, y)) {
			return
		}
	}
}
