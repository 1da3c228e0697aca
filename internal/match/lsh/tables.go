package lsh

import (
	"fmt"
	"slices"

	"simsearch/internal/ground/section"
)

// The key of a band begins with its first position. So all sets that agree on the first d rows are
// neighbours, as in an LSH forest, and one set of tables serves every threshold: lower thresholds look up
// fewer rows. Where even one row finds too little, the caller can compare all signatures, at about 90 ns
// each (go test ./minhash -bench Agree).
//
// A table does not have the keys, which are those of the signatures: they would take twice its bytes, and a search
// compares a few of them only.

// MaxRows is the largest number of rows of a band of Tables. A key has a byte for each row.
const MaxRows = 8

// MaxBands is the largest number of bands of Tables. A file has room for the sections of these bands, and
// for as many others.
const MaxBands = section.MaxSections / 4

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
	bands      Bands
	positions  int
	signatures section.Array[byte]
	tables     []section.Array[uint32] // the sets of each band; those of one key ascend
}

// Bands returns the bands that signatures are cut into.
func (t *Tables) Bands() Bands { return t.bands }

// entry returns the set at a place of the table of a band, and its key.
func (t *Tables) entry(band int, at uint64) (set uint32, k uint64) {
	set = t.tables[band].At(at)
	if int(set) >= t.tables[band].Len() {
		panic(t.tables[band].Corruptf(at, "set %d of %d", set, t.tables[band].Len()))
	}
	from := uint64(set)*uint64(t.positions) + uint64(band*t.bands.Rows)
	p := t.signatures.Range(from, from+uint64(t.bands.Rows))
	return set, key(p, t.bands.Rows)
}

// Candidates appends to dst the sets that agree with a signature on the first b.Rows rows of one of the first b.Bands
// bands, and returns the extended slice. The sets are in ascending order, each once. b is Within the bands of t. It
// allocates only to grow dst.
func (t *Tables) Candidates(dst []uint32, signature []byte, b Bands) []uint32 {
	start := len(dst)
	for band := range b.Bands {
		dst = t.find(dst, band, key(signature[band*t.bands.Rows:], b.Rows), b.Rows)
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))]
}

// find appends the sets of a band with keys that begin with the first depth bytes of k.
func (t *Tables) find(dst []uint32, band int, k uint64, depth int) []uint32 {
	lo, hi := uint64(0), uint64(t.tables[band].Len())
	for n := hi; lo < n; {
		middle := lo + (n-lo)/2
		_, at := t.entry(band, middle)
		if at < k {
			lo = middle + 1
		} else {
			n = middle
		}
	}
	last := k | ^uint64(0)>>(8*depth) // the largest key that begins so
	for ; lo < hi; lo++ {
		set, at := t.entry(band, lo)
		if at > last {
			return dst
		}
		dst = append(dst, set)
	}
	return dst
}

// Check returns an error if the tables break a rule of internal/ground/section/FORMAT.md that checksums do not tell:
// each
// band has each set once, and they are in order. All bytes must have passed their
// checksums. The error is section.ErrCorrupt.
func (t *Tables) Check() error {
	for band := range t.tables {
		before, least := uint32(0), uint64(0)
		for at := range t.tables[band].All {
			set, k := t.entry(band, uint64(at))
			if at > 0 && (k < least || k == least && set <= before) { // so that no set comes twice
				return t.tables[band].Corruptf(uint64(at), "set %d is not in order", set)
			}
			before, least = set, k
		}
	}
	return nil
}
