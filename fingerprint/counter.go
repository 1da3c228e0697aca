package fingerprint

import "math/bits"

// A Counter tells repeated hashes apart. The zero value is ready; it keeps its memory, 24
// bytes a hash of the longest document, for the next.
type Counter struct {
	keys   []uint64
	places []uint32 // one more than the place of the key among the distinct ones; 0 where free
}

// Count moves the distinct hashes to the front, in the order in which they first occur, and
// returns them with how often each occurs, in memory of counts or, if that does not
// suffice, new memory.
func (c *Counter) Count(hashes []uint64, counts []uint32) (distinct []uint64, _ []uint32) {
	size := 1 << max(4, bits.Len(uint(2*len(hashes))))
	shift := uint(64 - bits.Len(uint(size-1)))
	if len(c.keys) < size {
		c.keys, c.places = make([]uint64, size), make([]uint32, size)
	}
	places, keys := c.places[:size], c.keys[:size]
	clear(places)
	n := uint32(0)
	counts = counts[:0]
	for _, h := range hashes {
		// Hashes are spread by multiplication, since not all have good upper bits.
		i := h * 0x9e3779b97f4a7c15 >> (shift & 63)
		for places[i] != 0 && keys[i] != h {
			i = (i + 1) & uint64(size-1)
		}
		if places[i] != 0 {
			counts[places[i]-1]++
			continue
		}
		hashes[n] = h // never past the hash that is looked at
		n++
		keys[i], places[i] = h, n
		counts = append(counts, 1)
	}
	return hashes[:n], counts
}
