package sequences

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
)

// A unit is what texts are made of here: hashes of words, or codes of them.
type unit interface{ uint8 | uint64 }

// A Query finds the passages of one text in others. It must not be used by several goroutines at once: each has a
// Clone.
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
	q.words.prepare(text.Words, b, b.Run())
	return q
}

// Find returns the passages that the text of q and a document share, in their order in the text, then in the document.
func (q *Query) Find(document *Text) []Passage { return q.words.find(document.Words) }

// Clone returns a Query for the same text, with the tables of q as far as they are made, and with memory of its own.
func (q *Query) Clone() *Query {
	c, text := *q, *q.Text // a text notes where its words are when it is asked
	c.Text = &text
	c.words.work, c.codes.work = work{}, work{}
	c.grams.present, c.grams.places, c.scratch = slices.Clone(q.grams.present), nil, nil
	return &c
}

// seek makes what an Index looks for.
func (q *Query) seek() {
	if !q.sought {
		codes := AppendCodes(nil, q.Text.Words)
		q.codes.prepare(codes, q.bounds, q.bounds.Run())
		q.grams.prepare(codes, q.bounds)
		q.seeds, q.sought = soughtOf(codes), true
	}
}

// A matcher finds the passages of a sequence in others. Runs of m.run words of the sequence with one hash are in
// groups by the word before them: a run of the other one that follows the same word continues a longer run, so that a
// whole group is passed over. Otherwise texts that repeat a few words would take quadratic time.
type matcher[T unit] struct {
	a       []T
	b       Bounds
	run     int
	most    int     // cores that are listed at once
	heads   []int32 // the first of the groups with a hash, and one more, by the hash; 0 is none
	leaders []int32 // the first of the groups with a hash and a word before, and one more, in an open table
	groups  []int32 // behind the first of a group: the first of the next one
	next    []int32 // behind each: the next of its group
	hash    []uint64
	work
}

// work is the memory of a matcher for what it compares with its sequence.
type work struct {
	extension
	cores               []core
	found               []Passage
	inQuery, inDocument spans // words of passages that are found
}

// A core is a run of equal words: where it begins on both sides, and how long it is.
type core struct{ a, b, n int }

// prepare makes m look for passages of a, whose cores have run words or more. Its memory is used again.
func (m *matcher[T]) prepare(a []T, b Bounds, run int) {
	m.a, m.b, m.run, m.most = a, b, run, mostCores
	m.hash = appendRuns(m.hash[:0], a, m.run)
	n := len(m.hash)
	size := 1 << bits.Len(uint(4*n+64))
	m.heads, m.leaders = zeros(m.heads, size), zeros(m.leaders, size)
	m.groups, m.next = zeros(m.groups, n), zeros(m.next, n)
	for i := n - 1; i >= 0; i-- {
		if leader := m.leader(i); *leader > 0 {
			m.next[i], m.next[*leader-1] = m.next[*leader-1], int32(i+1)
		} else {
			*leader = int32(i + 1)
			head := m.head(m.hash[i])
			m.groups[i], *head = *head, int32(i+1)
		}
	}
}

// zeros returns n zeros, in the memory of s if that is enough.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (m *matcher[T]) head(hash uint64) *int32 { return &m.heads[hash>>32&uint64(len(m.heads)-1)] }

