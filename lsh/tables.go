package lsh

import (
	"fmt"
	"slices"
	"sort"

	"simsearch/internal/ints"
	"simsearch/section"
)

// The key of a band begins with its first position. So all sets that agree on the first d rows are
// neighbours, as in an LSH forest, and one set of tables serves every threshold: lower thresholds look up
// fewer rows. Where even one row finds too little, the caller can compare all signatures, at about 90 ns
// each (go test ./minhash -bench Agree).

// MaxRows is the largest number of rows of a band of Tables. A key has a byte for each row.
const MaxRows = 8

// MaxBands is the largest number of bands of Tables. A file has room for the sections of these bands, and
// for 1<<14 other sections.
const MaxBands = (section.MaxSections - otherSections) / sectionsPerBand

const sectionsPerBand, otherSections = 3, 1 << 14

// Storable returns an error if Load would refuse Tables with these bands.
func (b Bands) Storable() error {
	if b.Bands < 1 || b.Bands > MaxBands || b.Rows < 1 || b.Rows > MaxRows {
		return fmt.Errorf("lsh: %d bands of %d rows: an index has room for 1 to %d of 1 to %d", b.Bands, b.Rows, MaxBands, MaxRows)
	}
	return nil
}

// Tables have for each band a list of all sets, in the order of their keys. They are immutable and safe for
// concurrent use.
type Tables struct {
	bands  Bands
	n      int
	tables []table
}

// A table is the table of one band: its keys in ascending order, and the set of each key. The sets of one
// key ascend. The guards check the bytes of a file.
type table struct {
	dir      ints.Directory // of keys
	dirGuard *section.Guard // of its bytes
	keys     section.Array[uint64]
	sets     section.Array[uint32]
}

// Bands returns the bands that signatures are cut into.
func (t *Tables) Bands() Bands { return t.bands }

// spare is the parameter of ints.DirectoryBits that gives a slot four to eight entries on average. They are
// searched by binary search.
const spare = 2

// outline returns the table of a band of n sets, without its contents.
func outline(n, rows int) table {
	return table{dir: ints.OutlineDirectory(64, ints.DirectoryBits(n, 8*rows, spare))}
}

// newTable returns the table of band i.
func newTable(s *Signatures, b Bands, i int) table {
	t := outline(s.Len(), b.Rows)
	keys, sets := s.sorted(b, i, nil)
	t.dir.Build(keys)
	t.keys, t.sets = section.Checked(keys), section.Checked(sets)
	return t
}

// Candidates appends to dst the sets that agree with a signature on the first b.Rows rows of one of the first b.Bands
// bands, and returns the extended slice. The sets are in ascending order, each once. b is Within the bands of t. It
// allocates only to grow dst. The error is section.ErrCorrupt, which only loaded tables return. Then dst
// is returned as it was.
func (t *Tables) Candidates(dst []uint32, signature []byte, b Bands) ([]uint32, error) {
	start, depth := len(dst), b.Rows
	for i := range b.Bands {
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

// badSet returns the error of a set that does not exist. It names the first entry with that set.
func (t *Tables) badSet(set uint32) error {
	for i := range t.tables {
		sets := &t.tables[i].sets
		if at := slices.Index(sets.All, set); at >= 0 {
			return sets.Corruptf(uint64(at), "set %d of %d", set, t.n)
		}
	}
	return &section.CorruptError{Offset: -1, Reason: fmt.Sprintf("set %d of %d", set, t.n)}
}

// find returns the entries [lo, hi) with keys that begin with the first depth bytes of k.
func (t *table) find(k uint64, depth int) (lo, hi uint64, err error) {
	last := k | ^uint64(0)>>(8*depth) // the largest key that begins so
	from, to := t.dir.Slot(k), t.dir.Slot(last)
	if !t.dirGuard.Whole() {
		if err := t.dir.Check(from, to); err != nil {
			return 0, 0, err
		}
	}
	start, end, ok := t.dir.Entries(from, to, t.keys.Len())
	if !ok {
		return 0, 0, t.dir.Bad(from, to, t.keys.Len())
	}
	keys, err := t.keys.Range(uint64(start), uint64(end))
	if err != nil {
		return 0, 0, err
	}
	first := sort.Search(len(keys), func(i int) bool { return keys[i] >= k })
	n := sort.Search(len(keys)-first, func(i int) bool { return keys[first+i] > last })
	return uint64(start + first), uint64(start + first + n), nil
}
