package dedup

import "simsearch/internal/ints"

// ordersByLength reports whether the order of documents is that of their lengths, or of the input, and of nothing else.
func (c *Collection) ordersByLength() bool {
	return c.rank == nil && c.keys == nil && c.o.Contained == 0
}

// orderByLength returns what Collection.order returns if ordersByLength, without comparing: sets are sorted by numbers that
// have the length of a document in the upper half, unless the first document is kept, and its place in the lower half.
func (c *Collection) orderByLength(best []uint32) (order []uint32, refs int) {
	of, others := make([]uint32, 0, len(best)), make([]uint32, 0, len(best))
	for set, doc := range best {
		if doc < c.starts[c.refs] {
			of = append(of, uint32(set))
		} else {
			others = append(others, uint32(set))
		}
	}
	for _, sets := range [][]uint32{of, others} {
		keys := make([]uint64, len(sets))
		for i, set := range sets {
			if keys[i] = uint64(best[set]); c.o.Keep.Way == Longest {
				keys[i] |= uint64(^c.lengths[best[set]]) << 32
			}
		}
		ints.SortPairs(keys, sets)
	}
	return append(of, others...), len(of)
}
