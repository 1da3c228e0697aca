package bulk

import (
	"math/bits"
	"slices"

	"simsearch/internal/ground/section"
)

// None stands for the group of a document that is in none.
const None = ^uint32(0)

// Names are the names of the sections of groups.
type Names struct{ High, First, Counts, Members string }

// Groups are the documents of a file in groups of those with the same fingerprint, or the same set. They are numbered
// from 0. Of the group of a document, 16 bits are stored: the others are found by looking for the document among the
// members of the groups that begin with these. So a document takes little more than 6 bytes.
type Groups struct {
	documents int
	groups    int
	member    section.Array[uint32] // the documents of group 0, then those of group 1, and so on
	first     section.Array[uint64] // a bit for each member: whether it is the first of its group
	counts    section.Array[uint32] // of bits before each countBits
	high      section.Array[uint16] // of the number of the group of each document, or noHigh
	shift     int                   // the number of other bits
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

// LoadGroups returns so many groups of a number of documents that are in f. It checks the sizes of the sections.
func LoadGroups(f *section.File, names Names, documents, groups uint64) (g Groups) {
	g.documents, g.groups, g.shift = int(documents), int(groups), highShift(int(groups))
	g.member = section.Integers[uint32](f, names.Members, section.Any)
	members := uint64(g.member.Len())
	g.high = section.Integers[uint16](f, names.High, documents)
	g.first = section.Integers[uint64](f, names.First, (members+63)/64)
	g.counts = section.Integers[uint32](f, names.Counts, (members+countBits-1)/countBits+1)
	if groups > members || members > documents || groups == 0 && members > 0 {
		panic(g.member.Corruptf(0, "%d groups of %d of %d documents", groups, members, documents))
	}
	return g
}

// Salvage makes the counts anew if they are damaged.
func (g *Groups) Salvage() {
	_ = section.DamageOf(func() {
		if section.DamageOf(g.counts.Guard.CheckAll) != nil {
			g.counts = section.Array[uint32]{All: countFirst(g.first.Range(0, uint64(g.first.Len())))}
		}
	})
}

// countFirst returns how many bits are set before each countBits, and of all.
func countFirst(first []uint64) (counts []uint32) {
	n := uint32(0)
	for i, word := range first {
		if i%countWords == 0 {
			counts = append(counts, n)
		}
		n += uint32(bits.OnesCount64(word))
	}
	return append(counts, n)
}

// Len returns the number of groups.
func (g *Groups) Len() int { return g.groups }

// Members returns the number of documents that are in groups.
func (g *Groups) Members() int { return g.member.Len() }

// Has reports whether document doc is in a group.
func (g *Groups) Has(doc uint32) bool { return g.high.At(uint64(doc)) != noHigh }

// Of returns the group of document doc of the file. ok is false if it has none.
func (g *Groups) Of(doc uint32) (group uint32, ok bool) {
	high := g.high.At(uint64(doc))
	if high == noHigh {
		return 0, false
	}
	from, to := uint64(high)<<g.shift, min((uint64(high)+1)<<g.shift, uint64(g.groups))
	if from >= to {
		panic(g.high.Corruptf(uint64(doc), "document %d is in group %d or later, of %d", doc, from, g.groups))
	}
	if g.shift == 0 {
		return uint32(high), true
	}
	lo := g.begin(from)
	hi := min(lo+to-from+g.more(), uint64(g.member.Len()))
	for at := lo; at < hi; {
		for stop := min(at+2*(to-from)+together, hi); at < stop; { // as many as these groups have, unless some are large
			some := g.member.Range(at, min(at+together, stop))
			if i := slices.Index(some, doc); i >= 0 {
				return g.groupAt(at + uint64(i)), true
			}
			at += uint64(len(some))
		}
		if at < hi { // what is left of the group there ascends
			group := g.groupAt(at)
			end := uint64(g.member.Len())
			if int(group)+1 < g.groups {
				end = max(at, g.begin(uint64(group)+1))
			}
			if _, ok := slices.BinarySearch(g.member.Range(at, end), doc); ok {
				return group, true
			}
			at = end
		}
	}
	panic(g.member.Corruptf(lo, "document %d is not among members %d to %d", doc, lo, hi))
}

// together is how many members lie in a block.
const together = section.BlockSize / 4

// more returns how many members there are more than groups.
func (g *Groups) more() uint64 { return uint64(g.member.Len() - g.groups) }

// words returns the bits of first that a count stands for.
func (g *Groups) words(block uint64) []uint64 {
	return g.first.Range(block*countWords, min((block+1)*countWords, uint64(g.first.Len())))
}

// begin returns where group i begins among the members: at i or later.
func (g *Groups) begin(i uint64) uint64 {
	block, last := i/countBits, min((i+g.more())/countBits, uint64(g.counts.Len()-2))
	guess := i * uint64(g.member.Len()) / uint64(g.groups) / countBits // if all are of one size
	for next := max(guess, block+1); block < last; next = (block + last + 1) / 2 {
		if next = min(next, last); uint64(g.counts.At(next)) > i {
			last = next - 1
		} else if block = next; next < last && uint64(g.counts.At(next+1)) > i {
			break
		}
	}
	left := i - uint64(g.counts.At(block))
	for w, word := range g.words(block) {
		n := uint64(bits.OnesCount64(word))
		if left >= n {
			left -= n
			continue
		}
		for ; left > 0; left-- {
			word &= word - 1
		}
		if at := countBits*block + uint64(64*w+bits.TrailingZeros64(word)); at < uint64(g.member.Len()) {
			return at
		}
	}
	panic(g.counts.Corruptf(block, "group %d does not begin where it should", i))
}

// end returns where the group that begins at member at ends.
func (g *Groups) end(at uint64) uint64 {
	members := uint64(g.member.Len())
	for at++; at < members; at = at/64*64 + 64 {
		if word := g.first.At(at/64) >> (at % 64); word != 0 {
			return min(members, at+uint64(bits.TrailingZeros64(word)))
		}
	}
	return members
}

// groupAt returns the group of member at.
func (g *Groups) groupAt(at uint64) uint32 {
	before := g.counts.At(at / countBits)
	words := g.words(at / countBits)[:at/64%countWords+1]
	for _, word := range words[:len(words)-1] {
		before += uint32(bits.OnesCount64(word))
	}
	before += uint32(bits.OnesCount64(words[len(words)-1] & (2<<(at%64) - 1)))
	if before == 0 || int(before) > g.groups {
		panic(g.counts.Corruptf(at/countBits, "member %d is of group %d of %d", at, int(before)-1, g.groups))
	}
	return before - 1
}

// Size returns the number of documents of group i in the file.
func (g *Groups) Size(i uint32) int {
	lo := g.begin(uint64(i))
	return int(g.end(lo) - lo)
}

// Group returns the documents of group i in the file, in ascending order.
func (g *Groups) Group(i uint32) []uint32 {
	lo := g.begin(uint64(i))
	members := g.member.Range(lo, g.end(lo))
	for j, m := range members {
		if int(m) >= g.documents {
			panic(g.member.Corruptf(lo+uint64(j), "document %d of %d", m, g.documents))
		}
	}
	return members
}

// CheckMembers checks that the groups have ascending documents. All bytes must have passed their checksums.
func (g *Groups) CheckMembers() error {
	for i, n := range countFirst(g.first.All) {
		if g.counts.All[i] != n {
			return g.counts.Corruptf(uint64(i), "%d groups before member %d, want %d", g.counts.All[i], i*countBits, n)
		}
	}
	last := uint64(g.counts.Len() - 1)
	if int(g.counts.All[last]) != g.groups {
		return g.counts.Corruptf(last, "%d groups, want %d", g.counts.All[last], g.groups)
	}
	if over := g.member.Len() % 64; over > 0 && g.first.All[g.first.Len()-1]>>over != 0 {
		return g.first.Corruptf(uint64(g.first.Len()-1), "bits behind the last member")
	}
	if g.first.Len() > 0 && g.first.All[0]&1 == 0 {
		return g.first.Corruptf(0, "the first member is not the first of a group")
	}
	for at, doc := range g.member.All {
		isFirst := g.first.All[at/64]>>(at%64)&1 != 0
		if int(doc) >= g.documents || !isFirst && doc <= g.member.All[at-1] {
			return g.member.Corruptf(uint64(at), "document %d of %d is not in order", doc, g.documents)
		}
	}
	return nil
}

// Check is CheckMembers, and checks that each document has the group that it is a member of, and no other. For very
// many documents it waits for memory, again and again.
func (g *Groups) Check() error {
	if err := g.CheckMembers(); err != nil {
		return err
	}
	next := g.Walk()
	for group := range uint32(g.groups) {
		for _, doc := range next() {
			if g.high.All[doc] != uint16(group>>g.shift) {
				return g.high.Corruptf(uint64(doc), "document %d has another group than %d", doc, group)
			}
		}
	}
	left := g.member.Len()
	for _, high := range g.high.All {
		if high != noHigh {
			left--
		}
	}
	if left != 0 {
		return g.high.Corruptf(0, "%d documents of groups have none, or some are in none", left)
	}
	return nil
}

// Walk goes through the groups in order: next returns the documents of the next group, a part of the map, or none if
// there are no more groups. All bytes must have passed their checksums, and CheckMembers.
func (g *Groups) Walk() (next func() []uint32) {
	left, at, word, unmet := g.groups, 0, 0, uint64(0) // at is where the next group begins, and unmet are bits of word
	if left > 0 {
		unmet = g.first.All[0] &^ 1 // the first group begins there
	}
	return func() []uint32 {
		if left == 0 {
			return nil
		}
		from := at
		if left--; left == 0 {
			at = g.member.Len()
		} else {
			for unmet == 0 {
				word++
				unmet = g.first.All[word]
			}
			at = 64*word + bits.TrailingZeros64(unmet)
			unmet &= unmet - 1
		}
		return g.member.All[from:at]
	}
}

// A Cursor returns the groups of documents that are asked for in ascending order, or nearly so. It goes through all
// members once for so many documents as take 64 MB. Where members cannot be read, it is Groups.Of.
type Cursor struct {
	g      *Groups
	window int
	base   int
	of     []uint32
	lost   bool // some members
}

// cursorWindow is for how many documents a Cursor finds the groups at a time.
const cursorWindow = 1 << 24

// Cursor returns a Cursor of g.
func (g *Groups) Cursor() *Cursor { return &Cursor{g: g, window: cursorWindow, base: -1} }

// Of is Groups.Of.
func (c *Cursor) Of(doc uint32) (group uint32, ok bool) {
	if base := int(doc) / c.window * c.window; base != c.base {
		c.fill(base)
	}
	if group = c.of[int(doc)-c.base]; group == None && c.lost {
		return c.g.Of(doc)
	}
	return group, group != None
}

// fill finds the groups of the documents from base on.
func (c *Cursor) fill(base int) {
	g := c.g
	c.base, c.of = base, slices.Repeat([]uint32{None}, min(c.window, g.documents-base))
	for from := uint64(0); from < uint64(g.member.Len()); from += together {
		err := section.DamageOf(func() {
			members, group := g.member.Range(from, min(from+together, uint64(g.member.Len()))), g.groupAt(from)
			first := g.first.Range(from/64, min(from/64+together/64, uint64(g.first.Len())))
			for i, member := range members {
				if i > 0 {
					group += uint32(first[i/64] >> (i % 64) & 1)
				}
				if int(group) >= g.groups {
					panic(g.counts.Corruptf(from/countBits, "document %d is in group %d of %d", member, group, g.groups))
				}
				if in := int(member) - base; in >= 0 && in < len(c.of) {
					c.of[in] = group
				}
			}
		})
		c.lost = c.lost || err != nil
	}
}
