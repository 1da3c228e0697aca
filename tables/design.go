package tables

import (
	"fmt"
	"math/bits"
	"slices"

	"simsearch/hamming"
)

// A Design says which bits are the headers of a set of sorted tables.
//
// Two fingerprints within distance Exact() agree on the whole header of at least one
// table, so that there they are neighbours. Pairs within a larger distance are found
// by looking at headers up to Radii(k) bits away.
//
// Source: Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling", WWW 2007,
// section 3 (https://doi.org/10.1145/1242572.1242592).
//
// Designs are made of a fingerprint cut into blocks of nearly equal width. The
// header of a table is the complement of a set of blocks in which differences do no
// harm, its don't-care set: if every k blocks lie together in some don't-care set, the
// design finds distance k.
type Design struct {
	width        int
	exact        int
	load         int // the most headers that any one bit is in
	permutations []Permutation
}

// maxTables bounds what is built; C(26, 4) is a little below it.
const maxTables = 1 << 14

// NewDesign returns the design of all C(blocks, chosen) tables over fingerprints
// of width bits, each with another choice of blocks as its header (Manku, Jain, Das
// Sarma): by the pigeonhole principle it finds distance blocks-chosen. The header of
// the first table is the highest bits, so that its permutation is the identity.
//
// It reports an error unless 1 <= width <= 64, 1 <= chosen <= blocks <= width,
// and the number of tables is at most 16384.
func NewDesign(width, blocks, chosen int) (Design, error) {
	switch {
	case width < 1 || width > hamming.MaxBits:
		return Design{}, fmt.Errorf("tables: width %d outside [1, 64]", width)
	case blocks < 1 || blocks > width:
		return Design{}, fmt.Errorf("tables: %d blocks outside [1, %d]", blocks, width)
	case chosen < 1 || chosen > blocks:
		return Design{}, fmt.Errorf("tables: %d header blocks outside [1, %d]", chosen, blocks)
	}
	tables, ok := choose(blocks, chosen)
	if !ok || tables > maxTables {
		return Design{}, fmt.Errorf("tables: %d blocks taken %d at a time make more than %d tables", blocks, chosen, maxTables)
	}
	headers := make([]uint64, tables)
	subset := lowBits(chosen)
	for i := range headers {
		headers[i] = subset
		subset = NextSubset(subset)
	}
	return fromBlocks(width, blocks, blocks-chosen, headers), nil
}

// FromHeaders returns a design with the given headers, bit masks below 1<<width, as
// Headers gave them; exact is what Exact gave. Whether they find distance exact is
// taken on trust.
//
// It reports an error unless 1 <= width <= 64, 0 <= exact < width, there is a header
// and at most 16384 of them, none is 0, and the first is the highest bits.
func FromHeaders(width, exact int, headers []uint64) (Design, error) {
	switch {
	case width < 1 || width > hamming.MaxBits || exact < 0 || exact >= width:
		return Design{}, fmt.Errorf("tables: distance %d in fingerprints of %d bits", exact, width)
	case len(headers) == 0 || len(headers) > maxTables:
		return Design{}, fmt.Errorf("tables: %d tables outside [1, %d]", len(headers), maxTables)
	}
	for i, h := range headers {
		if h == 0 || h&^lowBits(width) != 0 || i == 0 && h != topBits(width, bits.OnesCount64(h)) {
			return Design{}, fmt.Errorf("tables: header %d is %#x in fingerprints of %d bits", i, h, width)
		}
	}
	d := Design{width: width, exact: exact}
	for _, h := range headers {
		d.permutations = append(d.permutations, NewPermutation(width, h))
	}
	for b := range width {
		n := 0
		for _, h := range headers {
			n += int(h >> b & 1)
		}
		d.load = max(d.load, n)
	}
	return d, nil
}

// Spread returns the design for fingerprints of width bits whose headers lie on the bits
// of mask alone, of which there must be d.Width(), below width: who is within Exact() is so
// on these bits, too. The header of the first table need not be the highest bits.
func (d Design) Spread(width int, mask uint64) Design {
	if bits.OnesCount64(mask) != d.width || mask&^lowBits(width) != 0 {
		panic(fmt.Sprintf("tables: a design of %d bits on the bits %#x of %d", d.width, mask, width))
	}
	onto := NewPermutation(width, mask)
	s := Design{width: width, exact: d.exact, load: d.load}
	for _, p := range d.permutations {
		s.permutations = append(s.permutations, NewPermutation(width, onto.Invert(p.Header()<<(width-d.width))))
	}
	return s
}

