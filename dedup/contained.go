package dedup

import "cmp"

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

// setInside sets d.inside of a set, of whose features the one that is kept for it has the given share.
func (d *Decisions) setInside(set uint32, share float64) {
	if d.inside != nil && d.near[set] < d.c.o.Threshold {
		d.inside[set] = share
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
