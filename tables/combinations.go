package tables

import (
	"fmt"
	"math"
	"sort"
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
// The headers are those of NewDesign. The tables differ in their order: entries are sorted by the whole
// header, and not only by its first bits that a directory resolves. A query within Exact finds the first
// entry with its header by a binary search, which the directory narrows, and walks until the header
// changes. The answers are the same for every k.
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
	return d.combination.blocks, d.combination.chosen, d.byHeader()
}

// byHeader reports whether entries of tables are sorted by their whole headers.
func (d Design) byHeader() bool { return d.combination.blocks > 0 }

// EntriesAProbe returns the number of entries, among n uniform fingerprints, that are expected to have
// the header of a query: n / 2^h for headers of h bits, on average over the tables.
func (d Design) EntriesAProbe(n int) float64 {
	sum := 0.0
	for _, p := range d.permutations {
		sum += math.Ldexp(float64(n), -p.HeaderBits())
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
