// Package join finds all pairs of near documents of a collection. Documents that are equal are one
// group; a relation says which groups are near. ByFingerprints relates groups by the distance of
// their fingerprints, BySets by the Jaccard similarity of their sets of features. A Verifier decides
// which candidates are similar, here and in searches for one document.
package join

import (
	"context"
	"errors"
	"iter"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/tables"
)

// A Pair is two near documents, A before B in the collection.
type Pair struct {
	A, B     uint32
	Distance int     // bits, in [0, k], of a join by distance
	Jaccard  float64 // in [0, 1], of a join by similarity
}

// Options say how a join works; all but Groups leave its answer as it is.
type Options struct {
	Threads int // at least one
	// Groups pairs each document of a group with the first of the group alone, and of all groups
	// pairs the first documents alone.
	Groups bool
	// PairsInMemory is about how many pairs of groups are held in memory, 40 bytes each; more
	// go to temporary files. 0 is no limit.
	PairsInMemory int
	// Disk is where temporary files are made.
	Disk disk.FS
	// LargestGroup, if not nil and not for Groups, is told before anything else the size of the largest
	// group, if it is 10,000 or more.
	LargestGroup func(documents int)
	// Explain, if not nil, is told how pairs are found.
	Explain func(how string)
	// Progress, if not nil, is told how many of the parts of the work are done.
	Progress func(done, parts int)
}

const (
	noGroup    = ^uint32(0)
	largeGroup = 10_000 // documents, which make fifty million pairs

	// lookEvery is after how many pairs work looks whether it is still wanted. Comparing the sets of
	// long documents takes a tenth of a millisecond.
	lookEvery = 1 << 8
)

// A relation says which groups of documents are near.
type relation interface {
	// near appends the groups near group g, itself among them; it may leave out those without a
	// document after the first of g.
	near(ctx context.Context, dst []neighbour, g uint32) ([]neighbour, error)
	// weight returns how many documents may be near those of group g, about.
	weight(g uint32, groups bool) int
	// within returns how similar two documents of one group are, and whether they are near.
	within(a, b uint32) (similarity float64, ok bool, err error)
}

// A neighbour is a near group.
type neighbour struct {
	group    uint32
	distance int
	jaccard  float64
}

// A collection is documents in groups, numbered by their first documents or by their fingerprints.
type collection struct {
	groups  tables.Groups
	groupOf []uint32 // of each document; noGroup for the empty ones
}

// warn tells of a group so large that its pairs are very many.
func (c *collection) warn(o Options) {
	largest := 0
	for g := range len(c.groups.Ends) - 1 {
		largest = max(largest, len(c.groups.Members(uint32(g))))
	}
	if !o.Groups && o.LargestGroup != nil && largest >= largeGroup {
		o.LargestGroup(largest)
	}
}

// each calls yield with every pair of near documents, each once, ordered by A, then by B. Rows of
// documents are gathered in parallel and handed on in order.
func (c *collection) each(ctx context.Context, r relation, o Options, yield func(Pair) error) error {
	gather := func(ctx context.Context, rows [2]uint32) ([]Pair, error) {
		var out []Pair
		var found []neighbour
		for a := rows[0]; a < rows[1]; a++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			g := c.groupOf[a]
			if g == noGroup || o.Groups && c.groups.Members(g)[0] != a {
				continue
			}
			var err error
			if found, err = r.near(ctx, found[:0], g); err != nil {
				return nil, err
			}
			if !o.Groups {
				out = c.row(out, found, a)
			} else if out, err = c.groupRow(ctx, out, r, found, g); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return parallel.Stream(ctx, o.Threads, c.tasks(r, o.Groups), gather, func(pairs []Pair) error {
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

// A task is up to maxRows rows of documents, which make about maxPairs pairs or are a
// single row.
const maxRows, maxPairs = 256, 1 << 16

// tasks cuts the documents into the rows [from, to) of each task.
func (c *collection) tasks(r relation, groups bool) iter.Seq2[[2]uint32, error] {
	return func(yield func([2]uint32, error) bool) {
		n := uint32(len(c.groupOf))
		var from uint32
		weight := 0
		for a := range n {
			if g := c.groupOf[a]; g != noGroup && (!groups || c.groups.Members(g)[0] == a) {
				weight += r.weight(g, groups)
			}
			if a+1-from == maxRows || weight >= maxPairs || a+1 == n {
				if !yield([2]uint32{from, a + 1}, nil) {
					return
				}
				from, weight = a+1, 0
			}
		}
	}
}

// row appends the pairs of document a with later ones of the groups found.
func (c *collection) row(out []Pair, found []neighbour, a uint32) []Pair {
	start := len(out)
	for _, f := range found {
		members := c.groups.Members(f.group)
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
func (c *collection) groupRow(ctx context.Context, out []Pair, r relation, found []neighbour, g uint32) ([]Pair, error) {
	start := len(out)
	members := c.groups.Members(g)
	for _, f := range found {
		if f.group != g {
			if b := c.groups.Members(f.group)[0]; b > members[0] {
				out = append(out, Pair{members[0], b, f.distance, f.jaccard})
			}
			continue
		}
		for i, b := range members[1:] {
			if i%lookEvery == 0 && ctx.Err() != nil {
				return out, ctx.Err()
			}
			similarity, ok, err := r.within(members[0], b)
			if err != nil {
				return out, err
			}
			if ok {
				out = append(out, Pair{members[0], b, f.distance, similarity})
			}
		}
	}
	sortRow(out[start:])
	return out, nil
}

func sortRow(pairs []Pair) {
	slices.SortFunc(pairs, func(x, y Pair) int { return int(int64(x.B) - int64(y.B)) })
}

// listed is the part of a relation that is a list of the neighbours of each group.
type listed struct {
	*collection
	neighbours neighbours
}

func (l *listed) weight(g uint32, groups bool) int {
	n := len(l.groups.Members(g))
	for _, other := range l.neighbours.of(g) {
		if groups {
			n++
		} else {
			n += len(l.groups.Members(other))
		}
	}
	return n
}

// eachListed is each for a relation that l is a part of; it removes l's files in the end.
func (l *listed) eachListed(ctx context.Context, r relation, o Options, yield func(Pair) error) (err error) {
	defer func() { err = errors.Join(err, l.neighbours.close()) }()
	return l.each(ctx, r, o, yield)
}
