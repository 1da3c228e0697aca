// Package truth says which pairs of documents are near: exact joins of sets, labels, and one lookup of either. And it
// says how much of it a search finds: precision and recall with intervals, over pairs or over groups of documents,
// and whether a wider search can be better.
package truth

import (
	"cmp"
	"slices"

	"simsearch/internal/index"
)

// Verdicts say which pairs are near in truth: by an exact similarity of 0.8 or more, or by labels. They are looked up
// some hundred million times a second.
type Verdicts struct {
	All  []Pair // by A, then by B; labels give the similarity 1 to pairs that are near, and 0 to others
	Near int    // number of pairs that are near

	Complete bool  // pairs without a verdict are not near
	from     []int // All[from[a]:from[a+1]] are the pairs whose A is a
}

// NewVerdicts returns the verdicts on pairs, which it sorts.
func NewVerdicts(all []Pair, complete bool) Verdicts {
	sortPairs(all)
	v := Verdicts{All: all, Complete: complete}
	for i, p := range all {
		for len(v.from) <= int(p.A) {
			v.from = append(v.from, i)
		}
		if p.near() {
			v.Near++
		}
	}
	v.from = append(v.from, len(all))
	return v
}

// sortPairs sorts pairs by A, then by B.
func sortPairs(all []Pair) {
	slices.SortFunc(all, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
}

func (p Pair) near() bool { return p.Jaccard >= index.DefaultThreshold }

// Find returns the pair of two documents, if it has a verdict.
func (v *Verdicts) Find(a, b uint32) (p Pair, ok bool) {
	a, b = min(a, b), max(a, b)
	if int(a)+1 >= len(v.from) {
		return p, false
	}
	partners := v.All[v.from[a]:v.from[a+1]]
	at, ok := slices.BinarySearchFunc(partners, b, func(p Pair, b uint32) int { return int(p.B) - int(b) })
	if ok {
		p = partners[at]
	}
	return p, ok
}

// Judge reports whether a pair is near; known is false if nothing is known of it.
func (v *Verdicts) Judge(a, b uint32) (near, known bool) {
	p, ok := v.Find(a, b)
	return p.near(), ok || v.Complete
}

// Pairs yields each pair that is near, the smaller number first.
func (v *Verdicts) Pairs(yield func(a, b uint32) bool) {
	for _, p := range v.All {
		if p.near() && !yield(p.A, p.B) {
			return
		}
	}
}

// AtLeast returns the number of pairs with a similarity of threshold or more.
func (v *Verdicts) AtLeast(threshold float64) (n int) {
	for _, p := range v.All {
		if p.Jaccard >= threshold {
			n++
		}
	}
	return n
}

// Apart returns the number of pairs that have the verdict that they are not near.
func (v *Verdicts) Apart() int { return len(v.All) - v.Near }
