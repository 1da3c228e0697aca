package tables

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sort"

	"simsearch/hamming"
)

// A Design is a list of headers, one for each of a set of sorted tables. A header is a set of bits of
// the fingerprint.
//
// Two fingerprints within distance Exact() agree on the whole header of at least one table, where
// they are neighbours. Pairs within a larger distance k are found by looking up headers that differ
// in at most radii(k) bits.
//
// A design cuts the fingerprint into blocks of nearly equal width. Each table has a don't-care set of
// blocks, and its header is the other blocks. The design finds distance k if any k blocks are all in
// the don't-care set of some table.
//
// Source: Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling", WWW 2007,
// section 3 (https://doi.org/10.1145/1242572.1242592).
type Design struct {
	width        int
	exact        int
	load         int // the largest number of headers that share a bit
	slots        int // the number of bits of the slots of dense tables; 0 if they are not dense
	permutations []Permutation
}

// maxTables is the largest number of tables of a design. C(26, 4) is a little below it.
const maxTables = 1 << 14

// NewDesign returns the design of Manku, Jain and Das Sarma (section 3) for fingerprints of width bits. A fingerprint
// is cut into blocks that are as equal as possible: where blocks does not divide width, some are one bit wider than
// the others. There is a table for each choice of chosen of the blocks, which are its header. By the pigeonhole
// principle it finds distance blocks-chosen. The header of the first table is the highest bits, so that its
// permutation is the identity.
//
// It returns an error unless 1 <= width <= 64, 1 <= chosen <= blocks <= width, and the number of
// tables, C(blocks, chosen), is at most 16384. Above that it is a *tooManyTables.
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
		return Design{}, &tooManyTables{blocks, chosen}
	}
	headers := make([]uint64, tables)
	subset := lowBits(chosen)
	for i := range headers {
		headers[i] = subset
		subset = nextSubset(subset)
	}
	return fromBlocks(width, blocks, blocks-chosen, headers), nil
}

// FromHeaders returns the design of the given headers, as Headers returns them, and of the distance
// that Exact returns. It does not check that the headers find that distance.
//
// It returns an error unless 1 <= width <= 64, 0 <= exact < width, there are 1 to 16384 headers, each
// in [1, 1<<width), and the first is the highest bits.
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

// spread returns a design for fingerprints of width bits that has the headers of d on the bits of
// mask. It finds the same distance: fingerprints within Exact() are so on the bits of mask, too. The
// header of its first table need not be the highest bits. It panics unless mask has d.Width() bits,
// all below width.
func (d Design) spread(width int, mask uint64) Design {
	if bits.OnesCount64(mask) != d.width || mask&^lowBits(width) != 0 {
		panic(fmt.Sprintf("tables: a design of %d bits on the bits %#x of %d", d.width, mask, width))
	}
	onto := NewPermutation(width, mask)
	s := Design{width: width, exact: d.exact, load: d.load}
	for _, p := range d.permutations {
		s.permutations = append(s.permutations, NewPermutation(width, onto.invert(p.Header()<<(width-d.width))))
	}
	return s
}

// fromBlocks returns the design of headers that are sets of blocks: bit i stands for block i. It
// renumbers the blocks so that the first header is the highest bits.
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
		panic(err) // the callers' blocks make valid headers
	}
	return d
}

func topBits(width, n int) uint64 { return lowBits(width) &^ lowBits(width-n) }

// nextSubset returns the next larger number with the same number of set bits (Gosper's hack, HAKMEM
// item 175, with a shift for its division). The result is undefined if there is none below 1<<64.
func nextSubset(s uint64) uint64 {
	low := s & -s
	ripple := s + low
	return ripple | (s^ripple)>>2>>(bits.TrailingZeros64(low)&63)
}

// subsets yields the numbers of n bits, at most 63, of which d are set, ascending. There are none if d is more than n.
func subsets(n, d int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for s := lowBits(d); s>>n == 0 && yield(s) && s != 0; s = nextSubset(s) {
		}
	}
}

// blockMasks cuts width bits into n blocks, the highest first. The first width mod n blocks are one bit
// wider than the others. If n exceeds width, the last blocks are empty.
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

// choose returns C(n, k), and false instead if that exceeds 1<<40.
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

// Blocks returns G and g of a design of all choices of g of G blocks, as NewDesign makes it. ok is false for other
// designs.
func (d Design) Blocks() (blocks, headerBlocks int, ok bool) {
	for g := 1; d.exact+g <= d.width; g++ {
		n, ok := choose(d.exact+g, g)
		if !ok || n > len(d.permutations) {
			break
		}
		if all, err := NewDesign(d.width, d.exact+g, g); err == nil && slices.Equal(all.Headers(), d.Headers()) {
			return d.exact + g, g, true
		}
	}
	return 0, 0, false
}

// Width returns the number of bits of the fingerprints.
func (d Design) Width() int { return d.width }

// Exact returns the largest distance that implies an equal header in some table.
func (d Design) Exact() int { return d.exact }

// Permutations returns the permutation of each table, which brings its header to the top. The caller
// must not change the slice.
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

// radii appends to dst one radius for each table, and returns the extended slice. Of two fingerprints
// within distance k, the headers of at least one table differ in at most its radius of bits. A radius
// of -1 means that the table can be skipped.
//
// There are two choices, of which radii takes the one with fewer headers to look up:
//
//   - The same radius k-Exact() for all tables. Let two fingerprints differ in k bits. Without
//     k-Exact() of these bits they would have some header in common. With them, this header differs
//     in at most k-Exact() bits.
//   - The general pigeonhole principle (Qin, Wang, Xiao, "GPH: Similarity Search in Hamming Space",
//     ICDE 2018). A bit is in at most load headers, so the headers differ in at most load·k bits
//     altogether. If every table exceeded its radius r, they would differ in the sum of all r+1 at
//     least. So it suffices that this sum is load·k+1.
//
// Then lower takes from the radii what is not needed.
func (d Design) radii(dst []int, k int) []int {
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
		average += ball(p.HeaderBits(), r)
		uniform += ball(p.HeaderBits(), beyond)
	}
	if uniform <= average {
		dst = dst[:start]
		for _, p := range d.permutations {
			dst = append(dst, min(beyond, p.HeaderBits()))
		}
	}
	if k > d.exact && k <= lowerTo {
		d.lower(dst[start:], k)
	}
	return dst
}