// fromBlocks makes a design of headers given as sets of blocks, bit i standing for
// block i. Blocks are renumbered so that the first header takes the first ones, which
// are the highest bits.
func fromBlocks(width, blocks, exact int, headers []uint64) Design {
	order := make([]int, 0, blocks) // the blocks from the highest bits down
	for _, inFirst := range []uint64{1, 0} {
		for b := range blocks {
			if headers[0]>>b&1 == inFirst {
				order = append(order, b)
			}
		}
	}
	masks := make([]uint64, blocks)
	for i, m := range blockMasks(width, blocks) {
		masks[order[i]] = m
	}
	bitHeaders := make([]uint64, len(headers))
	for i, h := range headers {
		for ; h != 0; h &= h - 1 {
			bitHeaders[i] |= masks[bits.TrailingZeros64(h)]
		}
	}
	d, err := FromHeaders(width, exact, bitHeaders)
	if err != nil {
		panic(err) // the callers' blocks make sound headers
	}
	return d
}

func topBits(width, n int) uint64 { return lowBits(width) &^ lowBits(width-n) }

// NextSubset returns the next larger number with as many set bits (Gosper's
// hack, HAKMEM item 175); past the last one in 64 bits the result means nothing.
func NextSubset(s uint64) uint64 {
	low := s & -s
	ripple := s + low
	return ripple | (s^ripple)>>2/low
}

// blockMasks cuts width bits into n blocks, the highest first; the first
// width mod n of them are one bit wider. More blocks than bits leave some empty.
func blockMasks(width, n int) []uint64 {
	masks := make([]uint64, n)
	top := width
	for i := range masks {
		size := width / n
		if i < width%n {
			size++
		}
		top -= size
		masks[i] = lowBits(size) << uint(top)
	}
	return masks
}

// choose returns C(n, k) and whether it stays small enough to be counted.
func choose(n, k int) (int, bool) {
	c := 1
	for i := 1; i <= min(k, n-k); i++ {
		c = c * (n - i + 1) / i
		if c > 1<<40 {
			return 0, false
		}
	}
	return c, true
}

// Width returns the number of bits of the fingerprints.
func (d Design) Width() int { return d.width }

// Exact returns the largest distance that implies an equal header in some table.
func (d Design) Exact() int { return d.exact }

// Permutations returns the permutations, one a table. The caller must not change it.
func (d Design) Permutations() []Permutation { return d.permutations }

// Headers returns the header of each table as a bit mask.
func (d Design) Headers() []uint64 {
	headers := make([]uint64, len(d.permutations))
	for i, p := range d.permutations {
		headers[i] = p.Header()
	}
	return headers
}

// HeaderBits returns the width of the narrowest header.
func (d Design) HeaderBits() int {
	n := hamming.MaxBits
	for _, p := range d.permutations {
		n = min(n, p.HeaderBits())
	}
	return n
}

// Radii appends to dst one radius a table, such that two fingerprints within
// distance k differ, in the header of at least one table, in at most its radius;
// -1 stands for a table that need not be looked at.
//
// Of two sufficient choices it takes the one with fewer headers to look up. First:
// leaving k-Exact() differing bits aside, the others spare some header, which
// then differs in at most those left aside. Second, the general pigeonhole
// principle (Qin, Wang, Xiao, "GPH: Similarity Search in Hamming Space", ICDE 2018):
// a differing bit is in at most load headers, so the headers differ in at most load·k
// bits together, and if every table exceeded its radius r these would be the sum of
// r+1 at least; so it suffices that this sum be load·k+1.
func (d Design) Radii(dst []int, k int) []int {
	start := len(dst)
	beyond := max(0, k-d.exact)
	tables := len(d.permutations)
	base, more := (d.load*k+1)/tables, (d.load*k+1)%tables
	average := 0.0
	uniform := 0.0
	for i, p := range d.permutations {
		r := base - 1
		if i < more {
			r = base
		}
		dst = append(dst, min(r, p.HeaderBits()))
		average += Ball(p.HeaderBits(), r)
		uniform += Ball(p.HeaderBits(), beyond)
	}
	if uniform <= average {
		dst = dst[:start]
		for _, p := range d.permutations {
			dst = append(dst, min(beyond, p.HeaderBits()))
		}
	}
	return dst
}

// Ball returns the number of values of n bits within distance r of one of them, as
// a float since it may be large; 0 if r is negative.
func Ball(n, r int) float64 {
	size, level := 0.0, 1.0 // level is C(n, i)
	for i := 0; i <= min(r, n); i++ {
		size += level
		level *= float64(n-i) / float64(i+1)
	}
	return size
}

// String returns the design in the form "6 tables, headers of 21 to 22 bits, exact
// to distance 3".
func (d Design) String() string {
	widths := make([]int, len(d.permutations))
	for i, p := range d.permutations {
		widths[i] = p.HeaderBits()
	}
	headers := fmt.Sprint(slices.Min(widths))
	if widest := slices.Max(widths); widest > d.HeaderBits() {
		headers += fmt.Sprintf(" to %d", widest)
	}
	return fmt.Sprintf("%d tables, headers of %s bits, exact to distance %d", len(d.permutations), headers, d.exact)
}
