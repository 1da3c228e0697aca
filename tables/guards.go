package tables

import (
	"sync/atomic"

	"simsearch/internal/lines"
	"simsearch/internal/section"
)

// A soundness remembers whether one part of every table has been checked as a whole. A search asks
// for it once, and then leaves out the checks of single blocks.
type soundness struct {
	whole atomic.Bool
	part  func(*lines.Guards) *section.Guard
}

func newSoundness(part func(*lines.Guards) *section.Guard) *soundness { return &soundness{part: part} }

// of reports whether the part has been checked in all tables.
func (s *soundness) of(t *Tables) bool { return s.whole.Load() || s.look(t) }

func (s *soundness) look(t *Tables) bool {
	for i := range t.tables {
		if !s.part(&t.tables[i].Guards).Whole() {
			return false
		}
	}
	s.whole.Store(true)
	return true
}
