package lsh

import (
	"errors"
	"math/bits"
	"slices"
	"sort"

	"simsearch/internal/radix"
)

// MaxRows is the largest number of rows of a band in Tables: its key is a byte a row.
const MaxRows = maxRows

// ErrCorrupt marks tables whose bytes break a rule of docs/FORMAT.md.
var ErrCorrupt = errors.New("corrupt bands")

// Tables list, for each band, all sets in the order of their keys. They are immutable and
// safe for concurrent use.
type Tables struct {
	bands  Bands
	n      int
	tables []table
}

// A table is one band's: keys ascending, and the set of each. Sets of one key ascend.
type table struct {
	dirBits uint
	dir     []uint32 // the first entry whose key's upper bits are no less than the place; the last is n
	keys    []uint64
	sets    []uint32
}

// Bands returns how signatures are cut.
func (t *Tables) Bands() Bands { return t.bands }

// directoryBits returns how many upper bits of a key a directory over n entries resolves:
// a place for about eight entries, and no bits that keys do not have.
func directoryBits(n, rows int) uint {
	return uint(min(8*rows, max(0, bits.Len(uint(n))-3)))
}

// newTable returns the table of band i.
func newTable(s *Signatures, b Bands, i int) table {
	n := s.Len()
	t := table{dirBits: directoryBits(n, b.Rows), keys: make([]uint64, n), sets: make([]uint32, n)}
	for set := range n {
		t.keys[set] = key(s.Of(uint32(set))[i*b.Rows:], b.Rows)
		t.sets[set] = uint32(set)
	}
	radix.SortPairs(t.keys, t.sets)
	t.dir = make([]uint32, 1<<t.dirBits+1)
	place := 0
	for at, k := range t.keys {
		for ; place <= int(k>>(64-t.dirBits)); place++ {
			t.dir[place] = uint32(at)
		}
	}
	for ; place < len(t.dir); place++ {
		t.dir[place] = uint32(n)
	}
	return t
}

// Candidates appends the sets whose signatures agree with one on the first depth rows of
// some band, depth in [1, Rows], ascending and each once, and returns the extended slice.
// The error is ErrCorrupt, with dst as it was.
func (t *Tables) Candidates(dst []uint32, signature []byte, depth int) ([]uint32, error) {
	start := len(dst)
	for i := range t.tables {
		tb := &t.tables[i]
		lo, hi, err := tb.find(key(signature[i*t.bands.Rows:], depth), depth)
		if err != nil {
			return dst[:start], err
		}
		dst = append(dst, tb.sets[lo:hi]...)
	}
	found := dst[start:]
	slices.Sort(found)
	if n := len(found); n > 0 && uint64(found[n-1]) >= uint64(t.n) {
		return dst[:start], corruptf("set %d of %d", found[n-1], t.n)
	}
	return dst[:start+len(slices.Compact(found))], nil
}

// find returns the entries [lo, hi) whose keys begin with the first depth bytes of k.
func (t *table) find(k uint64, depth int) (lo, hi int, err error) {
	last := k | ^uint64(0)>>(8*depth) // the largest key that begins so
	from, to := t.dir[k>>(64-t.dirBits)], t.dir[last>>(64-t.dirBits)+1]
	if from > to || uint64(to) > uint64(len(t.keys)) {
		return 0, 0, corruptf("a directory leads to entries [%d, %d) of %d", from, to, len(t.keys))
	}
	keys := t.keys[from:to]
	lo = sort.Search(len(keys), func(i int) bool { return keys[i] >= k })
	hi = lo + sort.Search(len(keys)-lo, func(i int) bool { return keys[lo+i] > last })
	return int(from) + lo, int(from) + hi, nil
}
