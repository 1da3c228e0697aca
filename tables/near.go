package tables

import (
	"math/bits"

	"simsearch/hamming"
)

// Costs of a query in nanoseconds, as BenchmarkNear shows them; only the ratios
// decide between tables and scan.
const (
	costProbe     = 40   // a header looked up: directory, then table
	costCandidate = 0.7  // an entry compared
	costScan      = 0.35 // a value of the linear scan
)

// Near appends to dst a Match for every value within distance k of q, ordered by
// distance, then by value, and returns the extended slice. Match.Index is a
// position in Values.
//
// The answer is that of hamming.Scan for every k. Beyond the distance that equal
// headers promise, headers up to design.Radius(k) bits away are looked up too;
// where there would be too many of them, the values are scanned. Bits of q at or
// above the width must be 0. Near allocates only to grow dst. The error is
// ErrCorrupt, with dst as it was.
func (t *Tables) Near(dst []hamming.Match, q uint64, k int) ([]hamming.Match, error) {
	values := t.Values()
	if k < 0 || len(values) == 0 {
		return dst, nil
	}
	start := len(dst)
	radius := t.design.Radius(k)
	if t.scanIsCheaper(radius) {
		dst = hamming.Scan(dst, values, q, k)
		sortMatches(dst[start:])
		return dst, nil
	}
	for i := range t.tables {
		var err error
		if dst, err = t.nearIn(dst, i, q, k, radius); err != nil {
			return dst[:start], err
		}
	}
	sortMatches(dst[start:])
	return dst, nil
}

// scanIsCheaper compares the expected costs for uniform values.
func (t *Tables) scanIsCheaper(radius int) bool {
	n := float64(len(t.Values()))
	header := t.design.HeaderBits()
	probes, level := 0.0, 1.0 // level is C(header, r)
	for r := 0; r <= min(radius, header); r++ {
		probes += level
		level *= float64(header-r) / float64(r+1)
	}
	perHeader := n / float64(uint64(1)<<min(header, 63))
	return float64(len(t.tables))*probes*(costProbe+costCandidate*perHeader) > costScan*n
}

// nearIn looks up, in table i, q's header and all headers up to radius bits away.
func (t *Tables) nearIn(dst []hamming.Match, i int, q uint64, k, radius int) ([]hamming.Match, error) {
	tb := &t.tables[i]
	headerBits := tb.perm.HeaderBits()
	permuted := tb.perm.Apply(q)
	header := permuted >> uint(tb.perm.Width()-headerBits)
	for r := 0; r <= min(radius, headerBits); r++ {
		count := binomial(headerBits, r)
		flip := hamming.Mask(r)
		for range count {
			lo, hi, err := tb.run(header ^ flip)
			if err != nil {
				return dst, err
			}
			for j, x := range tb.entries[lo:hi] {
				if d := bits.OnesCount64(x ^ permuted); d <= k {
					if dst, err = t.found(dst, i, lo+j, q, d, radius); err != nil {
						return dst, err
					}
				}
			}
			if r > 0 {
				flip = hamming.NextSubset(flip)
			}
		}
	}
	return dst, nil
}

// found adds entry j of table i, at distance d from q, unless an earlier table
// has shown it already. So no set of results is needed.
func (t *Tables) found(dst []hamming.Match, i, j int, q uint64, d, radius int) ([]hamming.Match, error) {
	if i == 0 {
		return append(dst, hamming.Match{Index: uint32(j), Distance: uint8(d)}), nil
	}
	x := t.tables[i].perm.Invert(t.tables[i].entries[j])
	for e := range t.tables[:i] {
		if bits.OnesCount64((x^q)&t.tables[e].perm.Header()) <= radius {
			return dst, nil
		}
	}
	rank, err := t.rank(x)
	if err != nil {
		return dst, err
	}
	return append(dst, hamming.Match{Index: uint32(rank), Distance: uint8(d)}), nil
}

// binomial returns C(n, r) for n <= 64 and the small r of a probing radius.
func binomial(n, r int) int {
	c := 1
	for i := 1; i <= r; i++ {
		c = c * (n - i + 1) / i
	}
	return c
}
