package lsh

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"simsearch/internal/radix"
	"simsearch/section"
)

// MaxRows is the largest number of rows of a band in Tables: its key is a byte a row.
const MaxRows = maxRows

// MaxBands is the largest number of bands of Tables: a file of theirs, and of what belongs to
// it, has room for the sections of so many.
const MaxBands = (section.MaxSections - otherSections) / sectionsPerBand

const sectionsPerBand, otherSections = 3, 1 << 14

// Storable returns an error if no Tables can have such bands, since Load would refuse them.
func (b Bands) Storable() error {
	if b.Bands < 1 || b.Bands > MaxBands || b.Rows < 1 || b.Rows > MaxRows {
		return fmt.Errorf("lsh: %d bands of %d rows: an index has room for 1 to %d of 1 to %d", b.Bands, b.Rows, MaxBands, MaxRows)
	}
	return nil
}

// Tables list, for each band, all sets in the order of their keys. They are immutable and
// safe for concurrent use.
type Tables struct {
	bands  Bands
	n      int
	tables []table
}

// A table is one band's: keys ascending, and the set of each. Sets of one key ascend.
// Those of a file are checked block by block, when they are first used.
type table struct {
	dirBits uint
	dir     section.Array[uint32] // the first entry whose key's upper bits are no less than the place; the last is n
	keys    section.Array[uint64]
	sets    section.Array[uint32]
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
	t := table{dirBits: directoryBits(n, b.Rows)}
	keys, sets, dir := make([]uint64, n), make([]uint32, n), make([]uint32, 1<<t.dirBits+1)
	for set := range n {
		keys[set] = key(s.Of(uint32(set))[i*b.Rows:], b.Rows)
		sets[set] = uint32(set)
	}
	radix.SortPairs(keys, sets)
	place := 0
	for at, k := range keys {
		for ; place <= int(k>>(64-t.dirBits)); place++ {
			dir[place] = uint32(at)
		}
	}
	for ; place < len(dir); place++ {
		dir[place] = uint32(n)
	}
	t.dir, t.keys, t.sets = section.Checked(dir), section.Checked(keys), section.Checked(sets)
	return t
}

// Candidates appends the sets whose signatures agree with one on the first depth rows of
// some band, depth in [1, Rows], ascending and each once, and returns the extended slice.
// The error is section.ErrCorrupt, of tables that were loaded, with dst as it was.
func (t *Tables) Candidates(dst []uint32, signature []byte, depth int) ([]uint32, error) {
	start := len(dst)
	for i := range t.tables {
		tb := &t.tables[i]
		lo, hi, err := tb.find(key(signature[i*t.bands.Rows:], depth), depth)
		if err != nil {
			return dst[:start], err
		}
		sets, err := tb.sets.Range(lo, hi)
		if err != nil {
			return dst[:start], err
		}
		dst = append(dst, sets...)
	}
	found := dst[start:]
	slices.Sort(found)
	if n := len(found); n > 0 && uint64(found[n-1]) >= uint64(t.n) {
		return dst[:start], t.badSet(found[n-1])
	}
	return dst[:start+len(slices.Compact(found))], nil
}

// badSet returns the error of a set that there is not: it names the first entry that has it.
func (t *Tables) badSet(set uint32) error {
	for i := range t.tables {
		sets := &t.tables[i].sets
		if at := slices.Index(sets.All, set); at >= 0 {
			return sets.Corruptf(uint64(at), "set %d of %d", set, t.n)
		}
	}
	return &section.CorruptError{Offset: -1, Reason: fmt.Sprintf("set %d of %d", set, t.n)}
}

// find returns the entries [lo, hi) whose keys begin with the first depth bytes of k.
func (t *table) find(k uint64, depth int) (lo, hi uint64, err error) {
	last := k | ^uint64(0)>>(8*depth) // the largest key that begins so
	from, err := t.dir.At(k >> (64 - t.dirBits))
	if err != nil {
		return 0, 0, err
	}
	to, err := t.dir.At(last>>(64-t.dirBits) + 1)
	if err != nil {
		return 0, 0, err
	}
	if from > to || uint64(to) > uint64(t.keys.Len()) {
		return 0, 0, t.dir.Corruptf(k>>(64-t.dirBits), "it leads to entries [%d, %d) of %d", from, to, t.keys.Len())
	}
	keys, err := t.keys.Range(uint64(from), uint64(to))
	if err != nil {
		return 0, 0, err
	}
	first := sort.Search(len(keys), func(i int) bool { return keys[i] >= k })
	n := sort.Search(len(keys)-first, func(i int) bool { return keys[first+i] > last })
	return uint64(from) + uint64(first), uint64(from) + uint64(first+n), nil
}