// lowerWithin is the largest number of ways to place differing bits that lower tries.
const lowerWithin = 2000

// lowerTo is the largest distance for which lower is tried: beyond it, comparing all values is faster.
const lowerTo = 16

// lower lowers radii as long as two fingerprints within distance k still have a table in whose header they differ in
// no more bits. It tries all ways to place k differing bits, by the headers that the bits are in, if these are few.
// In five tables for distance 3 among ten million, 41 headers are looked up then at k = 4, instead of 78, and 78 at k
// = 6, instead of 573.
func (d Design) lower(radii []int, k int) {
	classes := d.classes()
	if ways, ok := choose(k+len(classes)-1, k); len(classes) == 0 || !ok || ways > lowerWithin {
		return
	}
	differ := make([]int, len(radii))
	for r := slices.Max(radii); r >= 0; r-- { // large radii first
		for i := range radii {
			if radii[i] != r {
				continue
			}
			if radii[i]--; !suffice(radii, differ, classes, k) {
				radii[i]++
			}
		}
	}
}

// classes returns the sets of tables whose headers have some bit in common, as masks, and nil if there are more than
// 64 tables.
func (d Design) classes() (classes []uint64) {
	if len(d.permutations) > 64 {
		return nil
	}
	for b := range d.width {
		class := uint64(0)
		for i, p := range d.permutations {
			class |= p.Header() >> b & 1 << i
		}
		if !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	return classes
}

// suffice reports whether each way to place left more differing bits in classes leaves a table with no more than its
// radius. differ has how many bits differ in each header so far.
func suffice(radii, differ []int, classes []uint64, left int) bool {
	if len(classes) == 1 || left == 0 {
		for i, r := range radii {
			if differ[i]+left*int(classes[0]>>i&1) <= r {
				return true
			}
		}
		return false
	}
	class, ok := classes[0], true
	place := func(n int) {
		for c := class; c != 0; c &= c - 1 {
			differ[bits.TrailingZeros64(c)] += n
		}
	}
	n := 0
	for ; n <= left && ok; n++ {
		ok = suffice(radii, differ, classes[1:], left-n)
		place(1)
	}
	place(-n)
	return ok
}

// ball returns the number of values of n bits within distance r of any one of them. It is 0 if r is
// negative.
func ball(n, r int) float64 {
	size, level := 0.0, 1.0 // level is C(n, i)
	for i := 0; i <= min(r, n); i++ {
		size += level
		level *= float64(n-i) / float64(i+1)
	}
	return size
}

// String returns the design in the form "6 tables, headers of 21 to 22 bits, exact to distance 3". That all choices of
// some blocks are its headers stands before that.
func (d Design) String() string {
	widths := make([]int, len(d.permutations))
	for i, p := range d.permutations {
		widths[i] = p.HeaderBits()
	}
	headers := fmt.Sprint(slices.Min(widths))
	if widest := slices.Max(widths); widest > d.HeaderBits() {
		headers += fmt.Sprintf(" to %d", widest)
	}
	chosen := ""
	if blocks, g, ok := d.Blocks(); ok {
		chosen = fmt.Sprintf("all choices of g = %d of G = %d blocks: ", g, blocks)
	}
	return fmt.Sprintf("%s%d tables, headers of %s bits, exact to distance %d", chosen, len(d.permutations), headers, d.exact)
}

// EntriesAProbe returns the number of entries, among n uniform fingerprints, that a look-up is expected to lead to:
// n / 2^b for b bits of the header that the directory has, all of them or about log2 n. It is the mean of the tables.
func (d Design) EntriesAProbe(n int) float64 {
	sum := 0.0
	for _, p := range d.permutations {
		sum += math.Ldexp(float64(n), -directoryBits(n, p.HeaderBits()))
	}
	return sum / float64(max(1, len(d.permutations)))
}

// Expected says in a phrase what EntriesAProbe returns: "1.53 entries expected a probe".
func (d Design) Expected(n int) string {
	return fmt.Sprintf("%.3g entries expected a probe", d.EntriesAProbe(n))
}

// A tooManyTables says that a choice of blocks makes more tables than a design may have.
type tooManyTables struct{ Blocks, HeaderBlocks int }

// Error names the limit, and a choice for the same distance that keeps it.
func (e *tooManyTables) Error() string {
	of, exact := "", e.Blocks-e.HeaderBlocks
	if n, ok := choose(e.Blocks, e.HeaderBlocks); ok {
		of = fmt.Sprintf("%d tables, ", n)
	}
	text := fmt.Sprintf("tables: %d header blocks of %d make %smore than %d", e.HeaderBlocks, e.Blocks, of, maxTables)
	if of == "" {
		text += " tables"
	}
	// The more blocks, the longer are headers, and the more tables there are.
	chosen := sort.Search(e.HeaderBlocks, func(g int) bool { n, ok := choose(exact+g+1, g+1); return !ok || n > maxTables })
	if chosen == 0 {
		return text
	}
	n, _ := choose(exact+chosen, chosen)
	return fmt.Sprintf("%s: choose at most %d header blocks of %d, which leave out as many and make %d", text, chosen, exact+chosen, n)
}
