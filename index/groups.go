package index

import (
	"context"

	"simsearch/internal/join"
	"simsearch/internal/parallel"
)

// A Group is near documents. Each is near the representative or, if PairOptions.Chain is set, near
// some other.
type Group struct {
	Documents []uint32 // ascending, two or more
	// Representative is the document with the most near documents, the first of several.
	Representative uint32
	// Measures are the smallest Jaccard similarity or Cosine, or the largest Distance, of two documents of the group:
	// documents without a fingerprint do not count. CosineEstimated says that some cosine is estimated.
	Measures
	// Apart is set if these two documents are not near each other.
	Apart bool
	// Estimated is set if the group is so large that its documents were compared with the
	// representative and with some others only. The true extreme may be worse.
	Estimated bool
}

// Groups calls yield with groups of near documents, the largest first, equally large ones in the order
// of their first documents. A document is in one group at most.
//
// Without PairOptions.Chain, documents are taken as representatives in the order of the number of
// documents near them, the most first, unless an earlier representative is near; then they belong to the
// nearest of these. So no two representatives are near each other. Where hundreds of sets are near one,
// that number is a rough one. By distance, it counts the near fingerprints and the documents that are equal.
//
// By distance, and by exact similarity, Groups lists pairs only if they are few (join.Representatives). Otherwise it takes 32 bytes
// a pair of distinct documents beside what Pairs takes. Errors are those of Pairs.
func (ix *Snapshot) Groups(ctx context.Context, p Predicate, o PairOptions, yield func(Group) error) error {
	search, err := ix.criterion(p, o.Sources)
	if err != nil {
		return err
	}
	o.Groups = true
	return ix.joining(o, func(how join.Options) error {
		of, err := search.group(ctx, o.Chain, how)
		if err != nil {
			return err
		}
		groups := join.Groups(of)
		measure := func(ctx context.Context, i int) (Group, error) {
			g := Group{Documents: groups[i].Documents, Representative: groups[i].Representative}
			return g, search.measure(ctx, &g)
		}
		return parallel.Ordered(ctx, o.Threads, len(groups), measure, yield)
	})
}
