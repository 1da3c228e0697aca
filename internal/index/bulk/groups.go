package bulk

import (
	"math/bits"
	"slices"

	"simsearch/internal/ground/section"
	"simsearch/tables"
)

// None stands for the group of a document that is in none.
const None = ^uint32(0)

// Names are the names of the sections of groups: of lists, and of dense groups in place of Of and Ends.
type Names struct{ Of, Ends, Members, High, First, Counts string }

// Groups are the documents of a file in groups of those with the same fingerprint, or the same set. They are numbered
// from 0. A file has them as three lists of integers, or as dense groups, which take less than half of the bytes.
type Groups struct {
	documents int
	groups    int
	member    section.Array[uint32] // the documents of group 0, then those of group 1, and so on

	of   section.Array[uint32] // the group of each document, or None
	ends section.Array[uint32] // those of group i are member[ends[i]:ends[i+1]]

	// Dense groups have these in place of of and ends.
	dense  bool
	high   section.Array[uint16] // of the number of the group of each document, or noHigh
	shift  int                   // the number of other bits
	first  section.Array[uint64] // a bit for each member: whether it is the first of its group
	counts section.Array[uint32] // of bits before each countBits
}

const (
	// highBits is the number of bits of high. Finding the group of a document goes through the members of two
	// 32,768th of all groups.
	highBits = 15
	noHigh   = 1<<16 - 1
	// countBits is how many bits of first each count stands for.
	countBits, countWords = 512, 8
)

// highShift returns shift of a number of groups.
func highShift(groups int) int { return max(0, bits.Len(uint(max(1, groups)-1))-highBits) }

// WriteListed writes groups of a number of documents as lists.
func WriteListed(w *section.Writer, names Names, g tables.Groups, documents int) {
	of := slices.Repeat([]uint32{None}, documents)
	for i := range g.Ends[1:] {
		for _, doc := range g.Members(uint32(i)) {
			of[doc] = uint32(i)
		}
	}
	w.Begin(names.Of)
	w.Uint32s(of)
	w.Begin(names.Ends)
	w.Uint32s(g.Ends)
	w.Begin(names.Members)
	w.Uint32s(g.Member)
}

// LoadGroups returns the groups of a number of documents that are in f. It checks the sizes of the sections.
func LoadGroups(f *section.File, names Names, documents uint64) (g Groups) {
	g.documents = int(documents)
	g.member = section.Integers[uint32](f, names.Members, section.Any)
	members := g.member.Len()
	if names.High != "" && f.Has(names.High) {
		g.loadDense(f, names)
		return g
	}
	g.of = section.Integers[uint32](f, names.Of, documents)
	g.ends = section.Integers[uint32](f, names.Ends, section.Any)
	if g.groups = g.ends.Len() - 1; g.groups < 0 || g.groups > members || members > g.documents {
		panic(g.ends.Corruptf(0, "%d groups of %d of %d documents", g.groups, members, documents))
	}
	return g
}

// Len returns the number of groups.
func (g *Groups) Len() int { return g.groups }

// Members returns the number of documents that are in groups.
func (g *Groups) Members() int { return g.member.Len() }

// Of returns the group of document doc of the file. ok is false if it has none.
func (g *Groups) Of(doc uint32) (group uint32, ok bool) {
	if g.dense {
		return g.ofDense(doc)
	}
	if group = g.of.At(uint64(doc)); group == None {
		return 0, false
	}
	if int(group) >= g.Len() {
		panic(g.of.Corruptf(uint64(doc), "document %d is in group %d of %d", doc, group, g.Len()))
	}
	return group, true
}

// Has reports whether document doc is in a group.
func (g *Groups) Has(doc uint32) bool {
	if g.dense {
		return g.high.At(uint64(doc)) != noHigh
	}
	_, ok := g.Of(doc)
	return ok
}

// span returns where the documents of group i lie among the members. They may be no range of these.
func (g *Groups) span(i uint32) (lo, hi uint64) {
	if g.dense {
		lo = g.begin(uint64(i))
		return lo, g.end(lo)
	}
	ends := g.ends.Range(uint64(i), uint64(i)+2)
	return uint64(ends[0]), uint64(ends[1])
}

// Size returns the number of documents of group i in the file.
func (g *Groups) Size(i uint32) int {
	lo, hi := g.span(i)
	return max(0, int(hi)-int(lo))
}

// Group returns the documents of group i in the file, in ascending order.
func (g *Groups) Group(i uint32) []uint32 {
	lo, hi := g.span(i)
	if lo >= hi || hi > uint64(g.member.Len()) {
		panic(g.corruptEnd(i, "the documents of group %d span [%d, %d) of %d", i, lo, hi, g.member.Len()))
	}
	members := g.member.Range(lo, hi)
	for j, m := range members {
		if int(m) >= g.documents {
			panic(g.member.Corruptf(lo+uint64(j), "document %d of %d", m, g.documents))
		}
	}
	return members
}

