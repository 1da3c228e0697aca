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

	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/tables"
)

// A Pair is two near documents. A comes before B in the collection.
type Pair struct {
	A, B uint32
	Measures
}

// Options say how a join works. Only Groups and Only change its answer, and AnyOrder its order.
type Options struct {
	Threads int // at least one
	// Only, if not nil, says of each document whether it takes part. The others are as if they were not there.
	Only []bool
	// Groups pairs each document only with the first document of its group. All other pairs are
	// pairs of first documents.
	Groups bool
	// AnyOrder makes BySets yield pairs as it finds them, in no certain order, also of their two documents. Many is not
	// called.
	AnyOrder bool
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
	// Pictures says of a join by distance that fingerprints are such hashes, two of each picture: as it is and inside
	// its border, or the first one again. They are compared as the method Distance does.
	Pictures imagehash.Kind
	// Explain, if not nil, is called with a text that says how pairs are found.
	Explain func(how string)
	// Progress, if not nil, is called with the number of finished parts of the work and the number
	// of all parts.
	Progress func(done, parts int)

	// keep, if not nil, completes a pair and reports whether it is one. Several goroutines call it.
	keep func(p *Pair) (bool, error)
	// class, if not nil, is that of each thing of a Grouper.
	class []uint64
}

const (
	noGroup = ^uint32(0)

	// lookEvery is the number of pairs between two checks whether the context is done. Comparing
	// the sets of two long documents takes a tenth of a millisecond.
	lookEvery = 1 << 8
)

// A collection is documents in groups. The groups are numbered by their first documents or by their
// fingerprints.
type collection struct {
	groups  tables.Groups
	groupOf []uint32 // the group of each document; noGroup for an empty one
	// original, if not nil, has the numbers of the documents elsewhere, which ascend: some are left out.
	original []uint32
	largest  int // the number of documents of the largest group
}

// each calls yield with every pair of near documents, each once, ordered by A, then by B. It
// gathers rows of documents in parallel and yields them in order, and removes the files of neighbours at the end.
func (r *relation) each(ctx context.Context, o Options, yield func(Pair) error) (err error) {
	defer func() { err = errors.Join(err, r.neighbours.close()) }()
	if err := r.tellMany(ctx, o); err != nil {
		return err
	}
	gather := func(ctx context.Context, rows [2]uint32) ([]Pair, error) {
		var out []Pair
		var found []neighbour
		for a := rows[0]; a < rows[1]; a++ {
			g := r.groupOf[a]
			if g == noGroup || o.Groups && r.groups.Members(g)[0] != a {
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
				out = r.row(out, found, a)
			} else if out, err = r.groupRow(ctx, out, found, g); err != nil {
				return nil, err
			}
			if r.original != nil {
				for i, p := range out[start:] {
					out[start+i].A, out[start+i].B = r.original[p.A], r.original[p.B]
				}
			}
			if o.keep != nil {
				if out, err = kept(ctx, out, start, o.keep); err != nil {
					return nil, err
				}
			}
		}
		return out, nil
	}
	return parallel.Stream(ctx, o.Threads, r.tasks(o.Groups), gather, func(pairs []Pair) error {
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
func (r *relation) tasks(groups bool) iter.Seq2[[2]uint32, error] {
	return func(yield func([2]uint32, error) bool) {
		n := uint32(len(r.groupOf))
		var from uint32
		rows, weight := 0, 0
		for a := range n {
			g := r.groupOf[a]
			if g == noGroup || groups && r.groups.Members(g)[0] != a {
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
			out = append(out, Pair{a, b, f.Measures})
		}
	}
	sortRow(out[start:])
	return out
}

// groupRow appends the pairs of the first document of group g: with the other documents of g, and
// with the first documents of the groups found that come later.
func (r *relation) groupRow(ctx context.Context, out []Pair, found []neighbour, g uint32) ([]Pair, error) {
	start := len(out)
	members := r.groups.Members(g)
	for _, f := range found {
		if f.group != g {
			if b := r.groups.Members(f.group)[0]; b > members[0] {
				out = append(out, Pair{members[0], b, f.Measures})
			}
			continue
		}
		for i, b := range members[1:] {
			if i%lookEvery == 0 && ctx.Err() != nil {
				return out, ctx.Err()
			}
			p, ok := Pair{members[0], b, f.Measures}, true
			if r.within != nil {
				p.Value, ok = r.within(p.A, b)
			}
			if ok {
				out = append(out, p)
			}
		}
	}
	sortRow(out[start:])
	return out, nil
}

func sortRow(pairs []Pair) {
	slices.SortFunc(pairs, func(x, y Pair) int { return int(int64(x.B) - int64(y.B)) })
}
