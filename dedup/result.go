package dedup

import (
	"context"

	"simsearch/internal/parallel"
	"simsearch/prefix"
)

// A Result says what Decide has decided.
type Result struct {
	Documents int // that may be removed
	Removed   int
	Exact     int // removed documents with the text of the kept one
	Contained int // removed documents that are contained in the kept one, and not near it
	Empty     int // documents without features, which are near nothing and stay
	Bad       int // documents that cannot be read, which stay as they are
	Bytes     int64
	KeptBytes int64 // of texts
	Sources   []Source
	Groups    int // of two documents or more
	Largest   int // the size of the largest group
	// Similarities counts the removed documents by their similarity to the kept one: in Similarities[i] are those
	// from i/100 to below (i+1)/100, and in the last one those of 1.
	Similarities [101]int
}

// A Source is a file.
type Source struct {
	Path                           string
	Documents, Removed, Exact, Bad int
}

// rounding makes up for errors of products such as 100*0.29, which is less than 29.
const rounding = 1e-9

// Result counts what is kept and removed.
func (d *Decisions) Result() Result {
	c := d.c
	r := Result{Documents: c.Len()}
	members := map[uint32]int{}
	for file := c.refs; file < len(c.files); file++ {
		s := Source{Path: c.files[file].Path, Documents: int(c.starts[file+1] - c.starts[file]), Bad: c.bad[file]}
		for doc := c.starts[file]; doc < c.starts[file+1]; doc++ {
			r.Bytes += int64(c.lengths[doc])
			if c.of[doc] == noSet {
				r.Empty++
			}
			if d.kept[doc] == doc {
				r.KeptBytes += int64(c.lengths[doc])
				continue
			}
			s.Removed++
			if d.exact(doc) {
				s.Exact++
			}
			if d.contained(doc) > 0 {
				r.Contained++
			}
			members[d.kept[doc]]++
			r.Similarities[int(100*d.similarity(doc)+rounding)]++
		}
		r.Removed, r.Exact, r.Bad = r.Removed+s.Removed, r.Exact+s.Exact, r.Bad+s.Bad
		r.Sources = append(r.Sources, s)
	}
	r.Groups = len(members)
	for _, n := range members {
		r.Largest = max(r.Largest, n+1)
	}
	return r
}

// manySets is the number of sets from which on RemovedAt counts at one threshold after the other.
const manySets = 1 << 20

// RemovedAt returns how many documents would be removed at other thresholds, in (0, 1]. The error is that of Decide.
func (d *Decisions) RemovedAt(ctx context.Context, thresholds []float64) (removed []int, err error) {
	c := d.c
	best := c.best()
	order, refs := c.order(best)
	count := func(ctx context.Context, i int) (n int, err error) {
		standsFor, err := c.group(ctx, d.coded, order, refs, thresholds[i], prefix.PairOptions{Threads: 1})
		if err != nil {
			return 0, err
		}
		for doc := c.starts[c.refs]; int(doc) < len(c.of); doc++ {
			if set := c.of[doc]; set != noSet && best[standsFor[set]] != doc {
				n++
			}
		}
		return n, nil
	}
	threads := c.o.Threads
	if len(order) > manySets {
		threads = 1 // each takes memory
	}
	err = parallel.Ordered(ctx, threads, len(thresholds), count, func(n int) error {
		removed = append(removed, n)
		return nil
	})
	return removed, err
}