// leader returns the place in m.leaders of the group of run i. The first run has a group of its own.
func (m *matcher[T]) leader(i int) *int32 {
	mask := uint64(len(m.leaders) - 1)
	key := m.hash[i]
	if i > 0 {
		key += spread(m.a[i-1]) * factor
	}
	for at := key >> 32 & mask; ; at = (at + 1) & mask {
		l := int(m.leaders[at]) - 1
		if l < 0 || m.hash[l] == m.hash[i] && l > 0 && i > 0 && m.a[l-1] == m.a[i-1] {
			return &m.leaders[at]
		}
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

// mayHave reports whether m's sequence and b may share a passage: seldom are there none then.
func (m *matcher[T]) mayHave(b []T) bool {
	return !m.eachStart(b, func(x, y int) bool {
		c := runAt(m.a, b, x, y, len(b))
		return c.n < m.run || !mayExtend(&m.extension, m.b, m.a, b, c)
	})
}

// find returns the passages that m's sequence and b share. They are valid until the next call.
func (m *matcher[T]) find(b []T) []Passage {
	m.findAll(b)
	m.found = outermost(m.found)
	for i := range m.found {
		p := &m.found[i]
		p.Edits = distance(&m.extension, m.a[p.Query[0]:p.Query[1]], b[p.Document[0]:p.Document[1]])
	}
	return m.found
}

// findAll sets m.found to the passages of cores.
func (m *matcher[T]) findAll(b []T) {
	m.found, m.inQuery, m.inDocument = m.found[:0], m.inQuery[:0], m.inDocument[:0]
	if !m.findCores(b) {
		m.findMany(b)
		return
	}
	sortCores(m.cores)
	for _, c := range m.cores {
		m.take(b, c)
	}
}

// take adds the passage of a core to m.found, if it has one and some of its words lie in none yet.
func (m *matcher[T]) take(b []T, c core) {
	if m.passed(c) {
		return
	}
	if p, ok := passageOf(&m.extension, m.b, m.a, b, c); ok {
		m.found = append(m.found, p)
		m.inQuery, m.inDocument = m.inQuery.with(p.Query), m.inDocument.with(p.Document)
	}
}

// passed reports whether a core is passed over.
func (m *matcher[T]) passed(c core) bool {
	return m.inQuery.has(c.a, c.a+c.n) && m.inDocument.has(c.b, c.b+c.n)
}

// spans are spans of words that do not touch each other, in order.
type spans [][2]int

// has reports whether all words from one to another lie in spans.
func (s spans) has(from, to int) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i][1] >= to })
	return i < len(s) && s[i][0] <= from
}

// with returns s and one more span.
func (s spans) with(x [2]int) spans {
	lo := sort.Search(len(s), func(i int) bool { return s[i][1] >= x[0] })
	hi := lo
	for ; hi < len(s) && s[hi][0] <= x[1]; hi++ {
		x[0], x[1] = min(x[0], s[hi][0]), max(x[1], s[hi][1])
	}
	return slices.Replace(s, lo, hi, x)
}

// sortCores sorts cores in the order in which they are taken.
func sortCores(cores []core) { slices.SortFunc(cores, byOrder) }

func byOrder(x, y core) int {
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

// findCores sets m.cores to the runs of m.run equal words or more of m's sequence and b. It returns false if there
// are more than m.most.
func (m *matcher[T]) findCores(b []T) bool {
	m.cores = m.cores[:0]
	var long core // the longest one, if it is a passage
	return m.eachStart(b, func(x, y int) bool {
		// What lies in the core long on both sides in any case would be passed over.
		dx, dy := x-long.a, y-long.b
		if dx >= 0 && dy >= 0 && min(long.n-dx, long.n-dy) >= min(len(m.a)-x, len(b)-y) {
			return true
		}
		if c := runAt(m.a, b, x, y, len(b)); c.n >= m.run {
			m.cores = append(m.cores, c)
			if c.n >= m.b.Words && c.n > long.n {
				long = c
			}
		}
		return len(m.cores) <= m.most
	})
}

// eachStart calls do with the places of m's sequence and of b at which runs of m.run equal words or more begin, and a
// few others, until it returns false. Then it returns false, too.
func (m *matcher[T]) eachStart(b []T, do func(x, y int) bool) bool {
	a, n := m.a, m.run
	if len(b) < n || len(a) < n {
		return true
	}
	h, first := uint64(0), uint64(1)
	for i := range n - 1 {
		h = h*factor + spread(b[i])
		first *= factor
	}
	for y := 0; y+n <= len(b); y++ {
		h = h*factor + spread(b[y+n-1])
		for l := *m.head(h); l > 0; l = m.groups[l-1] {
			if m.hash[l-1] != h || l > 1 && y > 0 && a[l-2] == b[y-1] {
				continue
			}
			for x := l; x > 0; x = m.next[x-1] {
				if !do(int(x-1), y) {
					return false
				}
			}
		}
		h -= spread(b[y]) * first
	}
	return true
}

// runAt returns the run of equal words that begins at two places, at most so many of them.
func runAt[T unit](a, b []T, x, y, most int) core {
	c := core{x, y, 0}
	for c.n < most && x+c.n < len(a) && y+c.n < len(b) && a[x+c.n] == b[y+c.n] {
		c.n++
	}
	return c
}
