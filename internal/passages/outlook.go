package passages

import (
	"math"
	"math/bits"
)

// An outlook bounds what extensions can still gain, from the grams that two sequences share. A part of an alignment with w words of the
// document and k edits has w − k equal words or more, in k + 1 runs at most. A run of n words has n − 2 grams, so that g ≥ w − 3k − 2 grams
// of the part are in the query, too: k ≥ (w − 2 − g)/3. Hence its score by the words of the document, e·w − k, is at most
// (g + 2 − (1 − 3e)·w)/3. The query has w + k words at most, so that the score by these is at most (g + 2 − (1 − 3e/(1 − e))·w)/3, which is
// the larger one. The most that this is for any part that begins or ends at a place is found in one pass.
//
// Texts without something in common share few grams. An extension that has left a passage is soon given up.
type outlook struct {
	ahead, behind []int32 // the most that parts from each place of the document on gain, and those up to it; nil if nothing is known
}

// A gramSet has the grams of a query, and few others.
type gramSet struct {
	bits  []uint64 // by the highest bits of hashes
	shift uint
}

// sure is a score that no outlook is above.
const sure = math.MaxInt32 / 4

// gramsOf returns the grams of a sequence.
func gramsOf[T unit](a []T) gramSet {
	size := max(6, bits.Len(uint(16*len(a))))
	g := gramSet{make([]uint64, 1<<(size-6)), uint(64 - size)}
	eachGram(a, func(_ int, hash uint64) { g.bits[hash>>g.shift/64] |= 1 << (hash >> g.shift % 64) })
	return g
}

// has returns 1 if the set may have a gram with a hash, and otherwise 0.
func (g *gramSet) has(hash uint64) int32 {
	hash >>= g.shift
	return int32(g.bits[hash/64] >> (hash % 64) & 1)
}

// look makes o the outlook on a document, for a query with some grams.
func look[T unit](o *outlook, query *gramSet, b []T, bounds Bounds) {
	share := bounds.share()
	price := int32(scale - (3*share*scale+scale-share-1)/(scale-share)) // of a word, rounded down
	if price <= 0 {                                                     // with so many edits, parts need no grams
		o.ahead, o.behind = nil, nil
		return
	}
	n := len(b)
	o.ahead, o.behind = zeros(o.ahead, n+1), zeros(o.behind, n+1)
	eachGram(b, func(at int, hash uint64) { o.ahead[at] = query.has(hash) * scale })
	for i := range n {
		o.behind[i+1] = min(sure, max(0, o.behind[i]+o.ahead[i]-price))
	}
	for i := n - 1; i >= 0; i-- {
		o.ahead[i] = min(sure, max(0, o.ahead[i+1]+o.ahead[i]-price))
	}
	for i := range o.ahead {
		o.ahead[i], o.behind[i] = (o.ahead[i]+2*scale)/3, (o.behind[i]+2*scale)/3
	}
}

// eachGram calls do with each gram of a sequence: where it begins, and a hash.
func eachGram[T unit](s []T, do func(at int, hash uint64)) {
	if len(s) < gramWords {
		return
	}
	before, last := spread(s[0]), spread(s[1])
	for i, x := range s[gramWords-1:] {
		next := spread(x)
		do(i, ((before*factor+last)*factor+next)*factor)
		before, last = last, next
	}
}
