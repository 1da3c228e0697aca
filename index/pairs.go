package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"simsearch/internal/parallel"
	"simsearch/tables"
)

// A Pair is two near documents, A before B in the collection.
type Pair struct {
	A, B     uint32
	Distance int     // bits, in [0, k], of a search by distance
	Jaccard  float64 // in [0, 1], of a search by similarity
}

// PairOptions are how Pairs works; all but Groups leave its answer as it is.
type PairOptions struct {
	Threads int // at least one
	// Groups makes one group of the documents that share a fingerprint, or a signature: each is
	// paired with the first of them alone, and all other pairs are of the first
	// documents of groups. So a million equal documents make a million pairs, not half a
	// trillion. By distance, all pairs follow from those there are; by similarity nearly so, since
	// sets of one signature are nearly equal (and are verified as others are).
	Groups bool
	// HoldPairs is about how many pairs of fingerprints are held in memory, 40 bytes each;
	// more go to temporary files. 0 is no limit.
	HoldPairs int
	// Crowd, if not nil and not for Groups, is told before anything else the size of the
	// largest group of documents that share a fingerprint, or a set, if it is 10,000 or more.
	Crowd func(documents int)
	// Explain, if not nil, is told how pairs are found.
	Explain func(how string)
	// Progress, if not nil, is told which of so many parts of the work is done.
	Progress func(done, parts int)
}

// Pairs calls yield with every pair of near documents, each once, ordered by A, then by B.
// Empty documents are near nothing.
//
// By distance, it groups the documents of equal fingerprint and joins the distinct fingerprints
// as tables.Pairs does, in 24 bytes a document and 40 a pair of distinct near
// fingerprints. Where k is so large that comparing all is cheaper, it holds no
// pairs at all. By similarity, it groups the documents of equal sets, and verifies the pairs
// that lsh.Pairs finds by bands of its own choice, whatever the index has stored, in 36
// bytes a document and 16 more a thread.
//
// The segments are verified first, and at the end it is made sure that none was changed meanwhile
// (Unchanged). The error is ErrCriterion, ErrCorrupt, ErrClosed, lsh.ErrRecall, that of
// ctx or of the file system, or the first of yield.
func (ix *Index) Pairs(ctx context.Context, c Criterion, o PairOptions, yield func(Pair) error) error {
	if err := c.Check(ix.Settings()); err != nil {
		return err
	}
	if c.Limit != 0 {
		return fmt.Errorf("%w: a limit is for queries, and pairs have none", ErrCriterion)
	}
	return ix.reading(func() error {
		if err := ix.pairs(ctx, c, o, yield); err != nil {
			return err
		}
		return ix.Unchanged()
	})
}

func (ix *Index) pairs(ctx context.Context, c Criterion, o PairOptions, yield func(Pair) error) (err error) {
	if !c.BySets() && c.Distance < 0 {
		return nil
	}
	if err := ix.Verify(); err != nil {
		return err
	}
	var j *join
	if c.BySets() {
		j, err = ix.joinSets(ctx, c, o)
	} else {
		j, err = ix.joinFingerprints(ctx, c.Distance, o)
	}
	if j != nil {
		defer func() { err = errors.Join(err, j.neighbours.close()) }()
	}
	if err != nil {
		return err
	}
	// Rows of documents are gathered in parallel and handed on in order.
	gather := func(ctx context.Context, rows [2]uint32) ([]Pair, error) {
		var out []Pair
		var found []neighbour
		for a := rows[0]; a < rows[1]; a++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g := j.groupOf[a]
			if g == noGroup || o.Groups && j.groups.Members(g)[0] != a {
				continue
			}
			var err error
			if found, err = j.near(ctx, found[:0], g); err != nil {
				return nil, err
			}
			if !o.Groups {
				out = j.row(out, found, a)
			} else if out, err = j.groupRow(ctx, out, found, g); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return parallel.Stream(ctx, o.Threads, j.tasks(o.Groups), gather, func(pairs []Pair) error {
		for i, p := range pairs {
			if i%lookEvery == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
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

	// lookEvery is after how many pairs work looks whether it is still wanted. Comparing the sets of
	// long documents takes a tenth of a millisecond.
	lookEvery = 1 << 8
)

// A join holds the documents of all segments in groups that are alike, and knows which groups
// are near.
type join struct {
	groups     tables.Groups
	groupOf    []uint32 // of each document; noGroup for the empty ones
	neighbours neighbours
	// near appends the groups near group g, itself among them; it may leave out those without a
	// document after the first of g.
	near func(ctx context.Context, dst []neighbour, g uint32) ([]neighbour, error)
	// within returns how similar two documents of a group are, and whether they are near; nil if
	// they are equal.
	within func(a, b uint32) (similarity float64, ok bool, err error)
}

// A neighbour is a near group.
type neighbour struct {
	group    uint32
	distance int
	jaccard  float64
}

// warn tells of a group so large that its pairs are very many.
func (j *join) warn(o PairOptions) {
	largest := 0
	for g := range len(j.groups.Ends) - 1 {
		largest = max(largest, len(j.groups.Members(uint32(g))))
	}
	if !o.Groups && o.Crowd != nil && largest >= crowd {
		o.Crowd(largest)
	}
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
		return maxPairs/maxRows + len(j.groupOf)/64 + len(j.groups.Members(g))
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

// row appends the pairs of document a with later ones of the groups found.
func (j *join) row(out []Pair, found []neighbour, a uint32) []Pair {
	start := len(out)
	for _, f := range found {
		members := j.groups.Members(f.group)
		after, _ := slices.BinarySearch(members, a+1)
		for _, b := range members[after:] {
			out = append(out, Pair{a, b, f.distance, f.jaccard})
		}
	}
	sortRow(out[start:])
	return out
}

// groupRow appends the pairs of the first document of a group with the others of the
// group, and with the first documents of the other groups found if they come later.
func (j *join) groupRow(ctx context.Context, out []Pair, found []neighbour, g uint32) ([]Pair, error) {
	start := len(out)
	members := j.groups.Members(g)
	for _, f := range found {
		if f.group == g {
			for i, b := range members[1:] {
				similarity, ok := f.jaccard, true
				if j.within != nil {
					if i%lookEvery == 0 && ctx.Err() != nil {
						return out, ctx.Err()
					}
					var err error
					if similarity, ok, err = j.within(members[0], b); err != nil {
						return out, err
					}
				}
				if ok {
					out = append(out, Pair{members[0], b, f.distance, similarity})
				}
			}
		} else if b := j.groups.Members(f.group)[0]; b > members[0] {
			out = append(out, Pair{members[0], b, f.distance, f.jaccard})
		}
	}
	sortRow(out[start:])
	return out, nil
}

func sortRow(pairs []Pair) {
	slices.SortFunc(pairs, func(x, y Pair) int { return int(int64(x.B) - int64(y.B)) })
}
