package join

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"simsearch/hamming"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
	"simsearch/tables"
)

// FingerprintGroups are documents in groups, by their fingerprints.
type FingerprintGroups struct {
	Values []uint64 // distinct ones, ascending; of more than 64 bits, each takes two or four numbers
	// Groups yields the number of each fingerprint in Values, in order, and its documents, which ascend. There may be
	// none.
	Groups iter.Seq2[uint32, []uint32]
	Whole  bool // each fingerprint has documents
}

// Grouped returns groups as FingerprintGroups.
func Grouped(groups *tables.Groups) FingerprintGroups {
	return FingerprintGroups{Values: groups.Values, Whole: true, Groups: func(yield func(uint32, []uint32) bool) {
		for g := range uint32(len(groups.Ends) - 1) {
			if !yield(g, groups.Members(g)) {
				return
			}
		}
	}}
}

// ByFingerprints calls yield with every pair of documents whose fingerprints, of up to width bits or of 128 or 256
// bits, are within distance k. Each pair comes once, ordered by A, then by B. documents is the number of all
// documents; f has those that take part. It is not changed.
//
// It joins the distinct fingerprints as tables.EachPair does. It takes three sevenths of a byte per document, 48
// bytes per document that is near another one, and 40 bytes per pair of distinct near fingerprints. If k is so large
// that comparing all fingerprints is cheaper, it holds no pairs at all, and takes 32 bytes per document. o.Design
// replaces the plan. The error is that of ctx or of the file system, or the first error of yield.
func ByFingerprints(ctx context.Context, documents int, f FingerprintGroups, width, k int, o Options, yield func(Pair) error) (err error) {
	if k < 0 {
		return nil
	}
	words := o.words(width)
	prints := &Fingerprints{width: width, words: words, pictures: o.Pictures, of: f.Values, values: f.Values}
	var pairs func(add func(pairs []uint64) error) error // nil if all are compared with each other
	if words > 1 {
		if o.Explain != nil && o.Pictures == 0 {
			o.Explain(fmt.Sprintf("pairs within %d of %d fingerprints: %s", k, prints.Len(), tables.DescribeWide(prints.Len(), width)))
		}
		pairs = func(add func(pairs []uint64) error) error { return prints.eachPair(ctx, k, o, add) }
	} else if design, ok := o.planPairs(f.Values, width, k); ok {
		pairs = func(add func(pairs []uint64) error) error {
			return tables.EachPair(ctx, f.Values, width, k, o.ofPairs(design), add)
		}
	}
	// Most documents have a fingerprint of their own, which is near no other. They are left out.
	near := ints.NewNumberedSet(len(f.Values) / words)
	hasPairs := near.Has
	sorter := spill.NewSorter(o.Disk, "", 2*o.PairsInMemory)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	if pairs == nil {
		hasPairs = func(uint32) bool { return true }
	} else if err := pairs(func(some []uint64) error {
		addEnds(near, some)
		return addBothWays(sorter, some)
	}); err != nil {
		return err
	}
	c, numbers := paired(documents, f, words, hasPairs)
	r := newRelation(c, o)
	prints.of = c.groups.Values
	r.measure = func(g, other uint32) neighbour {
		return neighbour{other, Measures{Distance: prints.Distance(g, other)}}
	}
	if pairs == nil {
		r.rows = func(g uint32, skip func(other uint32) bool) (near []neighbour) {
			for _, m := range hamming.Scan(nil, f.Values, c.groups.Values[g], k) {
				if other, ok := numbers.Number(m.Index); ok && other != g && (skip == nil || !skip(other)) {
					near = append(near, neighbour{other, Measures{Distance: int(m.Distance)}})
				}
			}
			return near
		}
	} else if err := r.fill(ctx, sorter, numbers.Number); err != nil {
		return errors.Join(err, r.neighbours.close())
	}
	return r.each(ctx, o, yield)
}

// addEnds adds both numbers of each pair to a set. Several goroutines may do so.
func addEnds(to ints.NumberedSet, pairs []uint64) {
	for _, p := range pairs {
		to.AddAtOnce(uint32(p >> 32))
		to.AddAtOnce(uint32(p))
	}
}

// words returns how many words a fingerprint of so many bits has in a join.
func (o *Options) words(width int) int {
	if o.Pictures != 0 {
		return 2
	}
	return tables.Words(width)
}

// leastGathered and mostGathered are the least and the most memory for values that are brought together, in bytes.
// With less, they would be read very often. More makes a join of a billion a little faster, and is left to others.
const leastGathered, mostGathered = 64 << 20, 2 << 30

// PerPair is how many bytes finding pairs takes for each of Options.PairsInMemory, beside the pairs.
const PerPair = 40

// ofPairs returns the options of a join of fingerprints by a design.
func (o *Options) ofPairs(design tables.Design) tables.PairOptions {
	how := tables.PairOptions{Threads: o.Threads, Design: design, Progress: o.Progress}
	if o.PairsInMemory > 0 {
		how.Memory = min(max(leastGathered, PerPair*int64(o.PairsInMemory)), mostGathered)
	}
	return how
}

// planPairs returns the design of tables by which pairs of fingerprints are found, or false if all are compared. It
// explains which.
func (o *Options) planPairs(values []uint64, width, k int) (d tables.Design, ok bool) {
	if d, ok = o.Design, o.Design.Width() == width && k <= o.Design.Exact(); !ok {
		d, ok = tables.PlanPairs(values, width, k)
	}
	n := len(values)
	switch {
	case o.Explain == nil:
	case !ok:
		o.Explain(fmt.Sprintf("pairs within %d: each of %d fingerprints is compared with all, since tables would take longer", k, n))
	default:
		o.Explain(fmt.Sprintf("pairs within %d of %d fingerprints: %v", k, n, d))
	}
	return d, ok
}

// paired returns the documents of the groups that have several, or of which hasPairs says so, as a collection of its
// own: its groups and its documents are numbered anew, in their order. numbers has its groups by their old numbers.
// The fingerprints, of some words, are copied, since they may be scattered over a file that is larger than the
// memory.
func paired(documents int, f FingerprintGroups, words int, hasPairs func(g uint32) bool) (c *collection, numbers ints.NumberedSet) {
	c = &collection{groups: tables.Groups{Ends: []uint32{0}}}
	numbers = ints.NewNumberedSet(len(f.Values) / words)
	has := ints.NewNumberedSet(documents)
	for g, members := range f.Groups {
		if len(members) == 0 || len(members) == 1 && !hasPairs(g) {
			continue
		}
		numbers.Add(g)
		c.groups.Values = append(c.groups.Values, f.Values[int(g)*words:][:words]...)
		c.groups.Member = append(c.groups.Member, members...)
		c.groups.Ends = append(c.groups.Ends, uint32(len(c.groups.Member)))
		for _, doc := range members {
			has.Add(doc)
		}
	}
	n, groups := has.Index(), numbers.Index()
	c.original, c.groupOf = make([]uint32, n), make([]uint32, n)
	for g := range uint32(groups) {
		members := c.groups.Members(g)
		for i, doc := range members {
			members[i] = has.Before(doc)
			c.original[members[i]], c.groupOf[members[i]] = doc, g
		}
	}
	return c, numbers
}
