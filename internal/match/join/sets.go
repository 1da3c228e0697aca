package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/setjoin"
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
	Digest(set uint32) [2]uint64
	// AppendSet appends the features of a set, strictly ascending, and returns the extended slice.
	AppendSet(dst []uint64, set uint32) []uint64
	// Coded returns the sets as they can be joined, with the same numbers. ok is false if they are not
	// there in this form.
	Coded() (sets *prefix.Sets, ok bool)
	// Signature returns the MinHash signature of a set, one byte per position. Only ByBands calls it.
	Signature(set uint32) []byte
}

// NoSet stands for the set of a document that has no features.
const NoSet = ^uint32(0)

// BySets calls yield with every pair of documents whose sets have a Jaccard similarity of at least t, in
// (0, 1]. Each pair comes once, ordered by A, then by B.
//
// It groups the documents by their sets or, if Options.Groups is set, by the features that other sets have, too: sets
// that differ in a few features of their own only, such as the number of a record, are one group. It joins the
// distinct sets, or the first ones of such groups, by their first features (setjoin.Pairs). Sets that are not coded
// together are coded first, in a temporary file beyond 64 MiB. It takes 36 bytes per document, 16 more for a pair of
// distinct sets, and what prefix takes. The error is that of s, of ctx or of the file system, or the first error of
// yield.
func BySets(ctx context.Context, s Source, t float64, o Options, yield func(Pair) error) error {
	return setsBy{of: prefix.Jaccard, t: t, pairs: setjoin.Pairs, rows: true}.join(ctx, s, o, yield)
}

// ByContained is BySets for sets of which the larger one has at least the share c, in (0, 1], of the smaller one:
// pairs of setjoin.Contained. All of them are listed, by way of files if they are many.
func ByContained(ctx context.Context, s Source, c float64, o Options, yield func(Pair) error) error {
	return setsBy{of: prefix.Contained, t: c, pairs: setjoin.Contained}.join(ctx, s, o, yield)
}

// ByKeys is BySets for the pairs of documents that also have a similarity of at least alike, or a key in common, and
// for pairs of others that have the sets of such: whoever wants them has to leave them out. keys appends the up to
// 255 keys of a document to dst; several goroutines call it. Where pairs are very many, ByKeys yields all that BySets
// does.
func ByKeys(ctx context.Context, s Source, t, alike float64, keys func(dst []uint32, doc uint32) ([]uint32, error), o Options,
	yield func(Pair) error,
) error {
	return setsBy{of: prefix.Jaccard, t: t, pairs: setjoin.Pairs, rows: true, alike: alike, keys: keys}.join(ctx, s, o, yield)
}

// keyed finds pairs by keys of documents, of which groupOf has the sets, unless they are many.
func (by setsBy) keyed(groupOf []uint32, o Options) setPairs {
	return func(ctx context.Context, s *prefix.Sets, t float64, how setjoin.Options, yield func([]setjoin.Pair) error) (err error) {
		keys := setjoin.NewKeys(spill.NewBytes(o.Disk, "", spill.Holds/4))
		defer func() { err = errors.Join(err, keys.Close()) }()
		setOf := func(doc int) (set uint32, ok bool) { return groupOf[doc], groupOf[doc] != noGroup }
		listed := how
		listed.Most = int64(setjoin.MostListed(s.Len()))
		read := func() (*setjoin.Keys, error) { return keys, by.readKeys(ctx, keys, groupOf, o) }
		found, err := setjoin.Keyed(ctx, s, t, by.alike, read, setOf, listed)
		if errors.Is(err, setjoin.ErrMany) { // most have the same keys
			return by.pairs(ctx, s, t, how, yield)
		}
		if err == nil {
			err = yield(found)
		}
		return err
	}
}

// readKeys adds the keys of all documents, none for one that is in no group.
func (by setsBy) readKeys(ctx context.Context, to *setjoin.Keys, groupOf []uint32, o Options) error {
	const together = 1 << 8
	work := func(ctx context.Context, part int) (of [together][]uint32, err error) {
		for doc := part * together; doc < min(len(groupOf), (part+1)*together) && err == nil; doc++ {
			if groupOf[doc] != noGroup {
				of[doc%together], err = by.keys(nil, uint32(doc))
			}
		}
		return of, cmp.Or(err, context.Cause(ctx))
	}
	return parallel.Ordered(ctx, o.Threads, (len(groupOf)+together-1)/together, work, func(of [together][]uint32) error {
		for _, keys := range of[:min(together, len(groupOf)-to.Len())] {
			to.Add(keys)
		}
		return to.Flush()
	})
}

