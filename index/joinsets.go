package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spaolacci/murmur3"

	"simsearch/analysis"
	"simsearch/internal/sorted"
	"simsearch/internal/spill"
	"simsearch/lsh"
)

// joinSets finds the sets that are similar by c.
func (ix *Index) joinSets(ctx context.Context, c Criterion, o PairOptions) (_ *join, err error) {
	j := &setJoin{ix: ix, verifier: newVerifier(c, ix.Settings().Positions), hold: o.HoldPairs}
	if err := j.group(ctx, o.Groups); err != nil {
		return nil, err
	}
	if o.Groups {
		j.within = j.compareDocuments
	}
	j.warn(o)
	j.join.near = j.near
	bands, err := chooseBands(c.wanted(j.positions))
	if err != nil {
		return &j.join, err
	}
	if o.Explain != nil {
		o.Explain(fmt.Sprintf("%v over %d distinct sets: %s", bands, j.signatures.Len(), explainBands(bands, c.Threshold)))
	}
	how := lsh.PairOptions{Threads: o.Threads, Progress: o.Progress}
	if o.HoldPairs > 0 {
		how.HoldSets = 40 * o.HoldPairs / 16 / max(1, o.Threads)
	}
	return &j.join, j.run(ctx, bands, c.Threshold, how)
}

// A setJoin is a join of sets of features.
type setJoin struct {
	join
	*verifier
	ix         *Index
	signatures *lsh.Signatures
	at         []setPlace // of each group
	hold       int
}

// A setPlace is where the set of a group lies.
type setPlace struct{ segment, set uint32 }

// group brings together the documents that share a set or, if so wanted, a signature, of
// whatever segment.
func (j *setJoin) group(ctx context.Context, bySignature bool) error {
	ix := j.ix
	j.groupOf = make([]uint32, ix.total)
	j.signatures = lsh.NewSignatures(j.positions, 0)
	known := map[analysis.Digest]uint32{} // stays empty where sets are known to be distinct
	for i, s := range ix.segments {
		numbers := make([]uint32, s.sets.len())
		for set := range numbers {
			if set%lookEvery == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			d, err := s.sets.digest(uint32(set))
			if err != nil {
				return err
			}
			signature, err := s.sets.signature(uint32(set))
			if err != nil {
				return err
			}
			if bySignature {
				d[0], d[1] = murmur3.Sum128(signature)
			}
			g, ok := known[d]
			if !ok {
				g = uint32(len(j.at))
				j.at = append(j.at, setPlace{uint32(i), uint32(set)})
				j.signatures.Add(signature)
				if bySignature || len(ix.segments) > 1 {
					known[d] = g
				}
			}
			numbers[set] = g
		}
		used := make([]bool, len(numbers))
		for doc, set := range s.sets.of.All { // it has been verified
			g := noGroup
			if set != noSet {
				if uint64(set) >= uint64(len(numbers)) {
					return corruptf(s.path, "set %d of %d", set, len(numbers))
				}
				g, used[set] = numbers[set], true
			}
			j.groupOf[ix.starts[i]+uint32(doc)] = g
		}
		if set := slices.Index(used, false); set >= 0 { // a group has a first document
			return corruptf(s.path, "set %d has no document", set)
		}
	}
	j.groups = groupSets(j.groupOf, len(j.at))
	return nil
}

// run finds the similar pairs and lists each on both sides.
func (j *setJoin) run(ctx context.Context, bands lsh.Bands, threshold float64, how lsh.PairOptions) (err error) {
	sorter := spill.New(j.ix.fs, "", 2*j.hold)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	accept := func(x, y uint32) (bool, error) {
		_, ok, err := j.compare(x, y)
		return ok, err
	}
	err = lsh.Pairs(ctx, j.signatures, bands, threshold, how, accept, func(pairs []uint64) error {
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
	j.neighbours.fs, j.neighbours.hold = j.ix.fs, 4*j.hold
	for p, err := range sorter.Sorted(ctx) {
		if err != nil {
			return err
		}
		if err := j.neighbours.add(uint32(p>>32), uint32(p)); err != nil {
			return err
		}
	}
	return j.neighbours.finish(len(j.at))
}

// compare returns the similarity of two groups, and whether they are near.
func (j *setJoin) compare(x, y uint32) (float64, bool, error) { return j.compareSets(j.at[x], j.at[y]) }

// compareDocuments returns the similarity of two documents that are not empty, and whether they
// are near.
func (j *setJoin) compareDocuments(a, b uint32) (float64, bool, error) {
	return j.compareSets(j.place(a), j.place(b))
}

// place returns where the set of a document lies.
func (j *setJoin) place(doc uint32) setPlace {
	i, found := slices.BinarySearch(j.ix.starts, doc)
	if !found {
		i--
	}
	return setPlace{uint32(i), j.ix.segments[i].sets.of.All[doc-j.ix.starts[i]]}
}

func (j *setJoin) compareSets(x, y setPlace) (float64, bool, error) {
	if x == y {
		return 1, true, nil
	}
	sx, sy := j.ix.segments[x.segment].sets, j.ix.segments[y.segment].sets
	signatureX, err := sx.signature(x.set)
	if err != nil {
		return 0, false, err
	}
	signatureY, err := sy.signature(y.set)
	if err != nil {
		return 0, false, err
	}
	similarity, ok := j.estimate(signatureX, signatureY)
	if !ok || j.how != Exact {
		return similarity, ok, nil
	}
	a, err := sx.set(x.set)
	if err != nil {
		return 0, false, err
	}
	b, err := sy.set(y.set)
	if err != nil || !j.couldBe(len(a), len(b)) {
		return 0, false, err
	}
	similarity = sorted.Jaccard(a, b)
	return similarity, similarity >= j.threshold, nil
}

// near appends the groups near group g, itself among them, but for those whose documents all come
// before those of g: pairs are taken from their side, and comparing sets is dear.
func (j *setJoin) near(ctx context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
	dst = append(dst, neighbour{group: g, jaccard: 1})
	first := j.groups.Members(g)[0]
	for i, n := range j.neighbours.of(g) {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return dst, ctx.Err()
		}
		if members := j.groups.Members(n); members[len(members)-1] < first {
			continue
		}
		similarity, _, err := j.compare(min(g, n), max(g, n))
		if err != nil {
			return dst, err
		}
		dst = append(dst, neighbour{group: n, jaccard: similarity})
	}
	return dst, nil
}
