package join

import (
	"context"
	"errors"
	"fmt"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/setjoin"
	"simsearch/internal/spill"
	"simsearch/prefix"
	"simsearch/tables"
)

// A Source is a collection of documents with sets of features. The sets are numbered from 0.
// Several goroutines read a Source at the same time.
type Source interface {
	// Of returns the set of each document, or NoSet for a document without features. Every set
	// belongs to some document.
	Of() []uint32
	// Sets returns the number of sets.
	Sets() int
	// Distinct reports whether all sets are known to be distinct.
	Distinct() bool
	// Digest returns the digest of a set. Sets with equal digests count as equal.
	Digest(set uint32) ([2]uint64, error)
	// AppendSet appends the features of a set, strictly ascending, and returns the extended slice.
	AppendSet(dst []uint64, set uint32) ([]uint64, error)
	// Coded returns the sets as they can be joined, with the same numbers. ok is false if they are not
	// there in this form.
	Coded() (sets *prefix.Sets, ok bool)
	// Signature returns the MinHash signature of a set, one byte per position. Only ByBands calls it.
	Signature(set uint32) ([]byte, error)
}

// NoSet stands for the set of a document that has no features.
const NoSet = ^uint32(0)

// BySets calls yield with every pair of documents whose sets have a Jaccard similarity of at least t, in
// (0, 1]. Each pair comes once, ordered by A, then by B.
//
// It groups the documents by their sets or, if Options.Groups is set, by the features that other sets have,
// too: sets that differ in a few features of their own only, such as the number of a record, are one group.
// It joins the distinct sets, or the first ones of such groups, by their first features
// (setjoin.Pairs). Sets that are not coded together are coded first, in a temporary file beyond 64 MiB. It takes 36 bytes per
// document, 16 more for a pair of distinct sets, and what prefix takes. The error is that of s, of ctx or
// of the file system, or the first error of yield.
func BySets(ctx context.Context, s Source, t float64, o Options, yield func(Pair) error) (err error) {
	d, err := newDistinct(ctx, o.onlySome(s))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	j := &bySets{}
	j.neighbours.fs, j.neighbours.hold = o.Disk, 4*o.PairsInMemory
	if err := j.group(ctx, d, t, o); err != nil {
		return err
	}
	j.measure()
	err = j.find(ctx, t, j.mostListed(o), o)
	if errors.Is(err, setjoin.ErrMany) {
		how := setjoin.Options{Threads: o.Threads, Memory: 40 * int64(o.PairsInMemory)}
		if j.rows, _, err = setjoin.NewRows(ctx, j.sets, t, how); err == nil && j.rows == nil {
			err = j.find(ctx, t, 0, o) // by way of files
		}
	}
	if err != nil {
		return errors.Join(err, j.neighbours.close())
	}
	if j.rows != nil && o.Explain != nil {
		o.Explain(fmt.Sprintf("%d distinct sets, very many of which are near each other: what is near each set is looked up when its pairs are printed, without a miss", j.sets.Len()))
	}
	return j.eachListed(ctx, j, o, yield)
}

// bySets relates groups by the similarity of their sets. The groups are the documents of equal sets or, with
// Options.Groups, of nearly equal ones.
type bySets struct {
	listed
	sets *prefix.Sets  // one for each group
	rows *setjoin.Rows // nil if neighbours are listed

	// With Options.Groups, all are the sets before they were grouped, and of the set of each document.
	all *prefix.Sets
	of  []uint32
}

// group groups the documents, and sets j.sets.
func (j *bySets) group(ctx context.Context, d *distinct, t float64, o Options) (err error) {
	if j.all, err = d.code(ctx, t, o); err != nil {
		return err
	}
	j.sets, j.of = j.all, d.of
	j.collection = &collection{groupOf: d.of}
	n := j.all.Len()
	if o.Groups {
		shapes, groupOf, err := groupShapes(ctx, j.all, t)
		if err != nil {
			return err
		}
		if n = len(shapes); n < j.all.Len() {
			if j.sets, err = d.codeSome(ctx, shapes, t, o); err != nil {
				return err
			}
			j.groupOf = make([]uint32, len(d.of))
			for doc, set := range d.of {
				j.groupOf[doc] = noGroup
				if set != NoSet {
					j.groupOf[doc] = groupOf[set]
				}
			}
		}
	}
	j.groups = groupMembers(j.groupOf, n)
	return nil
}

// nearlyEqual is the least similarity of the sets of a group with the first one, if the sets differ in
// features that no other set has.
const nearlyEqual = 0.9

// groupShapes groups the sets that differ in features of their own only, and whose similarity with the first
// of the group is at least t and nearlyEqual. It returns the first set of each group, and the group of each
// set.
func groupShapes(ctx context.Context, sets *prefix.Sets, t float64) (firsts, groupOf []uint32, err error) {
	type first struct {
		group       uint32
		size, alone int
	}
	groupOf = make([]uint32, sets.Len())
	known := map[[2]uint64]first{}
	var shape []byte
	for set := range uint32(sets.Len()) {
		if set%lookEvery == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		var ranks, alone int
		if shape, ranks, alone, err = sets.AppendShape(shape[:0], set); err != nil {
			return nil, nil, err
		}
		groupOf[set] = uint32(len(firsts))
		var key [2]uint64
		key[0], key[1] = murmur3.Sum128(shape)
		if f, ok := known[key]; !ok {
			known[key] = first{groupOf[set], ranks + alone, alone}
		} else if prefix.Similar(ranks, ranks+alone, f.size, max(t, nearlyEqual)) {
			groupOf[set] = f.group
			continue
		}
		firsts = append(firsts, set)
	}
	return firsts, groupOf, nil
}

