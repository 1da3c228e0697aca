package bulk

import (
	"math/bits"
	"slices"
	"sort"

	"simsearch/internal/ground/section"
)

// Dense groups are those of very many documents. The ends are a bit for each document. Of the group of a document, 16
// bits are stored: the others are found by looking for the document among the members of the groups that begin with
// these.

func (g *Groups) loadDense(f *section.File, names Names) {
	g.dense = true
	members := uint64(g.member.Len())
	g.high = section.Integers[uint16](f, names.High, uint64(g.documents))
	g.first = section.Integers[uint64](f, names.First, (members+63)/64)
	g.counts = section.Integers[uint32](f, names.Counts, (members+countBits-1)/countBits+1)
	last := uint64(g.counts.Len() - 1)
	groups := g.counts.At(last)
	if g.groups = int(groups); uint64(groups) > members || members > uint64(g.documents) || groups == 0 && members > 0 {
		panic(g.counts.Corruptf(last, "%d groups of %d of %d documents", groups, members, g.documents))
	}
	g.shift = highShift(g.groups)
}

// word returns word i of the bits of first, those behind the last member cleared.
func (g *Groups) word(i uint64) uint64 {
	word := g.first.At(i)
	if over := 64*(i+1) - min(64*(i+1), uint64(g.member.Len())); over > 0 {
		word &= 1<<(64-over) - 1
	}
	return word
}

// begin returns where group i begins among the members.
func (g *Groups) begin(i uint64) (at uint64) {
	// It begins at i or later, by as many as there are members more than groups.
	most := uint64(g.member.Len() - g.groups)
	from, to := i/countBits, min((i+most)/countBits+1, uint64(g.counts.Len()-1))
	block := from + uint64(sort.Search(int(to-from), func(n int) bool {
		return uint64(g.counts.At(from+uint64(n)+1)) > i
	}))
	before := g.counts.At(min(block, uint64(g.counts.Len()-1)))
	left := i - uint64(before)
	for w := block * countWords; w < min(uint64(g.first.Len()), (block+1)*countWords); w++ {
		word := g.word(w)
		n := uint64(bits.OnesCount64(word))
		if left < n {
			for ; left > 0; left-- {
				word &= word - 1
			}
			return 64*w + uint64(bits.TrailingZeros64(word))
		}
		left -= n
	}
	panic(g.counts.Corruptf(block, "group %d does not begin where it should", i))
}

// end returns where the group that begins at member at ends.
func (g *Groups) end(at uint64) uint64 {
	for w := (at + 1) / 64; w < uint64(g.first.Len()); w++ {
		word := g.word(w)
		if w == (at+1)/64 {
			word &^= 1<<((at+1)%64) - 1
		}
		if word != 0 {
			return 64*w + uint64(bits.TrailingZeros64(word))
		}
	}
	return uint64(g.member.Len())
}

// groupAt returns the group of member at.
func (g *Groups) groupAt(at uint64) uint32 {
	before := g.counts.At(at / countBits)
	for w := at / countBits * countWords; w <= at/64; w++ {
		word := g.word(w)
		if w == at/64 {
			word &= 2<<(at%64) - 1
		}
		before += uint32(bits.OnesCount64(word))
	}
	if before == 0 || int(before) > g.groups {
		panic(g.counts.Corruptf(at/countBits, "member %d is of group %d of %d", at, int(before)-1, g.groups))
	}
	return before - 1
}

func (g *Groups) ofDense(doc uint32) (group uint32, ok bool) {
	high := g.high.At(uint64(doc))
	if high == noHigh {
		return 0, false
	}
	from, to := uint64(high)<<g.shift, min((uint64(high)+1)<<g.shift, uint64(g.groups))
	if from >= to {
		panic(g.high.Corruptf(uint64(doc), "document %d is in group %d or later, of %d", doc, from, g.groups))
	}
	lo := g.begin(from)
	hi := uint64(g.member.Len())
	if to < uint64(g.groups) {
		hi = g.begin(to)
	}
	members := g.member.Range(lo, max(lo, hi))
	at := slices.Index(members, doc)
	if at < 0 {
		panic(g.member.Corruptf(lo, "document %d is not among members %d to %d", doc, lo, hi))
	}
	return g.groupAt(lo + uint64(at)), true
}

