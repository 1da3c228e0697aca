package tables

import (
	"fmt"

	"simsearch/hamming"
)

// A Search describes how queries of one distance are answered.
type Search struct {
	Scan    bool    // all values are compared, and no headers looked up
	Radii   []int   // of each table; -1 if it is not looked up
	LookUps float64 // headers looked up
	Compare float64 // values compared, if they are uniform
}

// Explain returns how queries within distance k >= 0 are answered.
func (t *Tables) Explain(k int) Search {
	n := float64(len(t.Values()))
	w, _ := t.beyond(min(k, hamming.MaxBits))
	s := Search{Scan: w.scan, Compare: n}
	if w.scan {
		return s
	}
	s.Compare = 0
	for i, r := range w.radii {
		header := t.tables[i].dir.Bits
		size := ball(header, int(r))
		s.Radii = append(s.Radii, int(r))
		s.LookUps += size
		s.Compare += size * n / float64(uint64(1)<<min(header, 63))
	}
	return s
}

// String returns the description as a phrase: "looks up 6 headers within radii ..." or "compares all
// ...".
func (s Search) String() string {
	if s.Scan {
		return fmt.Sprintf("compares all %.0f fingerprints: tables would take longer", s.Compare)
	}
	return fmt.Sprintf("looks up %.0f headers within radii %v and compares about %.3g fingerprints", s.LookUps, s.Radii, s.Compare)
}
