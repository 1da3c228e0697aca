package prefix

import (
	"encoding/binary"
	"math/bits"
)

// A probe is a hash table of the features of a query.
type probe struct {
	slots []uint64 // 0 is none
	zero  int      // 1 if 0 is a feature
	shift uint
	made  bool
}

// make makes the table of features, which are not empty.
func (p *probe) make(features []uint64) {
	if p.made {
		return
	}
	p.made = true
	b := bits.Len(uint(len(features))) + 2 // three quarters of the slots are empty, or more
	if n := 1 << b; cap(p.slots) < n {
		p.slots = make([]uint64, n)
	} else {
		p.slots = p.slots[:n]
		clear(p.slots)
	}
	p.shift, p.zero = uint(64-b), 0
	mask := uint64(len(p.slots) - 1)
	for _, f := range features {
		if f == 0 {
			p.zero = 1
			continue
		}
		i := f * golden >> p.shift
		for p.slots[i] != 0 {
			i = (i + 1) & mask
		}
		p.slots[i] = f
	}
}

// has returns 1 if the query has a feature, and 0 otherwise.
func (p *probe) has(feature uint64) int {
	if feature == 0 {
		return p.zero
	}
	mask := uint64(len(p.slots) - 1)
	for i := feature * golden >> p.shift; ; i = (i + 1) & mask {
		switch p.slots[i] {
		case feature:
			return 1
		case 0:
			return 0
		}
	}
}

// compare compares the query with a set. ok reports whether they share at least as many features as leastOf says of a
// set of size features, at least one. Otherwise m is of no use.
func (q *query) compare(set uint32, leastOf func(size int) int) (m Match, ok bool) {
	s := q.sets
	d := s.Decoder(set)
	m = Match{Set: set, Size: d.Features}
	n := len(q.features)
	least := leastOf(m.Size)
	lack := min(n, m.Size) - least // how many features of the smaller set may be missing
	if lack < 0 {
		return m, false
	}
	q.probe.make(q.features)
	lack += m.Size - min(n, m.Size) // of this set
	var ranks [readEvery]uint32
	var features [readEvery]uint64
	whole := s.features.Guard.Whole()
	for d.Ranks > 0 { // the rarest first, so that sets that are not similar are soon known
		some := ranks[:min(d.Ranks, readEvery)]
		if err := d.Read(some); err != nil {
			panic(s.Bad(set, err))
		}
		if !whole {
			for _, r := range some {
				s.features.Check(uint64(r), uint64(r)+1)
			}
		}
		// Memory is read in a step of its own, so that no read waits for another.
		for i, r := range some {
			features[i] = s.features.All[r]
		}
		shared := 0
		for _, f := range features[:len(some)] {
			shared += q.probe.has(f)
		}
		m.Shared += shared
		if lack -= len(some) - shared; lack < 0 {
			return m, false
		}
	}
	singles, err := d.Singles()
	if err != nil {
		panic(s.Bad(set, err))
	}
	for len(singles) > 0 {
		some := singles[:min(len(singles), 8*readEvery)]
		singles = singles[len(some):]
		lack -= len(some) / 8
		for ; len(some) >= 8; some = some[8:] {
			has := q.probe.has(binary.LittleEndian.Uint64(some))
			m.Shared += has
			lack += has
		}
		if lack < 0 {
			return m, false
		}
	}
	return m, m.Shared >= least
}
