package tables

import (
	"sync/atomic"

	"simsearch/section"
)

// guards stand before the parts of a table that lie in a file: none of their bytes is used
// before its block has been checked. Those of a table in memory are nil.
type guards struct {
	dir, low *section.Guard
	rest     *section.Guard // of the bits above the lowest 32 of tails, or of whole entries
	restSize uint64         // of those of an entry, in bytes
}

// checkLow checks the lowest bits of the entries [lo, hi).
func (g *guards) checkLow(lo, hi int) error { return g.low.Check(4*uint64(lo), 4*uint64(hi)) }

// checkRest checks the other bits of the entries [lo, hi).
func (g *guards) checkRest(lo, hi int) error {
	return g.rest.Check(g.restSize*uint64(lo), g.restSize*uint64(hi))
}

// A soundness says of one part of all tables whether it has been checked as a whole. Searches
// ask for it once, and then leave out checks that would find nothing to do.
type soundness struct {
	whole atomic.Bool
	part  func(*guards) *section.Guard
}

func newSoundness(part func(*guards) *section.Guard) *soundness { return &soundness{part: part} }

// of reports whether the part has been checked in all tables.
func (s *soundness) of(t *Tables) bool { return s.whole.Load() || s.look(t) }

func (s *soundness) look(t *Tables) bool {
	for i := range t.tables {
		if !s.part(&t.tables[i].guards).Whole() {
			return false
		}
	}
	s.whole.Store(true)
	return true
}
