package setjoin

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"simsearch/internal/match/prefix"
	"simsearch/internal/match/vocabulary"
)

// A crowd is an index of centers that have most of their features in common, such as copies of a form. By their first features, each
// of them would be looked at by each set of the same form, near or not.
//
// The template of a crowd is the features that more than half of the centers have. A set differs from it by features that it has
// beside these, and by those that it lacks. Two sets have the same features in common with each other as their differences tell: if
// they lack a and b features of a template of n, they share n - a - b of these, and one more for each difference that they share. So
//
//   - two sets that share no difference are as near as the numbers of their features say. Of the centers that have as many features,
//     and lack as many, the first one stands for all.
//   - two near sets that are not near by this share some differences, at least as many as are wanting. They share one of the first of
//     each, in any order that both are in (see package prefix). In a crowd, all differences are rare, those of the
//     template's own features, too. The rarest come first.
//
// A crowd compares sets by their differences, which it keeps, and reads no set for that. The template is that of the centers when there
// were a quarter as many, or more.
type crowd struct {
	class    uint64 // of all centers
	t        float64
	members  []uint32 // the centers, ascending
	renewAt  int      // how many there are when the crowd is made anew
	template []uint32 // ranks, ascending
	own      []uint64 // the difference of a set without each of them
	sketch   []uint64 // of the template
	elements []element
	known    int               // elements whose order is known
	index    map[uint32]uint32 // the element of a rank that is not of the template
	lacking  [][]sized         // by how many features of the template they lack, by their size
	largest  []uint32          // of the centers that have as many differences, the size of the largest; 0 if there are none
	kept     []keptDifference  // of the centers, in the order of members
	ranks    []uint32          // of all that is kept
}

// A keptDifference is the difference of a center: where the ranks begin that it lacks of the template, and behind them those that it has
// beside it, where they end, and the size of the center.
type keptDifference struct {
	from, beside, to uint64
	size             uint32
}

// An element is a feature by which sets can differ from a template. It lists the centers that do, in rows if they are many.
type element struct {
	entries []crowdEntry
	rows    []row // by how many differences a center has
}

// A crowdEntry says which center differs by an element.
type crowdEntry struct {
	center      uint32
	differs, at uint16 // how many differences the center has, and how many of these come before this one
}

// A row has the centers that differ by an element, and by so many in all, in lists by how many of these come before it.
type row struct {
	first uint32 // the number for the first list
	lists [][]uint32
}

// rowsOf are the rows of an element by which a set differs, and how many of its differences are left, with that one.
type rowsOf struct {
	rows []row
	left int32
}

// Sized are centers of one size.
type sized struct {
	size    uint32
	centers []uint32
}

const (
	// noElement is that of a rank that no center differs by.
	noElement = uint32(1)<<31 - 1
	// knownOrder is in the order of a difference that is among the more frequent ones. They come last.
	knownOrder = 1 << 63
	// mostCommonOfCrowd is how many of its first differences a set must share with a candidate, if it must share so many at all.
	mostCommonOfCrowd = 2
	// manyEntries is how many entries an element has when they are put into rows.
	manyEntries = 128
	// mostOfCrowd is how many features a center of a crowd has at most, so that numbers of differences fit into 16 bits.
	mostOfCrowd = 1 << 14
	// A template is that of about so many centers, and an element is known if so many of these differ by it.
	templateOf, leastKnown = 1 << 9, 4
)

// A difference is how a set differs from a template. The elements are in order. They follow the features without a rank, which are
// the rarest.
type difference struct {
	elements []uint64 // the order of each, whose lowest 31 bits are the element or noElement
	lacking  []uint32 // the ranks of the template that the set does not have
	beside   []uint32 // the ranks of the set that are not of the template
	alone    int
}

func (d *difference) lacks() int { return len(d.lacking) }

func (d *difference) len() int { return d.alone + len(d.elements) }