// checkCounts checks the counts.
func (g *Groups) checkCounts() error {
	n := uint32(0)
	for i := range g.counts.All {
		if g.counts.All[i] != n {
			return g.counts.Corruptf(uint64(i), "%d groups before member %d, want %d", g.counts.All[i], i*countBits, n)
		}
		for w := i * countWords; w < min(g.first.Len(), (i+1)*countWords); w++ {
			word := g.word(uint64(w))
			if word != g.first.All[w] {
				return g.first.Corruptf(uint64(w), "bits behind the last member")
			}
			n += uint32(bits.OnesCount64(word))
		}
	}
	if g.first.Len() > 0 && g.first.All[0]&1 == 0 {
		return g.first.Corruptf(0, "the first member is not the first of a group")
	}
	return nil
}

// A Cursor returns the groups of documents that are asked for in ascending order, or nearly so. It takes 64 MB at most.
type Cursor struct {
	g      *Groups
	window int
	base   int
	of     []uint32
	failed error
}

// cursorWindow is for how many documents a Cursor finds the groups of dense groups at a time, by going through all
// members.
const cursorWindow = 1 << 24

// Cursor returns a Cursor of g.
func (g *Groups) Cursor() *Cursor { return &Cursor{g: g, window: cursorWindow, base: -1} }

// Of is Groups.Of.
func (c *Cursor) Of(doc uint32) (group uint32, ok bool) {
	g := c.g
	if !g.dense {
		return g.Of(doc)
	}
	if base := int(doc) / c.window * c.window; base != c.base && c.failed == nil {
		c.failed = section.DamageOf(func() { c.fill(base) })
	}
	if c.failed != nil {
		panic(c.failed)
	}
	group = c.of[int(doc)-c.base]
	if group != None && int(group) >= g.groups {
		panic(g.counts.Corruptf(uint64(g.counts.Len()-1), "document %d is in group %d of %d", doc, group, g.groups))
	}
	return group, group != None
}

// fill finds the groups of the documents from base on.
func (c *Cursor) fill(base int) {
	g := c.g
	g.member.Guard.CheckAll()
	g.first.Guard.CheckAll()
	if g.first.Len() > 0 && g.first.All[0]&1 == 0 {
		panic(g.first.Corruptf(0, "the first member is not the first of a group"))
	}
	c.base, c.of = base, slices.Repeat([]uint32{None}, min(c.window, g.documents-base))
	group := uint32(0) // and one more
	for at, member := range g.member.All {
		group += uint32(g.first.All[at/64] >> (at % 64) & 1)
		if in := int(member) - base; in >= 0 && in < len(c.of) {
			c.of[in] = group - 1
		}
	}
}

// A denseWriter writes dense groups: Add of all groups comes first, then High, then End.
type denseWriter struct {
	w      *section.Writer
	names  Names
	first  []uint64
	n      int // members
	groups int
}

// newDenseWriter begins to write groups to w.
func newDenseWriter(w *section.Writer, names Names) *denseWriter {
	w.Begin(names.Members)
	return &denseWriter{w: w, names: names}
}

// Add adds members in their order. isFirst says of each whether it is the first of its group.
func (d *denseWriter) Add(members []uint32, isFirst func(i int) bool) {
	d.w.Uint32s(members)
	for i := range members {
		if d.n%64 == 0 {
			d.first = append(d.first, 0)
		}
		if isFirst(i) {
			d.first[d.n/64] |= 1 << (d.n % 64)
			d.groups++
		}
		d.n++
	}
}

// Shift returns how many of the lowest bits of the number of a group are not stored for its documents.
func (d *denseWriter) Shift() int { return highShift(d.groups) }

// End writes which members are the first of their groups, and begins to write High.
func (d *denseWriter) End() {
	d.w.Begin(d.names.First)
	d.w.Uint64s(d.first)
	var counts []uint32
	n := uint32(0)
	for i, word := range d.first {
		if i%countWords == 0 {
			counts = append(counts, n)
		}
		n += uint32(bits.OnesCount64(word))
	}
	d.w.Begin(d.names.Counts)
	d.w.Uint32s(append(counts, n))
	d.w.Begin(d.names.High)
}

// High writes the highest bits of the groups of the next documents, or noHigh.
func (d *denseWriter) High(some []uint16) { d.w.Uint16s(some) }

// IsDense reports whether the groups are dense.
func (g *Groups) IsDense() bool { return g.dense }
