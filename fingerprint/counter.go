package fingerprint

import "math/bits"

// A Counter counts repeated hashes. The zero value is ready to use. It keeps its memory for the next
// document: at most 64 bytes for each hash of the longest one.
type Counter struct {
	keys   []uint64
	places []uint32 // a hash table: one more than the index of a distinct hash, or 0
}

// Count moves the distinct hashes to the front, in the order in which they first occur. It returns them,
// and how often each occurs. The counts are in the memory of the argument counts if that is enough, and
// otherwise in new memory.
func (c *Counter) Count(hashes []uint64, counts []uint32) (distinct []uint64, _ []uint32) {
	size := 1 << max(4, bits.Len(uint(2*len(hashes))))
	shift := uint(64 - bits.Len(uint(size-1)))
	if len(c.keys) < size {
		c.keys = make([]uint64, size)
	}
	if len(c.places) < size {
		c.places = make([]uint32, size)
	}
	places, keys := c.places[:size], c.keys[:size]
	clear(places)
	n := uint32(0)
	counts = counts[:0]
	for _, h := range hashes {
		// The multiplication is for hashes that are not uniform in their upper bits.
		i := h * 0x9e3779b97f4a7c15 >> (shift & 63)
		for places[i] != 0 && keys[i] != h {
			i = (i + 1) & uint64(size-1)
		}
		if places[i] != 0 {
			counts[places[i]-1]++
			continue
		}
		hashes[n] = h // n is never beyond the hash that is looked at
		n++
		keys[i], places[i] = h, n
		counts = append(counts, 1)
	}
	return hashes[:n], counts
}