// groupMembers lists the documents of each of the n groups.
func groupMembers(groupOf []uint32, n int) tables.Groups {
	g := tables.Groups{Ends: make([]uint32, n+1)}
	total := uint32(0)
	for _, group := range groupOf {
		if group != noGroup {
			g.Ends[group+1]++
			total++
		}
	}
	for i := range n {
		g.Ends[i+1] += g.Ends[i]
	}
	next := append([]uint32{}, g.Ends[:n]...)
	g.Member = make([]uint32, total)
	for doc, group := range groupOf {
		if group != noGroup {
			g.Member[next[group]] = uint32(doc)
			next[group]++
		}
	}
	return g
}

// mostListed returns how many pairs of groups are listed: as many as fit into memory, but of crowds not as many as that. What
// is near each group is found again when its pairs are yielded, so that lists are not worth more.
func (j *bySets) mostListed(o Options) int64 {
	const least, perSet = 1 << 22, 8
	most := int64(max(least, perSet*j.sets.Len()))
	if o.PairsInMemory > 0 {
		most = min(most, int64(o.PairsInMemory))
	}
	return most
}

// find finds the similar pairs of groups and lists each for both of its groups. If there are more than most, unless that is 0,
// the error is setjoin.ErrMany.
func (j *bySets) find(ctx context.Context, t float64, most int64, o Options) (err error) {
	sorter := spill.NewSorter(o.Disk, "", 2*o.PairsInMemory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	var stats setjoin.Stats
	var keys []uint64
	how := setjoin.Options{Threads: o.Threads, Memory: 40 * int64(o.PairsInMemory), Most: most, Progress: o.Progress, Stats: &stats}
	err = setjoin.Pairs(ctx, j.sets, t, how, func(pairs []setjoin.Pair) error {
		keys = keys[:0]
		for _, p := range pairs {
			a, b := uint64(p.A), uint64(p.B)
			keys = append(keys, a<<32|b, b<<32|a)
		}
		return sorter.Add(keys)
	})
	if err != nil {
		return err
	}
	if o.Explain != nil {
		o.Explain(joinedBy(j.sets.Len(), &stats))
	}
	return j.list(ctx, sorter, j.sets.Len())
}

// joinedBy says how sets were joined.
func joinedBy(sets int, s *setjoin.Stats) string {
	return fmt.Sprintf("%d distinct sets, joined by their rarest features, without a miss: %d such features are listed; %d pairs of sets were compared feature by feature; %d pairs are near",
		sets, s.Postings, s.Candidates, s.Pairs)
}

func (j *bySets) near(ctx context.Context, dst []neighbour, g uint32) ([]neighbour, error) {
	if j.rows != nil {
		return j.nearByRows(dst, g)
	}
	return j.nearBy(ctx, dst, g, func(other uint32) (float64, error) {
		shared, a, b, err := j.sets.Shared(g, other)
		return float64(shared) / float64(a+b-shared), err
	})
}

// nearByRows is near where neighbours are not listed.
func (j *bySets) nearByRows(dst []neighbour, g uint32) ([]neighbour, error) {
	first := j.groups.Members(g)[0]
	found, size, err := j.rows.Near(nil, g, func(other uint32) bool {
		members := j.groups.Members(other)
		return members[len(members)-1] < first // these pairs are found from its own side
	})
	dst = append(dst, neighbour{group: g, jaccard: 1})
	for _, m := range found {
		dst = append(dst, neighbour{group: m.Set, jaccard: float64(m.Shared) / float64(size+m.Size-m.Shared)})
	}
	return dst, err
}

func (j *bySets) weight(g uint32, groups bool) int {
	if j.rows != nil { // all may be near
		return len(j.groupOf)
	}
	return j.listed.weight(g, groups)
}

func (j *bySets) degree(ctx context.Context, g uint32, groups bool) (documents int, err error) {
	if j.rows == nil {
		return j.listed.degree(ctx, g, groups)
	}
	found, _, err := j.rows.Near(nil, g, nil)
	documents = len(j.groups.Members(g))
	for _, m := range found {
		documents += j.counts(g, m.Set, groups)
	}
	return documents, err
}

// lists returns nil if neighbours are not listed.
func (j *bySets) lists() *neighbours {
	if j.rows != nil {
		return nil
	}
	return j.listed.lists()
}

func (j *bySets) within(a, b uint32) (float64, bool, error) {
	x, y := j.of[a], j.of[b]
	if x == y {
		return 1, true, nil
	}
	shared, n, m, err := j.all.Shared(x, y)
	return float64(shared) / float64(n+m-shared), err == nil, err
}
