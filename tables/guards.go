package tables

import "simsearch/internal/ground/section"

// guards check the parts of a table that lie in a file: no byte is used before its block has been
// checked. The guards of a table in memory are nil.
type guards struct {
	dir, low *section.Guard
	rest     *section.Guard // of the bits above the lowest 32 of tails, or of whole entries
	restSize uint64         // bytes of an entry that rest checks
	slots    *slots         // of a dense table of n entries
	n        int
}

// checkLow checks the lowest bits of the entries [lo, hi).
func (g *guards) checkLow(lo, hi int) { g.low.Check(4*uint64(lo), 4*uint64(hi)) }

// checkRest checks the other bits of the entries [lo, hi).
func (g *guards) checkRest(lo, hi int) {
	g.rest.Check(g.restSize*uint64(lo), g.restSize*uint64(hi))
	g.slots.check(lo, hi, g.n)
}

// expectSlot tells the system that slot at of the directory will be looked up.
func (g *guards) expectSlot(at uint64) { g.dir.Expect(4*at, 4*at+8) }

// expect tells the system that the entries [lo, hi) will be compared, which are those in slot at of the directory.
func (t *table) expect(lo, hi int, at uint64) {
	g, s := &t.guards, t.guards.slots
	g.low.Expect(4*uint64(lo), 4*uint64(hi))
	g.rest.Expect(g.restSize*uint64(lo), g.restSize*uint64(hi))
	if s != nil { // of those that pass
		below := t.dir.Shift - s.Shift
		s.guard.Expect(4*(at<<below), 4*((at+1)<<below+1))
	}
}

// restWhole reports whether checkRest need not be called.
func (g *guards) restWhole() bool { return g.rest.Whole() && (g.slots == nil || g.slots.guard.Whole()) }

// sound reports whether the directories of all tables have been checked as a whole, and the lowest bits of their
// tails. A search asks for it once, and then leaves out the checks of single blocks.
func (t *Tables) sound() bool {
	if t.checked.Load() {
		return true
	}
	for i := range t.tables {
		if g := &t.tables[i].guards; !g.dir.Whole() || !g.low.Whole() {
			return false
		}
	}
	t.checked.Store(true)
	return true
}
