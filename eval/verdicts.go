package eval

import (
	"slices"

	"simsearch/internal/index"
)

// Verdicts say which pairs are near in truth: what the labels say or, without labels, an exact similarity of 0.8
// or more. They are looked up some hundred million times a second, and faster than in Labels.
type verdicts struct {
	complete bool // pairs without a verdict are not near
	pairs    int  // that are near
	// Partner b of document a, a < b, is 2b, or 2b + 1 if the two are near. Those of a are
	// partners[from[a]:from[a+1]], ascending.
	partners []uint64
	from     []int
}

// newVerdicts returns the verdicts on a collection.
func newVerdicts(c *Collection) *verdicts {
	v := &verdicts{complete: c.Labels == nil || c.Labels.complete, from: make([]int, c.Len()+1)}
	type verdict struct {
		a uint32
		b uint64
	}
	var all []verdict
	add := func(a, b uint32, near bool) {
		code := 2 * uint64(max(a, b))
		if near {
			code++
			v.pairs++
		}
		all = append(all, verdict{min(a, b), code})
	}
	if c.Labels != nil {
		for pair, near := range c.Labels.near {
			add(pair[0], pair[1], near)
		}
	} else {
		for _, p := range c.Truth {
			if p.Jaccard >= index.DefaultThreshold {
				add(p.A, p.B, true)
			}
		}
	}
	slices.SortFunc(all, func(x, y verdict) int {
		if x.a != y.a {
			return int(x.a) - int(y.a)
		}
		return int(int64(x.b) - int64(y.b))
	})
	for _, x := range all {
		v.from[x.a+1]++
		v.partners = append(v.partners, x.b)
	}
	for i := range c.Len() {
		v.from[i+1] += v.from[i]
	}
	return v
}

// judge reports whether a pair is near; known is false if nothing is known of it.
func (v *verdicts) judge(a, b uint32) (near, known bool) {
	a, b = min(a, b), max(a, b)
	partners := v.partners[v.from[a]:v.from[a+1]]
	at, _ := slices.BinarySearch(partners, 2*uint64(b))
	if at < len(partners) && partners[at]>>1 == uint64(b) {
		return partners[at]&1 == 1, true
	}
	return false, v.complete
}

// near yields each pair that is near.
func (v *verdicts) near(yield func(a, b uint32) bool) {
	for a := range len(v.from) - 1 {
		for _, b := range v.partners[v.from[a]:v.from[a+1]] {
			if b&1 == 1 && !yield(uint32(a), uint32(b>>1)) {
				return
			}
		}
	}
}
