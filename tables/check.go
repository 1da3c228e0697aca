package tables

import (
	"fmt"

	"simsearch/section"
)

// Check returns an error if the tables break a rule of docs/FORMAT.md that checksums do not tell: the values ascend, and
// each table holds them all, in its order. All bytes must have passed their checksums. The error is a
// *section.CorruptError that names a section. Check reads all tables once, and takes no memory.
func (t *Tables) Check() error {
	sum := uint64(0)
	for i, x := range t.values {
		if i > 0 && x <= t.values[i-1] || x&^lowBits(t.design.Width()) != 0 {
			return t.tables[0].guards.rest.Corruptf(8*uint64(i), "value %d is %#x, behind %#x", i, x, t.values[max(i, 1)-1])
		}
		sum += mixed(x)
	}
	for i := range t.tables {
		if err := t.tables[i].check(len(t.values), t.design.byHeader(), sum); err != nil {
			return fmt.Errorf("table %d: %w", i, err)
		}
	}
	return nil
}

// check checks a table of n values, of which mixed sums up to sum.
func (t *table) check(n int, byHeader bool, sum uint64) error {
	low := min(int(t.dir.Shift), t.perm.Width()-1)
	if byHeader {
		low = t.perm.Width() - t.perm.HeaderBits()
	}
	if t.perm.identity() {
		low = 0
	}
	at, before := 0, uint64(0) // the entry before
	for slot := range t.dir.Len() - 1 {
		lo, hi, ok := t.dir.Entries(slot, slot, n)
		if !ok || lo != at {
			return t.guards.dir.Corruptf(4*slot, "slot %#x leads to entries [%d, %d) of %d, behind %d", slot, lo, hi, n, at)
		}
		for ; at < hi; at++ {
			tail := t.tails.at(at)
			entry := slot<<t.dir.Shift | tail
			switch {
			case tail&^t.tails.mask != 0 || t.tails.low[at] != uint32(tail):
				return t.guards.low.Corruptf(4*uint64(at), "entry %d has bits %#x, and %#x of them here", at, tail, t.tails.low[at])
			case t.tails.full != nil && t.tails.full[at] != entry:
				return t.guards.dir.Corruptf(4*slot, "entry %d is %#x, not in slot %#x", at, t.tails.full[at], slot)
			case entry>>low < before>>low:
				return t.guards.low.Corruptf(4*uint64(at), "entry %d is not in order", at)
			}
			sum -= mixed(t.perm.invert(entry))
			before = entry
		}
	}
	if at != n || sum != 0 {
		return &section.CorruptError{Section: "tables", Offset: -1, Reason: "its entries are not the values of the first table"}
	}
	return nil
}

// mixed returns a number by which sums of values tell most sets of values from others: the finalizer of MurmurHash3
// (A. Appleby).
func mixed(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33 + 1
}
