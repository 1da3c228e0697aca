package dedup

import (
	"cmp"
	"context"

	"simsearch/prefix"
)

// stars divides the sets into stars, as the options say.
func (c *Collection) stars(ctx context.Context, coded *prefix.Sets, order []uint32, refs int, t float64, how prefix.PairOptions) ([]prefix.Star, error) {
	if c.o.Contained > 0 {
		return coded.StarsContained(ctx, t, c.o.Contained, order, refs, how)
	}
	return coded.Stars(ctx, t, order, refs, how)
}

// bySize compares distinct sets such that larger ones come first, if contained ones are removed. It returns 0 if their
// sizes do not matter. best are their documents.
func (c *Collection) bySize(a, b uint32, best []uint32) int {
	first := c.starts[c.refs]
	if c.o.Contained == 0 || best[a] < first || best[b] < first {
		return 0
	}
	return cmp.Compare(c.sizes[b], c.sizes[a])
}

func (c *Collection) newInside() []float64 {
	if c.o.Contained == 0 {
		return nil
	}
	return make([]float64, len(c.sizes))
}

// setInside sets d.inside of a set of n features, of which the one that is kept for it has the given number.
func (d *Decisions) setInside(set uint32, shared, n int) {
	if d.inside != nil && d.near[set] < d.c.o.Threshold {
		d.inside[set] = float64(shared) / float64(n)
	}
}

// contained returns which share of the features of a removed document is in the one kept for it, if it is removed for
// that, and else 0.
func (d *Decisions) contained(doc uint32) float64 {
	if d.inside == nil || d.kept[doc] == doc {
		return 0
	}
	return d.inside[d.c.of[doc]]
}
