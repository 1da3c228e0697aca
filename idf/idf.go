// Package idf learns how rare features are in a collection, and weighs them by it: the
// inverse document frequency of Spärck Jones, smoothed, in fixed point.
//
//	var l idf.Learner
//	l.Add(hashes) // the distinct features of a document, for each document
//	m := l.Model()
//	weights, err := m.Weights(nil, hashes)
//
// A feature that df of N documents have weighs 1 + log2((N+1)/(df+1)): at least 1, and most
// where nobody has it. Features are known by their 64-bit hashes. What is learnt does not
// depend on the order of the documents.
//
// Source: K. Spärck Jones, "A statistical interpretation of term specificity and its
// application in retrieval", Journal of Documentation 28 (1972), with one added to both
// counts, so that a feature never seen has a weight, too.
package idf

import (
	"math/bits"
	"slices"

	"simsearch/internal/section"
)

// One is the weight 1.0: weights have 16 bits behind the point.
const One = 1 << 16

// DefaultLimit is how many features a Learner tells apart if it is not told otherwise:
// 400 MB while it learns, 200 MB afterwards.
const DefaultLimit = 1 << 24

// A Learner counts in how many documents each feature occurs. The zero value is ready and
// tells DefaultLimit features apart.
//
// Where there are more, it tells them apart by the first bits of their hashes alone, as
// many bits as keep the number within the limit, and counts those that agree together: a
// rare feature that meets another is taken for a little less rare. How many bits depends on
// the features that there are, not on the order in which they come.
type Learner struct {
	Limit     int // features
	documents uint64
	counts    table
	bits      int // by which features are told apart; 0 stands for 64
}

// Add counts a document by its features, each hash once; features is not kept.
func (l *Learner) Add(features []uint64) {
	l.documents++
	for _, f := range features {
		l.counts.add(f&l.mask(), 1)
	}
	limit := l.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if l.counts.used > limit {
		l.tellFewer(limit)
	}
}

func (l *Learner) resolved() int {
	if l.bits == 0 {
		return 64
	}
	return l.bits
}

func (l *Learner) mask() uint64 { return ^uint64(0) << (64 - l.resolved()) }

// tellFewer takes the most bits of the hashes by which at most limit features differ.
func (l *Learner) tellFewer(limit int) {
	var keys []uint64
	for key := range l.counts.all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var apart [65]int // how many neighbours first differ at each bit, counted from the top
	for i := 1; i < len(keys); i++ {
		apart[bits.LeadingZeros64(keys[i]^keys[i-1])]++
	}
	l.bits = 0
	for different := 1 + apart[0]; different <= limit && l.bits < 64; {
		l.bits++
		different += apart[l.bits]
	}
	l.bits = max(l.bits, 1)
	var merged table
	for key, n := range l.counts.all {
		merged.add(key&l.mask(), n)
	}
	l.counts = merged
}

// Model returns the weights of what has been counted.
func (l *Learner) Model() *Model {
	m := &Model{documents: l.documents, bits: l.resolved()}
	type feature struct {
		key uint64
		n   uint32
	}
	features := make([]feature, 0, l.counts.used)
	for key, n := range l.counts.all {
		features = append(features, feature{key, n})
	}
	slices.SortFunc(features, func(a, b feature) int {
		if a.key < b.key {
			return -1
		}
		return 1 // keys differ
	})
	keys, weights := make([]uint64, len(features)), make([]uint32, len(features))
	for i, f := range features {
		keys[i], weights[i] = f.key, m.weigh(uint64(f.n))
	}
	m.keys, m.weights = section.Checked(keys), section.Checked(weights)
	m.finish()
	return m
}

// A table counts keys by open addressing.
type table struct {
	keys   []uint64
	counts []uint32 // 0 where the place is free
	used   int
	shift  uint
}

func (t *table) add(key uint64, n uint32) {
	if 2*t.used >= len(t.keys) {
		t.grow()
	}
	// Hashes are spread by multiplication, since not all have good upper bits.
	i := int(key * 0x9e3779b97f4a7c15 >> t.shift)
	for t.counts[i] != 0 && t.keys[i] != key {
		i = (i + 1) & (len(t.keys) - 1)
	}
	if t.counts[i] == 0 {
		t.keys[i] = key
		t.used++
	}
	if t.counts[i]+n >= t.counts[i] { // or it stays at the largest
		t.counts[i] += n
	}
}

func (t *table) grow() {
	size := max(1<<10, 2*len(t.keys))
	larger := table{keys: make([]uint64, size), counts: make([]uint32, size), shift: uint(64 - bits.Len(uint(size-1)))}
	for key, n := range t.all {
		larger.add(key, n)
	}
	*t = larger
}

func (t *table) all(yield func(key uint64, n uint32) bool) {
	for i, n := range t.counts {
		if n != 0 && !yield(t.keys[i], n) {
			return
		}
	}
}
