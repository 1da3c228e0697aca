// Package join finds all pairs of near documents of a collection. Documents that are equal are one
// group; a relation says which groups are near. ByFingerprints relates groups by the distance of
// their fingerprints, BySets by the Jaccard similarity of their sets of features. ByBands does so with
// misses, by signatures; a Verifier decides which of its candidates are similar.
package join

import (
	"context"
	"errors"
	"iter"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/internal/spill"
	"simsearch/tables"
)

// A Pair is two near documents. A comes before B in the collection.
type Pair struct {
	A, B uint32
	Measures
}

// Options say how a join works. Only Groups and Only change its answer.
type Options struct {
	Threads int // at least one
	// Only, if not nil, says of each document whether it takes part. The others are as if they were not there.
	Only []bool
	// Groups pairs each document only with the first document of its group. All other pairs are
	// pairs of first documents.
	Groups bool
	// PairsInMemory is about how many pairs of groups are held in memory, at 40 bytes each. Further
	// pairs go to temporary files. 0 is no limit.
	PairsInMemory int
	// Disk is the file system of temporary files.
	Disk disk.FS
	// Many, if not nil, is called first if there are more pairs than anybody reads.
	Many func(Many)
	// Design, unless it has no bits, is that of the tables of a join by distance, if it finds the distance
	// by equal headers. Otherwise a design is planned.
	Design tables.Design
	// Explain, if not nil, is called with a text that says how pairs are found.
	Explain func(how string)
	// Progress, if not nil, is called with the number of finished parts of the work and the number
	// of all parts.
	Progress func(done, parts int)

	// keep, if not nil, completes a pair and reports whether it is one. Several goroutines call it.
	keep func(p *Pair) (bool, error)
}

const (
	noGroup = ^uint32(0)

	// lookEvery is the number of pairs between two checks whether the context is done. Comparing
	// the sets of two long documents takes a tenth of a millisecond.
	lookEvery = 1 << 8
)

// A relation says which groups of documents are near.
type relation interface {
	// near appends the groups near group g, including g. It may leave out groups without a document
	// after the first one of g.
	near(ctx context.Context, dst []neighbour, g uint32) ([]neighbour, error)
	// weight estimates how many documents may be near those of group g, which count, too.
	weight(g uint32, groups bool) int
	// degree returns how many documents of groups are near group g, which count, too. With Options.Groups, other groups count
	// as one.
	degree(ctx context.Context, g uint32, groups bool) (int, error)
	// within returns the similarity of two documents of one group, and whether they are near.
	within(a, b uint32) (similarity float64, ok bool, err error)
}

// A neighbour is a near group.
type neighbour struct {
	group    uint32
	distance int
	jaccard  float64
}

// A collection is documents in groups. The groups are numbered by their first documents or by their
// fingerprints.
type collection struct {
	groups  tables.Groups
	groupOf []uint32 // the group of each document; noGroup for an empty one, and for one without pairs that is left out
	largest int      // the number of documents of the largest group, which measure sets
}

// measure sets c.largest.
func (c *collection) measure() {
	for g := range len(c.groups.Ends) - 1 {
		c.largest = max(c.largest, len(c.groups.Members(uint32(g))))
	}
}

