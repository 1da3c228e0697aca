package tables

import (
	"cmp"
	"fmt"
	"math"
	"sort"

	"simsearch/hamming"
)

// A combination is the blocks of a design of Combinations. The zero value is that of other designs.
type combination struct{ blocks, chosen int }

// String returns "all choices of g = 3 of G = 6 blocks: ", or "" for other designs.
func (c combination) String() string {
	if c.blocks == 0 {
		return ""
	}
	return fmt.Sprintf("all choices of g = %d of G = %d blocks: ", c.chosen, c.blocks)
}

// Combinations returns the design of Manku, Jain and Das Sarma (section 3) for tables as their paper
// has them. A fingerprint of the given number of bits, in [1, 64], is cut into blocks that are as equal
// as possible: where blocks does not divide bits, some of the highest ones are one bit wider than the
// others. There is a table for each choice of headerBlocks of the blocks, which are its header. Two
// fingerprints within distance blocks-headerBlocks have an equal header in some table.
//
// The headers are those of NewDesign. The tables differ: each is a sorted list of permuted fingerprints, and
// nothing else. A query within Exact finds the first entry with its header by binary search in each of them,
// and walks until the header changes. A query beyond Exact is compared with all values. This is the
// simplest search of tables, with which tests compare the fast one.
//
// It returns an error unless 1 <= bits <= 64 and 1 <= headerBlocks <= blocks <= bits, and a
// *tooManyTables above 16384 tables.
func Combinations(bits, blocks, headerBlocks int) (Design, error) {
	d, err := NewDesign(bits, blocks, headerBlocks)
	if err == nil {
		d.combination = combination{blocks, headerBlocks}
	}
	return d, err
}

// Blocks returns the blocks of a design of Combinations: G, their number, and g, the number of those in a
// header. ok is false for other designs.
func (d Design) Blocks() (blocks, headerBlocks int, ok bool) {
	return d.combination.blocks, d.combination.chosen, d.byHand()
}

// byHand reports whether the design is one of Combinations.
func (d Design) byHand() bool { return d.combination.blocks > 0 }

// nearByHand finds the header of q in each table by binary search, and compares the entries from there to the first with
// another header. Where very many values share a header, it gives up when it has compared as many entries as there are
// values. s.k is at most Design.Exact.
func (t *Tables) nearByHand(dst []hamming.Match, s search) ([]hamming.Match, error) {
	most := int64(max(heavyFrom, len(t.values)))
	for i := range t.tables {
		tb := &t.tables[i]
		tail := tb.perm.Width() - tb.perm.HeaderBits()
		permuted := tb.perm.Apply(s.q)
		var err error
		entry := func(j int) (x uint64) {
			if err = cmp.Or(err, tb.guards.checkLow(j, j+1), tb.guards.checkRest(j, j+1)); err == nil {
				x = tb.tails.at(j)
			}
			return x
		}
		s.count.stats.LookUps++
		first := sort.Search(len(t.values), func(j int) bool { return entry(j)>>tail >= permuted>>tail })
		for j := first; j < len(t.values) && err == nil; j++ {
			x := entry(j)
			if err != nil || x>>tail != permuted>>tail {
				break
			}
			if s.count.stats.Compared == most {
				return dst, errScan
			}
			s.count.stats.Compared++
			if d := hamming.Distance(x, permuted); d <= s.k {
				dst, err = t.found(dst, i, j, x, d, s)
			}
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// searchBits returns the number of bits of a header by which a search finds entries in table i of n: all of them in a
// table by hand, and else those that its directory resolves.
func (d Design) searchBits(n, i int) int {
	header := d.permutations[i].HeaderBits()
	if d.byHand() {
		return header
	}
	return directoryBits(n, header)
}

// entries returns the number of entries of table i, among n uniform fingerprints, that a look-up is expected to lead to.
func (d Design) entries(n, i int) float64 { return math.Ldexp(float64(n), -d.searchBits(n, i)) }

// EntriesAProbe returns the number of entries, among n uniform fingerprints, that a look-up is expected to lead to: n / 2^h
// for tables by hand with headers of h bits, and about one for others. It is the mean of the tables.
func (d Design) EntriesAProbe(n int) float64 {
	sum := 0.0
	for i := range d.permutations {
		sum += d.entries(n, i)
	}
	return sum / float64(max(1, len(d.permutations)))
}

// Expected says in a phrase what EntriesAProbe returns: "0.000272 entries expected a probe".
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
