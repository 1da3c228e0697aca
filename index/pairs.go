package index

import (
	"context"
	"errors"
	"iter"
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

// PairOptions are how Pairs works; all but Groups leave its answer as it is.
type PairOptions struct {
	Threads int // at least one
	// Groups makes one group of the documents that share a fingerprint: each is paired
	// with the first of them alone, at distance 0, and all other pairs are of the first
	// documents of groups. So a million equal documents make a million pairs, not half a
	// trillion, and all pairs follow from those there are.
	Groups bool
	// HoldPairs is about how many pairs of fingerprints are held in memory, 40 bytes each;
	// more go to temporary files. 0 is no limit.
	HoldPairs int
	// Crowd, if not nil and not for Groups, is told before anything else the size of the
	// largest group of documents that share a fingerprint, if it is 10,000 or more.
	Crowd func(documents int)
	// Progress, if not nil, is told which of so many parts of the work is done.
	Progress func(done, parts int)
}

// Pairs calls yield with every pair of documents within distance k, each once,
// ordered by A, then by B. Empty documents are near nothing.
//
// It groups the documents of equal fingerprint and joins the distinct fingerprints
// as tables.Pairs does, in 24 bytes a document and 40 a pair of distinct near
// fingerprints. Where k is so large that comparing all is cheaper, it holds no
// pairs at all. The segments are verified first. The error is ErrCorrupt, that of ctx
// or of the file system, or the first of yield.
func (ix *Index) Pairs(ctx context.Context, k int, o PairOptions, yield func(Pair) error) (err error) {
	if k < 0 {
		return nil
	}
	if err := ix.Verify(); err != nil {
		return err
	}
	j := ix.newJoin(k)
	if largest := j.largestGroup(); !o.Groups && o.Crowd != nil && largest >= crowd {
		o.Crowd(largest)
	}
	near := j.scan
	if _, ok := tables.PlanPairs(j.groups.Values, ix.Settings().Bits, k); ok {
		defer func() { err = errors.Join(err, j.neighbours.close()) }()
		if err := j.findNeighbours(ctx, ix.Settings().Bits, o); err != nil {
			return err
		}
		near = j.lookUp
	}
	// Rows of documents are gathered in parallel and handed on in order.
	gather := func(ctx context.Context, rows [2]uint32) ([]Pair, error) {
		var out []Pair
		var found []hamming.Match
		for a := rows[0]; a < rows[1]; a++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			switch g := j.groupOf[a]; {
			case g == noGroup:
			case !o.Groups:
				out, found = j.row(out, found[:0], a, near)
			case j.groups.Members(g)[0] == a:
				out, found = j.groupRow(out, found[:0], g, near)
			}
		}
		return out, nil
	}
	return parallel.Stream(ctx, o.Threads, j.tasks(o.Groups), gather, func(pairs []Pair) error {
		for _, p := range pairs {
			if err := yield(p); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	noGroup = ^uint32(0)
	crowd   = 10_000 // documents, which make fifty million pairs
)

// A join holds the documents of all segments grouped by fingerprint.
type join struct {
	k          int
	groups     tables.Groups
	groupOf    []uint32 // of each document; noGroup for the empty ones
	neighbours neighbours
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

// A task is up to maxRows rows of documents, which make about maxPairs pairs or are a
// single row.
const maxRows, maxPairs = 256, 1 << 16

// tasks cuts the documents into the rows [from, to) of each task.
func (j *join) tasks(groups bool) iter.Seq2[[2]uint32, error] {
	return func(yield func([2]uint32, error) bool) {
		n := uint32(len(j.groupOf))
		var from uint32
		weight := 0
		for a := range n {
			weight += j.weight(a, groups)
			if a+1-from == maxRows || weight >= maxPairs || a+1 == n {
				if !yield([2]uint32{from, a + 1}, nil) {
					return
				}
				from, weight = a+1, 0
			}
		}
	}
}

// weight returns about how many pairs the row of document a makes, or may make.
func (j *join) weight(a uint32, groups bool) int {
	g := j.groupOf[a]
	switch {
	case g == noGroup || groups && j.groups.Members(g)[0] != a:
		return 0
	case j.neighbours.ends == nil: // it is compared with all, and may be near all
		return maxPairs/maxRows + len(j.groupOf)/64
	}
	n := len(j.groups.Members(g))
	for _, other := range j.neighbours.of(g) {
		if groups {
			n++
		} else {
			n += len(j.groups.Members(other))
		}
	}
	return n
}

func (j *join) largestGroup() int {
	largest := 0
	for g := range j.groups.Values {
		largest = max(largest, len(j.groups.Members(uint32(g))))
	}
	return largest
}

// findNeighbours joins the distinct fingerprints and lists each pair on both sides.
func (j *join) findNeighbours(ctx context.Context, bits int, o PairOptions) error {
	j.neighbours.hold = 4 * o.HoldPairs
	how := tables.PairOptions{Threads: o.Threads, Both: true, HoldPairs: 2 * o.HoldPairs, Progress: o.Progress}
	err := tables.Pairs(ctx, j.groups.Values, bits, j.k, how, func(p tables.Pair) error { return j.neighbours.add(p.A, p.B) })
	if err != nil {
		return err
	}
	return j.neighbours.finish(len(j.groups.Values))
}

// lookUp appends the groups near group g, itself among them.
func (j *join) lookUp(dst []hamming.Match, g uint32) []hamming.Match {
	dst = append(dst, hamming.Match{Index: g})
	for _, n := range j.neighbours.of(g) {
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

// groupRow appends the pairs of the first document of a group with the others of the
// group, and with the first documents of other groups if they come later.
func (j *join) groupRow(out []Pair, found []hamming.Match, g uint32, near func([]hamming.Match, uint32) []hamming.Match) ([]Pair, []hamming.Match) {
	start := len(out)
	members := j.groups.Members(g)
	for _, b := range members[1:] {
		out = append(out, Pair{members[0], b, 0})
	}
	found = near(found, g)
	for _, f := range found {
		if b := j.groups.Members(f.Index)[0]; b > members[0] {
			out = append(out, Pair{members[0], b, int(f.Distance)})
		}
	}
	slices.SortFunc(out[start:], func(x, y Pair) int { return int(int64(x.B) - int64(y.B)) })
	return out, found
}
