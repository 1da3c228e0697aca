package tables

import (
	"cmp"
	"slices"

	"simsearch/hamming"
)

// sortMatches orders by distance, then by position.
func sortMatches(ms []hamming.Match) {
	switch {
	case len(ms) < 2:
	case len(ms) >= 64 && slices.IsSortedFunc(ms, func(a, b hamming.Match) int { return cmp.Compare(a.Index, b.Index) }):
		sortByDistance(ms)
	default:
		slices.SortFunc(ms, func(a, b hamming.Match) int {
			return cmp.Compare(uint64(a.Distance)<<32|uint64(a.Index), uint64(b.Distance)<<32|uint64(b.Index))
		})
	}
}

// sortByDistance is sortMatches for matches that are ordered by position, as a scan finds them. It is a
// counting sort, since a scan may find thousands.
func sortByDistance(ms []hamming.Match) {
	scratch := matchBuffers.Get().(*[]hamming.Match)
	defer matchBuffers.Put(scratch)
	*scratch = append((*scratch)[:0], ms...)
	var next [hamming.MaxBits + 2]int // where the next match of each distance goes
	for _, m := range ms {
		next[m.Distance+1]++
	}
	for d := 1; d < len(next); d++ {
		next[d] += next[d-1]
	}
	for _, m := range *scratch {
		ms[next[m.Distance]] = m
		next[m.Distance]++
	}
}