// setPairs finds pairs of sets, as setjoin.Pairs does.
type setPairs = func(_ context.Context, _ *prefix.Sets, t float64, _ setjoin.Options, yield func([]setjoin.Pair) error) error

// SetsBy says which sets are near: by a measure that is at least a threshold. pairs finds them.
type setsBy struct {
	of    prefix.Measure
	t     float64
	pairs setPairs
	rows  bool // what is near a set is looked up if there are many pairs

	// If keys is not nil: as ByKeys says.
	alike float64
	keys  func(dst []uint32, doc uint32) ([]uint32, error)
}

// join is BySets.
func (by setsBy) join(ctx context.Context, s Source, o Options, yield func(Pair) error) (err error) {
	d, err := newDistinct(ctx, s, false, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	all, err := d.code(ctx, o)
	if err != nil {
		return err
	}
	sets, groupOf := all, d.of
	if o.Groups {
		if sets, groupOf, err = d.nearlyEqual(ctx, all, by.t, o); err != nil {
			return err
		}
	}
	if by.keys != nil {
		by.pairs = by.keyed(groupOf, o)
	}
	members := GroupMembers(groupOf, sets.Len())
	if o.AnyOrder {
		return by.asFound(ctx, sets, members, o, yield)
	}
	r := newRelation(&collection{groupOf: groupOf, groups: members}, o)
	r.measure = func(g, other uint32) neighbour {
		return neighbour{other, Measures{Value: by.of(sets.Shared(g, other))}}
	}
	r.within = func(a, b uint32) (float64, bool) { return by.of(all.Shared(d.of[a], d.of[b])), true }
	find := func(most int64) error {
		return r.list(ctx, o, func(add func(pairs []uint64) error) error { return by.addPairs(ctx, sets, most, o, add) })
	}
	most := int64(0) // by way of files
	if by.rows {
		most = mostListed(sets.Len(), o)
	}
	err = find(most)
	if errors.Is(err, setjoin.ErrMany) {
		how := setjoin.Options{Threads: o.Threads, Memory: 40 * int64(o.PairsInMemory)}
		rows, ok, newErr := setjoin.NewRows(ctx, sets, by.t, how)
		switch err = newErr; {
		case ok:
			r.rows = func(g uint32, skip func(other uint32) bool) []neighbour { return rowOf(rows, g, skip) }
		case err == nil:
			err = find(0)
		}
	}
	if err != nil {
		return errors.Join(err, r.neighbours.close())
	}
	if r.rows != nil && o.Explain != nil {
		o.Explain(fmt.Sprintf("%d distinct sets, very many of which are near each other: what is near each set is looked up when its "+
			"pairs are printed, without a miss", sets.Len()))
	}
	return r.each(ctx, o, yield)
}

// asFound yields the near pairs of documents, each once, those of one set after those of the set with others.
func (by setsBy) asFound(ctx context.Context, sets *prefix.Sets, of tables.Groups, o Options, yield func(Pair) error) error {
	each := func(a, b uint32, is float64) (err error) {
		for i, x := range of.Members(a) {
			others := of.Members(b)
			if a == b {
				others = others[:i]
			}
			for j := 0; j < len(others) && err == nil; j++ {
				err = yield(Pair{x, others[j], Measures{Value: is}})
			}
		}
		return cmp.Or(err, context.Cause(ctx))
	}
	how := setjoin.Options{Threads: o.Threads, Memory: 40 * int64(o.PairsInMemory), Progress: o.Progress}
	err := by.pairs(ctx, sets, by.t, how, func(pairs []setjoin.Pair) (err error) {
		for i := 0; i < len(pairs) && err == nil; i++ {
			a, b := pairs[i].A, pairs[i].B
			err = each(a, b, by.of(pairs[i].Shared, sets.Size(a), sets.Size(b)))
		}
		return err
	})
	for g := uint32(0); g < uint32(sets.Len()) && err == nil; g++ {
		err = each(g, g, 1)
	}
	return err
}

// rowOf returns the sets near set g.
func rowOf(rows *setjoin.Rows, g uint32, skip func(other uint32) bool) []neighbour {
	found, size := rows.Near(nil, g, skip)
	near := make([]neighbour, len(found))
	for i, m := range found {
		near[i] = neighbour{m.Set, Measures{Value: m.By(prefix.Jaccard, size)}}
	}
	return near
}

// mostListed returns how many pairs of groups are listed: as many as fit into memory, but of crowds not as many as
// that. What is near each group is found again when its pairs are yielded, so that lists are not worth more.
func mostListed(sets int, o Options) int64 {
	const least, perSet = 1 << 22, 8
	most := int64(max(least, perSet*sets))
	if o.PairsInMemory > 0 {
		most = min(most, int64(o.PairsInMemory))
	}
	return most
}

// addPairs adds the near pairs of sets, as relation.list wants them. If there are more than most, unless that is 0,
// the error is setjoin.ErrMany.
func (by setsBy) addPairs(ctx context.Context, sets *prefix.Sets, most int64, o Options, add func(pairs []uint64) error) error {
	var stats setjoin.Stats
	var keys []uint64
	how := setjoin.Options{Threads: o.Threads, Memory: 40 * int64(o.PairsInMemory), Most: most, Progress: o.Progress, Stats: &stats}
	err := by.pairs(ctx, sets, by.t, how, func(pairs []setjoin.Pair) error {
		keys = keys[:0]
		for _, p := range pairs {
			keys = append(keys, uint64(p.A)<<32|uint64(p.B))
		}
		return add(keys)
	})
	if err == nil && o.Explain != nil {
		o.Explain(joinedBy(sets.Len(), by.keys != nil, &stats))
	}
	return err
}

// joinedBy says how sets were joined.
func joinedBy(sets int, keyed bool, s *setjoin.Stats) string {
	by := "their rarest features"
	if keyed {
		by = "what their texts begin with, and the most similar by their rarest features"
	}
	return fmt.Sprintf("%d distinct sets, joined by %s, without a miss: %d features are listed; "+
		"%d pairs of sets were compared feature by feature; %d pairs are near", sets, by, s.Postings, s.Candidates, s.Pairs)
}

// nearlyEqual returns the first set of each group of nearly equal ones of d, which all are coded in, and the group of
// each document.
func (d *distinct) nearlyEqual(ctx context.Context, all *prefix.Sets, t float64, o Options) (firsts *prefix.Sets, groupOf []uint32, err error) {
	shapes, groupOfSet, err := groupShapes(ctx, all, t)
	if err != nil || len(shapes) == all.Len() {
		return all, d.of, err
	}
	groupOf = make([]uint32, len(d.of))
	for doc, set := range d.of {
		groupOf[doc] = noGroup
		if set != NoSet {
			groupOf[doc] = groupOfSet[set]
		}
	}
	for i, set := range shapes {
		shapes[i] = d.sets[set]
	}
	firsts, err = d.collect(ctx, shapes, o)
	return firsts, groupOf, err
}

// leastNearlyEqual is the least similarity of the sets of a group with the first one, if the sets differ in
// features that no other set has.
const leastNearlyEqual = 0.9

// groupShapes groups the sets that differ in features of their own only, and whose similarity with the first
// of the group is at least t and leastNearlyEqual. It returns the first set of each group, and the group of each
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
		shape, ranks, alone = sets.AppendShape(shape[:0], set)
		groupOf[set] = uint32(len(firsts))
		var key [2]uint64
		key[0], key[1] = murmur3.Sum128(shape)
		if f, ok := known[key]; !ok {
			known[key] = first{groupOf[set], ranks + alone, alone}
		} else if prefix.Similar(ranks, ranks+alone, f.size, max(t, leastNearlyEqual)) {
			groupOf[set] = f.group
			continue
		}
		firsts = append(firsts, set)
	}
	return firsts, groupOf, nil
}

// GroupMembers lists the documents of each of the n groups. groupOf[doc] is the group of a document, or the largest
// number if it has none.
func GroupMembers(groupOf []uint32, n int) tables.Groups {
	ends, members := ints.Lists[uint32](n, func(add func(group, doc uint32)) {
		for doc, group := range groupOf {
			if group != noGroup {
				add(group, uint32(doc))
			}
		}
	})
	return tables.Groups{Ends: ends, Member: members}
}