// each calls yield with every pair of near documents, each once, ordered by A, then by B. It
// gathers rows of documents in parallel and yields them in order.
func (c *collection) each(ctx context.Context, r relation, o Options, yield func(Pair) error) error {
	if err := c.tellMany(ctx, r, o); err != nil {
		return err
	}
	gather := func(ctx context.Context, rows [2]uint32) ([]Pair, error) {
		var out []Pair
		var found []neighbour
		for a := rows[0]; a < rows[1]; a++ {
			g := c.groupOf[a]
			if g == noGroup || o.Groups && c.groups.Members(g)[0] != a {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var err error
			if found, err = r.near(ctx, found[:0], g); err != nil {
				return nil, err
			}
			start := len(out)
			if !o.Groups {
				out = c.row(out, found, a)
			} else if out, err = c.groupRow(ctx, out, r, found, g); err != nil {
				return nil, err
			}
			if o.keep != nil {
				if out, err = kept(ctx, out, start, o.keep); err != nil {
					return nil, err
				}
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

// kept removes from pairs those from index start on that are not kept.
func kept(ctx context.Context, pairs []Pair, start int, keep func(*Pair) (bool, error)) ([]Pair, error) {
	n := start
	for i := start; i < len(pairs); i++ {
		if (i-start)%lookEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := pairs[i]
		ok, err := keep(&p)
		if err != nil {
			return nil, err
		}
		if ok {
			pairs[n] = p
			n++
		}
	}
	return pairs[:n], nil
}

// A task is up to maxRows rows of documents in groups with about maxPairs pairs, or a single row with more.
const maxRows, maxPairs = 256, 1 << 16

// tasks yields the rows [from, to) of each task.
func (c *collection) tasks(r relation, groups bool) iter.Seq2[[2]uint32, error] {
	return func(yield func([2]uint32, error) bool) {
		n := uint32(len(c.groupOf))
		var from uint32
		rows, weight := 0, 0
		for a := range n {
			g := c.groupOf[a]
			if g == noGroup || groups && c.groups.Members(g)[0] != a {
				continue
			}
			weight += r.weight(g, groups)
			if rows++; rows == maxRows || weight >= maxPairs {
				if !yield([2]uint32{from, a + 1}, nil) {
					return
				}
				from, rows, weight = a+1, 0, 0
			}
		}
		if rows > 0 {
			yield([2]uint32{from, n}, nil)
		}
	}
}

// row appends the pairs of document a with later documents of the groups found.
func (c *collection) row(out []Pair, found []neighbour, a uint32) []Pair {
	start := len(out)
	for _, f := range found {
		members := c.groups.Members(f.group)
		if members[len(members)-1] <= a {
			continue
		}
		if members[0] <= a {
			after, _ := slices.BinarySearch(members, a+1)
			members = members[after:]
		}
		for _, b := range members {
			out = append(out, Pair{a, b, Measures{Distance: f.distance, Jaccard: f.jaccard}})
		}
	}
	sortRow(out[start:])
	return out
}

// groupRow appends the pairs of the first document of group g: with the other documents of g, and
// with the first documents of the groups found that come later.
func (c *collection) groupRow(ctx context.Context, out []Pair, r relation, found []neighbour, g uint32) ([]Pair, error) {
	start := len(out)
	members := c.groups.Members(g)
	for _, f := range found {
		if f.group != g {
			if b := c.groups.Members(f.group)[0]; b > members[0] {
				out = append(out, Pair{members[0], b, Measures{Distance: f.distance, Jaccard: f.jaccard}})
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
				out = append(out, Pair{members[0], b, Measures{Distance: f.distance, Jaccard: similarity}})
			}
		}
	}
	sortRow(out[start:])
	return out, nil
}

func sortRow(pairs []Pair) {
	slices.SortFunc(pairs, func(x, y Pair) int { return int(int64(x.B) - int64(y.B)) })
}

// listed is the part of a relation that has a list of the neighbours of each group.
type listed struct {
	*collection
	neighbours neighbours
}

func (l *listed) weight(g uint32, groups bool) int {
	// What is scattered in memory is not looked up for weights that cannot matter.
	if most := uint64(l.largest) * (1 + l.neighbours.most); most <= maxPairs/maxRows {
		return int(most)
	}
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

// nearBy appends group g and its neighbours with their similarity to it. It leaves out a group whose documents all
// come before those of g: its pairs are found from its own side, and comparing sets is expensive.
func (l *listed) nearBy(ctx context.Context, dst []neighbour, g uint32, similarity func(other uint32) (float64, error)) ([]neighbour, error) {
	dst = append(dst, neighbour{group: g, jaccard: 1})
	first := l.groups.Members(g)[0]
	for i, n := range l.neighbours.of(g) {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return dst, ctx.Err()
		}
		if members := l.groups.Members(n); members[len(members)-1] < first {
			continue
		}
		jaccard, err := similarity(n)
		if err != nil {
			return dst, err
		}
		dst = append(dst, neighbour{group: n, jaccard: jaccard})
	}
	return dst, nil
}

// list lists the neighbours that sorter has: a pair of groups, as two numbers of 32 bits, for each. There are
// n groups.
func (l *listed) list(ctx context.Context, sorter *spill.Sorter, n int) error {
	for p, err := range sorter.Sorted(ctx) {
		if err != nil {
			return err
		}
		if err := l.neighbours.add(uint32(p>>32), uint32(p)); err != nil {
			return err
		}
	}
	return l.neighbours.finish(n)
}

// eachListed is each for a relation r that l is a part of. It removes the files of l at the end.
func (l *listed) eachListed(ctx context.Context, r relation, o Options, yield func(Pair) error) (err error) {
	defer func() { err = errors.Join(err, l.neighbours.close()) }()
	return l.each(ctx, r, o, yield)
}
