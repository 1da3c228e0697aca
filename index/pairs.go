package index

import (
	"context"
	"slices"

	"simsearch/hamming"
	"simsearch/internal/parallel"
	"simsearch/tables"
)

// A Pair is two near documents, A before B in the collection.
type Pair struct {
	A, B     uint32
	Distance int // bits, in [0, k]
}

// Pairs calls yield with every pair of documents within distance k, each once,
// ordered by A, then by B. Empty documents are near nothing.
//
// It groups the documents of equal fingerprint and joins the distinct fingerprints
// as tables.Pairs does, in 24 bytes a document and 24 a pair of distinct near
// fingerprints. Where k is so large that comparing all is cheaper, it holds no
// pairs at all. The segments are verified first. The error is ErrCorrupt, that of ctx
// or the first of yield.
func (ix *Index) Pairs(ctx context.Context, k, threads int, yield func(Pair) error) error {
	if k < 0 {
		return nil
	}
	if err := ix.Verify(); err != nil {
		return err
	}
	j := ix.newJoin(k)
	near := j.scan
	if _, ok := tables.PlanPairs(j.groups.Values, ix.Settings().Bits, k); ok {
		if err := j.findNeighbours(ctx, ix.Settings().Bits, threads); err != nil {
			return err
		}
		near = j.lookUp
	}
	// Rows of documents are gathered in parallel and handed on in order.
	const rows = 256
	tasks := (len(j.groupOf) + rows - 1) / rows
	gather := func(ctx context.Context, task int) ([]Pair, error) {
		var out []Pair
		var found []hamming.Match
		for a := task * rows; a < min(len(j.groupOf), (task+1)*rows); a++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if j.groupOf[a] != noGroup {
				out, found = j.row(out, found[:0], uint32(a), near)
			}
		}
		return out, nil
	}
	return parallel.Ordered(ctx, threads, tasks, gather, func(pairs []Pair) error {
		for _, p := range pairs {
			if err := yield(p); err != nil {
				return err
			}
		}
		return nil
	})
}

const noGroup = ^uint32(0)

// A join holds the documents of all segments grouped by fingerprint.
type join struct {
	k       int
	groups  tables.Groups
	groupOf []uint32 // of each document; noGroup for the empty ones
	// The groups near group i, other than itself, are neighbours[ends[i]:ends[i+1]].
	ends       []uint64
	neighbours []uint32
}

func (ix *Index) newJoin(k int) *join {
	j := &join{k: k, groupOf: make([]uint32, ix.total)}
	fps := make([]uint64, 0, ix.total)
	docs := make([]uint32, 0, ix.total)
	for i, s := range ix.segments {
		empty := s.empty
		for doc, fp := range s.fingerprints {
			if len(empty) > 0 && empty[0] == uint32(doc) {
				empty = empty[1:]
				j.groupOf[ix.starts[i]+uint32(doc)] = noGroup
				continue
			}
			fps, docs = append(fps, fp), append(docs, ix.starts[i]+uint32(doc))
		}
	}
	j.groups = tables.Group(fps, docs)
	for g := range j.groups.Values {
		for _, doc := range j.groups.Members(uint32(g)) {
			j.groupOf[doc] = uint32(g)
		}
	}
	return j
}

// findNeighbours joins the distinct fingerprints and lists each pair on both sides.
func (j *join) findNeighbours(ctx context.Context, bits, threads int) error {
	var pairs []tables.Pair
	err := tables.Pairs(ctx, j.groups.Values, bits, j.k, threads, func(p tables.Pair) error {
		pairs = append(pairs, p)
		return nil
	})
	if err != nil {
		return err
	}
	j.ends = make([]uint64, len(j.groups.Values)+1)
	for _, p := range pairs {
		j.ends[p.A]++
		j.ends[p.B]++
	}
	var sum uint64
	for i, n := range j.ends { // now the start of each list, which filling moves to its end
		j.ends[i] = sum
		sum += n
	}
	j.neighbours = make([]uint32, sum)
	for _, p := range pairs {
		j.neighbours[j.ends[p.A]] = p.B
		j.ends[p.A]++
		j.neighbours[j.ends[p.B]] = p.A
		j.ends[p.B]++
	}
	copy(j.ends[1:], j.ends)
	j.ends[0] = 0
	return nil
}

// lookUp appends the groups near group g, itself among them.
func (j *join) lookUp(dst []hamming.Match, g uint32) []hamming.Match {
	dst = append(dst, hamming.Match{Index: g})
	for _, n := range j.neighbours[j.ends[g]:j.ends[g+1]] {
		d := hamming.Distance(j.groups.Values[g], j.groups.Values[n])
		dst = append(dst, hamming.Match{Index: n, Distance: uint8(d)})
	}
	return dst
}

// scan is lookUp by comparing g with all.
func (j *join) scan(dst []hamming.Match, g uint32) []hamming.Match {
	return hamming.Scan(dst, j.groups.Values, j.groups.Values[g], j.k)
}

// row appends the pairs of document a with later ones.
func (j *join) row(out []Pair, found []hamming.Match, a uint32, near func([]hamming.Match, uint32) []hamming.Match) ([]Pair, []hamming.Match) {
	start := len(out)
	found = near(found, j.groupOf[a])
	for _, f := range found {
		members := j.groups.Members(f.Index)
		after, _ := slices.BinarySearch(members, a+1)
		for _, b := range members[after:] {
			out = append(out, Pair{a, b, int(f.Distance)})
		}
	}
	slices.SortFunc(out[start:], func(x, y Pair) int { return int(int64(x.B) - int64(y.B)) })
	return out, found
}
