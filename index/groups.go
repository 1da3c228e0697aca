package index

import (
	"context"

	"simsearch/internal/join"
	"simsearch/internal/parallel"
)

// A Group is near documents. Each is near the representative or, if GroupOptions.Chain is set, near
// some other.
type Group struct {
	Documents []uint32 // ascending, two or more
	// Representative is the document with the most near documents, the first of several.
	Representative uint32
	// Jaccard is the smallest similarity of two documents of the group, of a grouping by similarity.
	// Distance is the largest distance of two, of a grouping by distance. Documents without a
	// fingerprint do not count.
	Jaccard  float64
	Distance int
	// Apart is set if these two documents are not near each other.
	Apart bool
	// Estimated is set if the group is so large that its documents were compared with the
	// representative and with some others only. The true extreme may be worse.
	Estimated bool
}

// GroupOptions say how Groups works.
type GroupOptions struct {
	// Chain makes groups of whatever near pairs connect: A and C are in one group if both are near
	// B. Otherwise a group is its representative with documents that are near it.
	Chain         bool
	Threads       int                   // at least one
	PairsInMemory int                   // as of PairOptions
	Explain       func(how string)      // as of PairOptions
	Progress      func(done, parts int) // as of PairOptions
}

// Groups calls yield with groups of near documents, the largest first, equally large ones in the order
// of their first documents. A document is in one group at most.
//
// Without GroupOptions.Chain, documents are taken as representatives in the order of the number of
// documents near them, the most first; a group is the representative with those near documents that
// no earlier group has. Beside what Pairs takes, Groups takes 12 bytes a document and 16 a pair of
// distinct documents. Errors are those of Pairs.
func (ix *Snapshot) Groups(ctx context.Context, p Predicate, o GroupOptions, yield func(Group) error) error {
	search, err := ix.searcher(p)
	if err != nil {
		return err
	}
	g := join.NewGraph(ix.Len(), o.Chain)
	how := PairOptions{Threads: o.Threads, Groups: true, PairsInMemory: o.PairsInMemory, Explain: o.Explain, Progress: o.Progress}
	if err := ix.Pairs(ctx, p, how, func(pair Pair) error { g.Add(pair.A, pair.B); return nil }); err != nil {
		return err
	}
	return ix.reading(func() error {
		found, err := g.Groups(ctx, search.areNear)
		if err != nil {
			return err
		}
		groups := make([]Group, len(found))
		for i, of := range found {
			groups[i] = Group{Documents: of.Documents, Representative: of.Representative}
		}
		measure := func(ctx context.Context, i int) (*Group, error) {
			return &groups[i], search.measure(ctx, &groups[i])
		}
		if err := parallel.Ordered(ctx, o.Threads, len(groups), measure, func(g *Group) error { return yield(*g) }); err != nil {
			return err
		}
		return ix.Unchanged()
	})
}