// corruptEnd returns an error about where group i ends.
func (g *Groups) corruptEnd(i uint32, format string, args ...any) error {
	if g.dense {
		return g.counts.Corruptf(0, format, args...)
	}
	return g.ends.Corruptf(uint64(i), format, args...)
}

// CorruptOf returns an error about the group of document doc.
func (g *Groups) CorruptOf(doc uint32, format string, args ...any) error {
	if g.dense {
		return g.high.Corruptf(uint64(doc), format, args...)
	}
	return g.of.Corruptf(uint64(doc), format, args...)
}

// CheckMembers checks that the groups have ascending documents. All bytes must have passed their checksums.
func (g *Groups) CheckMembers() error {
	if g.dense {
		if err := g.checkCounts(); err != nil {
			return err
		}
	}
	at := 0
	for group, span := range g.spans() {
		if span[0] != at || span[0] >= span[1] || span[1] > g.member.Len() {
			return g.corruptEnd(group, "group %d has members [%d, %d), want them from %d on", group, span[0], span[1], at)
		}
		for i, doc := range g.member.All[span[0]:span[1]] {
			if int(doc) >= g.documents || i > 0 && doc <= g.member.All[at+i-1] {
				return g.member.Corruptf(uint64(at+i), "document %d of %d is not in order", doc, g.documents)
			}
		}
		at = span[1]
	}
	if at != g.member.Len() {
		return g.corruptEnd(uint32(g.Len()), "the groups end at %d of %d", at, g.member.Len())
	}
	return nil
}

// Check is CheckMembers, and checks that each document has the group that it is a member of, and no other. For very
// many documents it waits for memory, again and again.
func (g *Groups) Check() error {
	if err := g.CheckMembers(); err != nil {
		return err
	}
	for group, span := range g.spans() {
		for at := span[0]; at < span[1]; at++ {
			if doc := g.member.All[at]; !g.agrees(doc, group) {
				return g.member.Corruptf(uint64(at), "document %d has another group than %d", doc, group)
			}
		}
	}
	left := g.member.Len()
	for doc := range uint32(g.documents) {
		if g.Has(doc) {
			left--
		}
	}
	if left != 0 {
		return g.CorruptOf(0, "%d documents of groups have none, or some are in none", left)
	}
	return nil
}

// agrees reports whether what is stored of the group of a document is that of group.
func (g *Groups) agrees(doc, group uint32) bool {
	if g.dense {
		return g.high.All[doc] == uint16(group>>g.shift)
	}
	return g.of.All[doc] == group
}

// spans yields the groups in order, and where their documents lie. All bytes must have passed their checksums.
func (g *Groups) spans() func(yield func(group uint32, span [2]int) bool) {
	return func(yield func(uint32, [2]int) bool) {
		w := g.Walk()
		for group := range uint32(g.groups) {
			from := w.at
			if w.step(); !yield(group, [2]int{from, w.at}) {
				return
			}
		}
	}
}

// A Walk goes through the groups in order. All bytes must have passed their checksums, and CheckMembers.
type Walk struct {
	g    *Groups
	left int // groups
	at   int // the first document of the next group, among the members
	// Of dense groups, bits of a word of first that have not been met.
	word int
	bits uint64
}

// Walk returns a Walk from the first group on.
func (g *Groups) Walk() *Walk {
	w := &Walk{g: g, left: g.groups}
	switch {
	case !g.dense:
		w.at = int(g.ends.All[0])
	case g.groups > 0:
		w.bits = g.first.All[0] &^ 1 // the first group begins there
	}
	return w
}

// Next returns the documents of the next group, a part of the map, or none if there are no more groups.
func (w *Walk) Next() []uint32 {
	if w.left == 0 {
		return nil
	}
	from := w.at
	w.step()
	return w.g.member.All[from:w.at]
}

// step goes to the end of the next group.
func (w *Walk) step() {
	w.left--
	g := w.g
	switch {
	case !g.dense:
		w.at = int(g.ends.All[g.groups-w.left])
	case w.left == 0:
		w.at = g.member.Len()
	default:
		for w.bits == 0 {
			w.word++
			w.bits = g.first.All[w.word]
		}
		w.at = 64*w.word + bits.TrailingZeros64(w.bits)
		w.bits &= w.bits - 1
	}
}

// An Inverse has the group of each document, or None, as the members say. It is Whole if all groups could be read.
type Inverse struct {
	Of    []uint32
	Whole bool
}

// Invert returns the groups of the documents that can be read.
func (g *Groups) Invert() *Inverse {
	v := &Inverse{Of: slices.Repeat([]uint32{None}, g.documents), Whole: true}
	for group := range uint32(g.Len()) {
		err := section.DamageOf(func() {
			for _, doc := range g.Group(group) {
				v.Of[doc] = group
			}
		})
		v.Whole = v.Whole && err == nil
	}
	return v
}
