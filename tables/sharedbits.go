package tables

import "simsearch/hamming"

// A directory resolves the first bits of a header alone. Of all choices of 3 of 6 blocks, those that begin
// with the same two blocks have the same search header among a million fingerprints, and so the same
// runs. They are a group, in which the first table stands for the others: what its run has, theirs have,
// too. So a query looks up 10 tables of 20. Only where a run is long are all tables of the group asked for
// the part that has the whole header.

// groupTables finds the groups of tables with the same search header. Bits keep their order in a header, so
// that these tables have the same directory.
func (t *Tables) groupTables() {
	leaders := map[uint64]int{}
	for i := range t.tables {
		tb := &t.tables[i]
		tb.behind = uint(tb.perm.HeaderBits() - tb.dir.Bits)
		leader, ok := leaders[tb.mask]
		if !ok {
			leader = i
			leaders[tb.mask] = i
		}
		tb.leader = leader
		t.tables[leader].group = append(t.tables[leader].group, i)
	}
}

// lookedUp returns the radii of the tables that a query within k looks up: -1 for those that the leader of
// their group stands for.
func (t *Tables) lookedUp(radii []int8, k int) []int8 {
	if !t.design.byHeader() || k > t.design.exact {
		return radii
	}
	look := make([]int8, len(radii))
	for i, r := range radii {
		if look[i] = r; t.tables[i].leader != i {
			look[i] = -1
		}
	}
	return look
}

// compareNarrowed compares the parts of the run [lo, hi) of table i, and of the tables that it stands for,
// that have the whole header of the query. s.k is at most Design.Exact.
func (t *Tables) compareNarrowed(dst []hamming.Match, i, lo, hi int, s search) ([]hamming.Match, error) {
	s.narrowed = true
	for _, member := range t.tables[i].group {
		if s.way.radii[member] < 0 {
			continue
		}
		permuted := t.tables[member].perm.Apply(s.q)
		from, to, err := t.narrow(member, lo, hi, permuted)
		if err == nil && from < to {
			dst, err = t.compare(dst, member, from, to, permuted, 0, s)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// showsFirst reports whether table i, or the group that it stands for, is the first to show the value x to a
// search within Design.Exact. A table shows the values that have its whole header. Groups are in the
// order of their leaders.
func (t *Tables) showsFirst(i int, x uint64, s search) bool {
	shown, leader := false, t.tables[i].leader
	for e := range t.tables {
		tb := &t.tables[e]
		if s.way.radii[e] < 0 || tb.leader > leader || (x^s.q)&tb.perm.Header() != 0 {
			continue
		}
		if tb.leader < leader || s.narrowed && e < i {
			return false
		}
		shown = true
	}
	return shown
}