// renew makes the crowd anew of centers, which are ascending. read returns the ranks of one of them, ascending, and its size. The
// ranks are valid until the next call.
func (k *crowd) renew(members []uint32, words int, read func(center uint32) (ranks []uint32, size int)) {
	every := max(1, len(members)/templateOf)
	count, n := map[uint32]uint32{}, uint32(0)
	for i := 0; i < len(members); i += every {
		ranks, _ := read(members[i])
		for _, r := range ranks {
			count[r]++
		}
		n++
	}
	*k = crowd{class: k.class, t: k.t, renewAt: 4 * len(members), index: map[uint32]uint32{}, sketch: make([]uint64, words)}
	var known []uint32
	for r, with := range count {
		if 2*with > n {
			k.template = append(k.template, r)
			flip(k.sketch, r)
			count[r] = n - with
		}
		if count[r] >= leastKnown {
			known = append(known, r)
		}
	}
	slices.Sort(k.template)
	slices.SortFunc(known, func(a, b uint32) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	k.known = len(known)
	for _, r := range known {
		k.index[r] = k.newElement()
	}
	for _, r := range k.template {
		at, ok := k.index[r]
		if !ok {
			at = k.newElement()
		}
		delete(k.index, r)
		k.own = append(k.own, k.order(r, at))
	}
	var d difference
	for _, center := range members {
		ranks, size := read(center)
		k.differ(&d, ranks, size-len(ranks))
		k.add(center, size, &d)
	}
}

func (k *crowd) newElement() uint32 {
	k.elements = append(k.elements, element{})
	return uint32(len(k.elements) - 1)
}

// order returns the order of the difference by a rank, with its element.
func (k *crowd) order(rank, at uint32) uint64 {
	if int(at) < k.known {
		return knownOrder | uint64(at)
	}
	return uint64(rank)<<31 | uint64(at)
}

// differ sets d to the difference of a set from the template. The set has the given ranks and so many features without one.
func (k *crowd) differ(d *difference, ranks []uint32, alone int) {
	d.elements, d.lacking, d.beside, d.alone = d.elements[:0], d.lacking[:0], d.beside[:0], alone
	i := 0
	lack := func(rank uint32) {
		for ; i < len(k.template) && k.template[i] < rank; i++ {
			d.elements = append(d.elements, k.own[i])
			d.lacking = append(d.lacking, k.template[i])
		}
	}
	for _, r := range ranks {
		if lack(r); i < len(k.template) && k.template[i] == r {
			i++
			continue
		}
		at, ok := k.index[r]
		if !ok {
			at = noElement
		}
		d.elements = append(d.elements, k.order(r, at))
		d.beside = append(d.beside, r)
	}
	lack(vocabulary.NoRank)
	slices.Sort(d.elements)
}

// fits reports whether a set of some ranks and size belongs to the crowd: half of its features are of the template, and half of those are
// its own.
func (k *crowd) fits(ranks []uint32, size int) bool {
	least, has, template := (max(size, len(k.template))+1)/2, 0, k.template
	for i, r := range ranks {
		if has+min(len(ranks)-i, len(template)) < least {
			return false
		}
		for len(template) > 0 && template[0] < r {
			template = template[1:]
		}
		if len(template) > 0 && template[0] == r {
			has++
		}
	}
	return has >= least && size <= mostOfCrowd
}

// add adds a center, whose number is larger than all before. d is its difference.
func (k *crowd) add(center uint32, size int, d *difference) {
	k.members = append(k.members, center)
	n := d.len()
	from := uint64(len(k.ranks))
	k.ranks = append(append(k.ranks, d.lacking...), d.beside...)
	k.kept = append(k.kept, keptDifference{from, from + uint64(d.lacks()), uint64(len(k.ranks)), uint32(size)})
	for len(k.lacking) <= d.lacks() {
		k.lacking = append(k.lacking, nil)
	}
	of := &k.lacking[d.lacks()]
	at, ok := slices.BinarySearchFunc(*of, uint32(size), func(s sized, size uint32) int { return cmp.Compare(s.size, size) })
	if !ok {
		*of = slices.Insert(*of, at, sized{size: uint32(size)})
	}
	(*of)[at].centers = append((*of)[at].centers, center)
	for len(k.largest) <= n {
		k.largest = append(k.largest, 0)
	}
	k.largest[n] = max(k.largest[n], uint32(size))
	// A near set lacks at most so many of the center's differences. So among as many of them, and some more, that many are shared.
	last := mostCommonOfCrowd - 1 + prefix.MostSize(size, k.t, math.MaxInt32) - size
	for i, order := range d.elements {
		before := d.alone + i
		if before > last {
			break
		}
		e := uint32(order) & noElement
		if e == noElement {
			e = k.newElement()
			k.index[uint32(order>>31)] = e
		}
		k.elements[e].list(crowdEntry{center: center, differs: uint16(n), at: uint16(before)})
	}
}

// list adds an entry.
func (e *element) list(entry crowdEntry) {
	if e.rows != nil {
		e.add(entry)
		return
	}
	if e.entries = append(e.entries, entry); len(e.entries) == manyEntries {
		for _, entry := range e.entries {
			e.add(entry)
		}
		e.entries = nil
	}
}

// add adds an entry to the rows of the element.
func (e *element) add(c crowdEntry) {
	for len(e.rows) <= int(c.differs) {
		e.rows = append(e.rows, row{})
	}
	r := &e.rows[c.differs]
	at := uint32(c.at)
	switch {
	case r.lists == nil:
		r.first = at
	case at < r.first:
		r.lists = slices.Insert(r.lists, 0, make([][]uint32, r.first-at)...)
		r.first = at
	}
	for r.first+uint32(len(r.lists)) <= at {
		r.lists = append(r.lists, nil)
	}
	list := &r.lists[at-r.first]
	*list = append(*list, c.center)
}

// least returns how near a center must be to a set of n features: near, and as near as the best one.
func (k *crowd) least(n int, best *found) float64 {
	if best.ok {
		return best.similarity(n)
	}
	return k.t
}

// first returns the center from number from on that is the best one for a set of n features, of those that share no difference with it.
// d is the difference of the set. ok is false if there is none that is near, or all are farther than best.
func (k *crowd) first(d *difference, n int, from uint32, best *found) (center uint32, ok bool) {
	least := k.least(n, best)
	for lacks, of := range k.lacking {
		shared := len(k.template) - lacks - d.lacks()
		if shared < prefix.LeastSize(n, least) {
			break // more cannot be shared, and no center has fewer features
		}
		for _, s := range of {
			near := prefix.Jaccard(shared, n, int(s.size))
			if near < least {
				break
			}
			centers := s.centers
			if centers[0] < from {
				centers = centers[sort.Search(len(centers), func(i int) bool { return centers[i] >= from }):]
			}
			if len(centers) > 0 && (!ok || near > least || centers[0] < center) {
				center, least, ok = centers[0], near, true
			}
		}
	}
	return center, ok
}

// A need is how many differences a center must share with a set to be a candidate: so many among those that at least after of the
// differences of both follow, themselves included.
type need struct{ common, after int32 }

// needs is how many differences a center that has so many must share with a set of difference d and of n features, to be as near as least
// to it.
func (k *crowd) needs(differs int, d *difference, n int, least float64) need {
	size := int(k.largest[differs])
	if size == 0 {
		return need{1, math.MaxInt32}
	}
	// Beside differences, two sets share those features of the template that neither lacks. A larger center has more of these than more
	// are wanted.
	shared := max(1, prefix.LeastShared(n, size, least)-(size+len(k.template)-differs)/2+d.lacks())
	if shared > min(differs, d.len()) {
		return need{1, math.MaxInt32}
	}
	common := min(mostCommonOfCrowd, shared)
	return need{int32(common), int32(shared - common + 1)}
}

// candidates counts, in q, the centers from number from on that can be as near as is wanted. They have so many differences.
func (r *row) candidates(q *search, differs int, from uint32) {
	need := q.needs[differs]
	last := differs - int(need.after) - int(r.first) // of the lists
	if last < 0 {
		return
	}
	for _, list := range r.lists[:min(len(r.lists), last+1)] {
		for i := len(list) - 1; i >= 0 && list[i] >= from; i-- {
			q.stats.Entries++
			q.Count(list[i], int(need.common))
		}
	}
}
