package index

import (
	"context"
	"fmt"
	"math"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/join"
)

// Queries are documents that others are near to: an analysis.Batch, or one alone.
type queries interface {
	Len() int
	Result(i int) analysis.Result
}

// alone is one query.
type alone struct{ r *analysis.Result }

func (a alone) Len() int                   { return 1 }
func (a alone) Result(int) analysis.Result { return *a.r }

// nearOne gathers the matches of a document.
func nearOne(ctx context.Context, by criterion, r *analysis.Result, g *segment.Gathered, stats *Stats) error {
	h := segment.NewGatheredMany(1, g.Limit, math.MaxInt)
	err := by.near(ctx, alone{r}, h, stats)
	*g = h.Queries[0]
	return err
}

// A criterion finds what is near by a predicate: byDistance, bySets, byBands, byContained or byBoth.
type criterion interface {
	// has reports whether a document has something to search by.
	has(r *analysis.Result) bool
	// near gathers the matches of each query, and puts them in order.
	near(ctx context.Context, q queries, h *segment.GatheredMany, stats *Stats) error
	// nearest gathers the g.Limit documents that are nearest, however far they are.
	nearest(ctx context.Context, r *analysis.Result, g *segment.Gathered, stats *Stats) error
	// explain says how a query is answered in s, and whether it is compared with all sets of s, or all signatures,
	// because s was planned for other thresholds.
	explain(s *segment.Segment) (how string, comparesAll bool)
	// join joins the collection. The segments have been verified.
	join(ctx context.Context, o join.Options, yield func(join.Pair) error) error
	// group divides the collection into groups, as join.Representatives does. The segments have been verified.
	group(ctx context.Context, chain bool, o join.Options) (*join.Grouping, error)
	// measure fills in how near the documents of a group are.
	measure(ctx context.Context, g *Group) error
}

// A finder returns the groups of equal documents of a segment that are near a document, by their numbers among
// groups. With a limit they are sorted, nearest first. They are valid until the next call.
type finder func(ctx context.Context, s *segment.Segment, r *analysis.Result) (groups *segment.Groups, near []segment.NearGroup, err error)

// A taker takes what a finder has found in a segment, whose first document has the number start.
// segment.Gathered.AddAll is one.
type taker func(s *segment.Segment, start uint32, groups *segment.Groups, near []segment.NearGroup)

// eachAlone searches for each document of a batch by itself.
func eachAlone(ctx context.Context, q queries, h *segment.GatheredMany, stats *Stats,
	one func(context.Context, *analysis.Result, *segment.Gathered, *Stats) error,
) error {
	return eachQuery(ctx, q, func(i int, r *analysis.Result) error {
		g := segment.Gathered{Limit: h.Limit}
		if err := one(ctx, r, &g, stats); err != nil {
			return err
		}
		h.Set(i, g.Matches(), g.Total)
		return nil
	})
}

// eachQuery calls do with queries, one after the other. Of several, errors name the one.
func eachQuery(ctx context.Context, q queries, do func(i int, r *analysis.Result) error) error {
	for i := range q.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := q.Result(i)
		if err := do(i, &r); err != nil {
			return named(q, r.ID, err)
		}
	}
	return nil
}

// named returns an error of a query that names it, if it is one of several.
func named(q queries, id []byte, err error) error {
	if _, one := q.(alone); one {
		return err
	}
	return fmt.Errorf("query %s: %w", id, err)
}
