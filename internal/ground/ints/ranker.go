package ints

import "slices"

// A Ranker finds the index of a value in a sorted set, by a directory and a binary search. It is safe for
// concurrent use.
type Ranker struct {
	values []uint64
	dir    Directory
}

// spareBits is the number of steps that the directory leaves to the binary search: it is smaller by a
// factor of 1<<spareBits.
const spareBits = 4

// NewRanker returns a Ranker of values, which are strictly ascending and below 1<<width. It keeps values,
// and takes about a quarter of a byte for each.
func NewRanker(values []uint64, width int) Ranker {
	r := Ranker{values, OutlineDirectory(width, DirectoryBits(len(values), width, spareBits))}
	r.dir.Build(values)
	return r
}

// Of returns the index of x, which must be in the set.
func (r *Ranker) Of(x uint64) uint64 {
	slot := r.dir.Slot(x)
	lo, hi := r.dir.Starts[slot], r.dir.Starts[slot+1]
	i, _ := slices.BinarySearch(r.values[lo:hi], x)
	return uint64(lo) + uint64(i)
}
