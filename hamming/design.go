package hamming

import (
	"fmt"
	"math/bits"
)

// A Design says which bits are the headers of a set of sorted tables.
//
// Its fingerprints are cut into G blocks of nearly equal width, and there is one
// table for each choice of g of them as header. By the pigeonhole principle two
// fingerprints within distance k <= G-g agree on the whole header of at least
// one table, so that there they are neighbours. Farther pairs are found by
// looking at headers up to Radius(k) bits away.
type Design struct {
	width  int
	blocks int // G
	chosen int // g
	perms  []Permutation
}

// maxTables bounds what NewDesign builds; C(26, 4) is a little below it.
const maxTables = 1 << 14

// NewDesign returns the design of all C(blocks, chosen) tables over fingerprints
// of width bits. The header of the first table is the highest bits, so that its
// permutation is the identity.
//
// It reports an error unless 1 <= width <= 64, 1 <= chosen <= blocks <= width,
// and the number of tables is at most 16384.
func NewDesign(width, blocks, chosen int) (Design, error) {
	switch {
	case width < 1 || width > MaxBits:
		return Design{}, fmt.Errorf("hamming: width %d outside [1, 64]", width)
	case blocks < 1 || blocks > width:
		return Design{}, fmt.Errorf("hamming: %d blocks outside [1, %d]", blocks, width)
	case chosen < 1 || chosen > blocks:
		return Design{}, fmt.Errorf("hamming: %d header blocks outside [1, %d]", chosen, blocks)
	}
	tables, ok := choose(blocks, chosen)
	if !ok || tables > maxTables {
		return Design{}, fmt.Errorf("hamming: %d blocks taken %d at a time make more than %d tables", blocks, chosen, maxTables)
	}
	masks := blockMasks(width, blocks)
	d := Design{width: width, blocks: blocks, chosen: chosen}
	// Bit i of a subset stands for block i, block 0 being on top.
	subset := Mask(chosen)
	for range tables {
		var header uint64
		for s := subset; s != 0; s &= s - 1 {
			header |= masks[bits.TrailingZeros64(s)]
		}
		d.perms = append(d.perms, NewPermutation(width, header))
		subset = NextSubset(subset)
	}
	return d, nil
}

// NextSubset returns the next larger number with as many set bits (Gosper's
// hack, HAKMEM item 175); past the last one in 64 bits the result means nothing.
func NextSubset(s uint64) uint64 {
	low := s & -s
	ripple := s + low
	return ripple | (s^ripple)>>2/low
}

// blockMasks cuts width bits into n blocks, the highest first; the first
// width mod n of them are one bit wider.
func blockMasks(width, n int) []uint64 {
	masks := make([]uint64, n)
	top := width
	for i := range masks {
		size := width / n
		if i < width%n {
			size++
		}
		top -= size
		masks[i] = Mask(size) << top
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

// Blocks returns G, the number of blocks.
func (d Design) Blocks() int { return d.blocks }

// Chosen returns g, the number of blocks in a header.
func (d Design) Chosen() int { return d.chosen }

// Tables returns the permutations, one a table. The caller must not change it.
func (d Design) Tables() []Permutation { return d.perms }

// HeaderBits returns the width of the narrowest header.
func (d Design) HeaderBits() int {
	return d.chosen*(d.width/d.blocks) + max(0, d.chosen-(d.blocks-d.width%d.blocks))
}

// MaxExact returns the largest k for which Radius(k) is 0.
func (d Design) MaxExact() int { return d.blocks - d.chosen }

// Radius returns the least r such that two fingerprints within distance k
// differ in at most r header bits of at least one table.
//
// The worst case spreads the k differing bits evenly over the G blocks; the best
// header then takes the g blocks that have fewest.
func (d Design) Radius(k int) int {
	each, rest := k/d.blocks, k%d.blocks
	return d.chosen*each + max(0, d.chosen-(d.blocks-rest))
}

// String returns the design in the form "C(6,3): 20 tables, 31-bit headers".
func (d Design) String() string {
	return fmt.Sprintf("C(%d,%d): %d tables, %d-bit headers", d.blocks, d.chosen, len(d.perms), d.HeaderBits())
}
