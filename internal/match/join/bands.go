package join

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"simsearch/internal/match/lsh"
)

// Bands are the bands that candidates are found by, and the threshold that the bands were chosen
// for.
type Bands struct {
	lsh.Bands
	Threshold float64
}

// ByBands calls yield with pairs of documents whose sets are similar by v. It finds the pairs that
// agree on a band. Each pair comes once, ordered by A, then by B.
//
// It groups the documents by their sets, or by their signatures if Options.Groups is set. It
// verifies the pairs of groups that lsh.Pairs finds. It takes 36 bytes per document and 16 more per
// thread. The error is that of s, of ctx or of the file system, or the first error of yield.
func ByBands(ctx context.Context, s Source, v *Verifier, bands Bands, o Options, yield func(Pair) error) error {
	r, err := byBands(ctx, s, v, bands, o)
	if err != nil {
		return err
	}
	return r.each(ctx, o, yield)
}

// byBands returns the relation by which ByBands finds pairs.
func byBands(ctx context.Context, s Source, v *Verifier, bands Bands, o Options) (*relation, error) {
	d, err := newDistinct(ctx, s, o.Groups, o)
	if err != nil {
		return nil, err
	}
	signatures := lsh.NewSignatures(v.positions, 0)
	for _, set := range d.sets {
		signatures.Add(s.Signature(set))
	}
	if o.Explain != nil {
		o.Explain(fmt.Sprintf("%v over %d distinct sets: %s", bands.Bands, len(d.sets), bands.Explain(bands.Threshold)))
	}
	c := &comparer{source: s, verifier: v}
	r := newRelation(&collection{groupOf: d.of, groups: GroupMembers(d.of, len(d.sets))}, o)
	r.measure = func(g, other uint32) neighbour {
		similarity, _ := c.compare(d.sets[min(g, other)], d.sets[max(g, other)])
		return neighbour{other, Measures{Value: similarity}}
	}
	if o.Groups { // they share signatures, not sets
		of := s.Of()
		r.within = func(a, b uint32) (float64, bool) { return c.compare(of[a], of[b]) }
	}
	how := lsh.PairOptions{Threads: o.Threads, Progress: o.Progress}
	if o.PairsInMemory > 0 {
		how.SetsInMemory = 40 * o.PairsInMemory / 16 / max(1, o.Threads)
	}
	accept := func(x, y uint32) bool {
		_, ok := c.compare(d.sets[x], d.sets[y])
		return ok
	}
	err = r.list(ctx, o, func(add func(pairs []uint64) error) error {
		return lsh.Pairs(ctx, signatures, bands.Bands, bands.Threshold, how, accept, add)
	})
	if err != nil {
		err = errors.Join(err, r.neighbours.close())
	}
	return r, err
}

// A comparer compares sets of a source as a Verifier says.
type comparer struct {
	source   Source
	verifier *Verifier
	scratch  sync.Pool // of *[2][]uint64
}

// compare returns the similarity of two sets, and whether they are near.
func (c *comparer) compare(x, y uint32) (float64, bool) {
	if x == y {
		return 1, true
	}
	both, _ := c.scratch.Get().(*[2][]uint64)
	if both == nil {
		both = new([2][]uint64)
	}
	defer c.scratch.Put(both)
	return c.verifier.Compare(c.source.Signature(x), c.source.Signature(y), func() (a, b []uint64) {
		both[0], both[1] = c.source.AppendSet(both[0][:0], x), c.source.AppendSet(both[1][:0], y)
		return both[0], both[1]
	})
}
