package passages

import (
	"cmp"
	"math/bits"
	"slices"
)

// A unit is what texts are made of here: hashes of words, or codes of them.
type unit interface{ uint8 | uint64 }

// A Query finds the passages of one text in others. It must not be used by several goroutines at once.
type Query struct {
	Text   *Text
	bounds Bounds
	words  matcher[uint64]
	codes  matcher[uint8]

	sought  bool     // codes and seeds are made
	seeds   []sought // of the codes
	grams   filter
	scratch []uint32
}

// NewQuery returns a Query for the passages within b, which are right, of text.
func NewQuery(text *Text, b Bounds) *Query {
	q := &Query{Text: text, bounds: b}
	q.words.prepare(text.Words, b)
	return q
}

// Find returns the passages that the text of q and a document share, in their order in the text, then in the document.
func (q *Query) Find(document *Text) []Passage { return q.words.find(document.Words) }

// seek makes what an Index looks for.
func (q *Query) seek() {
	if !q.sought {
		codes := AppendCodes(nil, q.Text.Words)
		q.codes.prepare(codes, q.bounds)
		q.grams.prepare(codes, q.bounds)
		q.seeds, q.sought = appendSought(nil, codes), true
	}
}

// A matcher finds the passages of a sequence in others.
type matcher[T unit] struct {
	a     []T
	b     Bounds
	run   int
	heads []int32 // the first place in a of the runs with a hash, and one more; the lowest bits of the hash are the index
	next  []int32 // the next place behind each, and one more
	hash  []uint64
	extension
	cores []core
	found []Passage
}

// A core is a run of equal words: where it begins on both sides, and how long it is.
type core struct{ a, b, n int }

// prepare makes m look for passages of a. Its memory is used again.
func (m *matcher[T]) prepare(a []T, b Bounds) {
	m.a, m.b, m.run = a, b, b.Run()
	m.hash = appendRuns(m.hash[:0], a, m.run)
	size := 1 << bits.Len(uint(4*len(m.hash)+64))
	if len(m.heads) != size {
		m.heads = make([]int32, size)
	} else {
		clear(m.heads)
	}
	m.next = slices.Grow(m.next[:0], len(m.hash))[:len(m.hash)]
	for i := len(m.hash) - 1; i >= 0; i-- {
		head := &m.heads[m.hash[i]>>32&uint64(size-1)]
		m.next[i], *head = *head, int32(i+1)
	}
}

// factor is the base of the hashes of runs.
const factor = 0x9e3779b97f4a7c15

// appendRuns appends the hash of each run of n words of a to dst.
func appendRuns[T unit](dst []uint64, a []T, n int) []uint64 {
	if len(a) < n {
		return dst
	}
	h, first := uint64(0), uint64(1)
	for i := range n {
		h = h*factor + spread(a[i])
		if i > 0 {
			first *= factor
		}
	}
	dst = append(dst, h)
	for i := n; i < len(a); i++ {
		h = (h-spread(a[i-n])*first)*factor + spread(a[i])
		dst = append(dst, h)
	}
	return dst
}

// spread spreads a word over 64 bits.
func spread[T unit](x T) uint64 { return (uint64(x) + 1) * 0xff51afd7ed558ccd }

// find returns the passages that m's sequence and b share. They are valid until the next call.
func (m *matcher[T]) find(b []T) []Passage {
	m.found = m.found[:0]
	if m.findCores(b); len(m.cores) == 0 {
		return nil
	}
	slices.SortFunc(m.cores, longestFirst)
	for _, c := range m.cores {
		q := Passage{Query: [2]int{c.a, c.a + c.n}, Document: [2]int{c.b, c.b + c.n}}
		if slices.ContainsFunc(m.found, func(p Passage) bool { return q.in(&p) }) {
			continue
		}
		if p, ok := passageOf(&m.extension, m.b, m.a, b, c); ok {
			m.found = append(m.found, p)
		}
	}
	m.found = outermost(m.found)
	for i := range m.found {
		p := &m.found[i]
		p.Edits = distance(m.a[p.Query[0]:p.Query[1]], b[p.Document[0]:p.Document[1]], p.Edits)
	}
	return m.found
}

func longestFirst(x, y core) int {
	return cmp.Or(cmp.Compare(y.n, x.n), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
}

// outermost returns the passages that do not lie in another one, in order. Of equal ones, one is returned.
func outermost(found []Passage) []Passage {
	slices.SortStableFunc(found, func(x, y Passage) int {
		return cmp.Or(cmp.Compare(x.Query[0], y.Query[0]), cmp.Compare(x.Document[0], y.Document[0]),
			cmp.Compare(y.Query[1], x.Query[1]), cmp.Compare(y.Document[1], x.Document[1]))
	})
	kept := found[:0]
	for i, p := range found {
		inner := func(o Passage) bool { return p.in(&o) }
		equal := func(o Passage) bool { return p.in(&o) && o.in(&p) }
		if !slices.ContainsFunc(kept, inner) && !slices.ContainsFunc(found[i+1:], func(o Passage) bool { return inner(o) && !equal(o) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// findCores sets m.cores to the runs of m.run equal words or more of m's sequence and b.
func (m *matcher[T]) findCores(b []T) {
	m.cores = m.cores[:0]
	a, n := m.a, m.run
	if len(b) < n || len(a) < n {
		return
	}
	mask := uint64(len(m.heads) - 1)
	h, first := uint64(0), uint64(1)
	for i := range n - 1 {
		h = h*factor + spread(b[i])
		first *= factor
	}
	for y := 0; y+n <= len(b); y++ {
		h = h*factor + spread(b[y+n-1])
		for x := m.heads[h>>32&mask]; x > 0; x = m.next[x-1] {
			i := int(x - 1)
			if m.hash[i] != h || i > 0 && y > 0 && a[i-1] == b[y-1] {
				continue
			}
			k := 0
			for i+k < len(a) && y+k < len(b) && a[i+k] == b[y+k] {
				k++
			}
			if k >= n {
				m.cores = append(m.cores, core{i, y, k})
			}
		}
		h -= spread(b[y]) * first
	}
}
