package join

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/spill"
	"simsearch/lsh"
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
	j := &similar{source: o.onlySome(s), verifier: v, signatures: lsh.NewSignatures(v.positions, 0)}
	j.neighbours.fs, j.neighbours.hold = o.Disk, 4*o.PairsInMemory
	if err := j.group(ctx, o.Groups); err != nil {
		return err
	}
	j.measure()
	if o.Explain != nil {
		o.Explain(fmt.Sprintf("%v over %d distinct sets: %s", bands.Bands, j.signatures.Len(), bands.Explain(bands.Threshold)))
	}
	if err := j.find(ctx, bands, o); err != nil {
		return errors.Join(err, j.neighbours.close())
	}
	return j.eachListed(ctx, j, o, yield)
}

// similar relates groups by the similarity of their sets. A group has equal sets or equal
// signatures.
type similar struct {
	listed
	source     Source
	verifier   *Verifier
	signatures *lsh.Signatures // one per group
	sets       []uint32        // the set of each group; the first of several
	of         []uint32        // the set of each document
	grouped    bool            // groups share signatures, not sets
	scratch    sync.Pool       // of *[2][]uint64
}

// group groups the documents by their sets, or by their signatures.
func (j *similar) group(ctx context.Context, bySignature bool) error {
	numbers := make([]uint32, j.source.Sets()) // the group of each set
	known := map[[2]uint64]uint32{}            // empty if the sets are known to be distinct
	for set := range uint32(len(numbers)) {
		if set%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d, err := j.source.Digest(set)
		if err != nil {
			return err
		}
		signature, err := j.source.Signature(set)
		if err != nil {
			return err
		}
		if bySignature {
			d[0], d[1] = murmur3.Sum128(signature)
		}
		g, ok := known[d]
		if !ok {
			g = uint32(len(j.sets))
			j.sets = append(j.sets, set)
			j.signatures.Add(signature)
			if bySignature || !j.source.Distinct() {
				known[d] = g
			}
		}
		numbers[set] = g
	}
	j.of, j.grouped = j.source.Of(), bySignature
	j.collection = &collection{groupOf: make([]uint32, len(j.of))}
	for doc, set := range j.of {
		j.groupOf[doc] = noGroup
		if set != NoSet {
			j.groupOf[doc] = numbers[set]
		}
	}
	j.groups = groupMembers(j.groupOf, len(j.sets))
	return nil
}

// find finds the similar pairs of groups and lists each for both of its groups.
func (j *similar) find(ctx context.Context, bands Bands, o Options) (err error) {
	how := lsh.PairOptions{Threads: o.Threads, Progress: o.Progress}
	if o.PairsInMemory > 0 {
		how.SetsInMemory = 40 * o.PairsInMemory / 16 / max(1, o.Threads)
	}
	sorter := spill.NewSorter(o.Disk, "", 2*o.PairsInMemory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	accept := func(x, y uint32) (bool, error) {
		_, ok, err := j.compare(j.sets[x], j.sets[y])
		return ok, err
	}
	err = lsh.Pairs(ctx, j.signatures, bands.Bands, bands.Threshold, how, accept, func(pairs []uint64) error {
		if err := sorter.Add(pairs); err != nil {
			return err
		}
		for i, p := range pairs {
			pairs[i] = p<<32 | p>>32
		}
		return sorter.Add(pairs)
	})
	if err != nil {
		return err
	}
	return j.list(ctx, sorter, len(j.sets))
}

func (j *similar) near(ctx context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
	return j.nearBy(ctx, dst, g, func(other uint32) (float64, error) {
		similarity, _, err := j.compare(j.sets[min(g, other)], j.sets[max(g, other)])
		return similarity, err
	})
}

func (j *similar) within(a, b uint32) (float64, bool, error) {
	if !j.grouped {
		return 1, true, nil
	}
	return j.compare(j.of[a], j.of[b])
}

// compare returns the similarity of two sets, and whether they are near.
func (j *similar) compare(x, y uint32) (float64, bool, error) {
	if x == y {
		return 1, true, nil
	}
	a, err := j.source.Signature(x)
	if err != nil {
		return 0, false, err
	}
	b, err := j.source.Signature(y)
	if err != nil {
		return 0, false, err
	}
	both, _ := j.scratch.Get().(*[2][]uint64)
	if both == nil {
		both = new([2][]uint64)
	}
	defer j.scratch.Put(both)
	return j.verifier.Compare(a, b, func() (a, b []uint64, err error) {
		if both[0], err = j.source.AppendSet(both[0][:0], x); err == nil {
			both[1], err = j.source.AppendSet(both[1][:0], y)
		}
		return both[0], both[1], err
	})
}
