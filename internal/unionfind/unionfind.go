// Package unionfind keeps disjoint sets: connected components of edges that come one by one.
package unionfind

// Sets are disjoint sets of the numbers 0 to n-1, at first each its own.
//
// Source: R. Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", JACM 22 (1975),
// https://doi.org/10.1145/321879.321884, with halving of paths and the smaller number as the root.
type Sets []uint32

// New returns n sets.
func New(n int) Sets {
	s := make(Sets, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

// Find returns the least number of the set that x is in.
func (s Sets) Find(x uint32) uint32 {
	for s[x] != x {
		s[x] = s[s[x]]
		x = s[x]
	}
	return x
}

// Union makes one set of those that x and y are in.
func (s Sets) Union(x, y uint32) {
	if x, y = s.Find(x), s.Find(y); x < y {
		s[y] = x
	} else {
		s[x] = y
	}
}
