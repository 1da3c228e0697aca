package index

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"simsearch/internal/spill"
)

// NoUnit stands for the unit of a document that belongs to none.
const NoUnit = ^uint32(0)

// A UnitPair is two units of documents, such as the hosts of a crawl, that have near documents in common. A comes before
// B in the numbers of units.
type UnitPair struct {
	A, B           uint32
	NearA, NearB   int // documents of A that are near some document of B, and the reverse: 1 or more
	TotalA, TotalB int // documents of A and of B that meet the conditions, near or not
}

// AInB returns the share of the documents of A that are near one of B, in (0, 1].
func (p UnitPair) AInB() float64 { return float64(p.NearA) / float64(p.TotalA) }

// BInA returns the share of the documents of B that are near one of A, in (0, 1].
func (p UnitPair) BInA() float64 { return float64(p.NearB) / float64(p.TotalB) }

// Share returns the larger of AInB and BInA: 1 if one unit is a copy of a part of the other.
func (p UnitPair) Share() float64 { return max(p.AInB(), p.BInA()) }

// UnitPairs returns the pairs of units that have near documents by p, the largest Share first, then those with the most
// near documents, then by A and B. of[doc] is the unit of each document, or NoUnit. Near documents of one unit do not
// count.
//
// o.Groups has no effect: all pairs of near documents are found, as Pairs does. It takes what that takes, 16 bytes for
// each document and unit that has a document near it, of which o.PairsInMemory are in memory, and 40 bytes for a pair of
// units. The errors are those of Pairs.
func (ix *Snapshot) UnitPairs(ctx context.Context, p Predicate, o PairOptions, of []uint32) (pairs []UnitPair, err error) {
	if len(of) != ix.Len() {
		return nil, errors.New("UnitPairs wants the unit of each document")
	}
	only, err := ix.only(o.Where)
	if err != nil {
		return nil, err
	}
	totals := map[uint32]int{}
	for doc, unit := range of {
		if unit != NoUnit && (only == nil || only[doc]) {
			totals[unit]++
		}
	}
	sorter := spill.NewSorter(ix.fs, "", o.PairsInMemory) // a document and a unit that it is near
	defer func() { err = errors.Join(err, sorter.Close()) }()
	o.Groups = false
	var keys [2]uint64
	err = ix.Pairs(ctx, p, o, func(p Pair) error {
		a, b := of[p.A], of[p.B]
		if a == NoUnit || b == NoUnit || a == b {
			return nil
		}
		keys = [2]uint64{uint64(p.A)<<32 | uint64(b), uint64(p.B)<<32 | uint64(a)}
		return sorter.Add(keys[:])
	})
	if err != nil {
		return nil, err
	}
	near := map[[2]uint32]*UnitPair{}
	last := ^uint64(0)
	for key, err := range sorter.Sorted(ctx) {
		if err != nil {
			return nil, err
		}
		if key == last {
			continue
		}
		last = key
		unit, other := of[key>>32], uint32(key)
		a, b := min(unit, other), max(unit, other)
		pair := near[[2]uint32{a, b}]
		if pair == nil {
			pair = &UnitPair{A: a, B: b, TotalA: totals[a], TotalB: totals[b]}
			near[[2]uint32{a, b}] = pair
		}
		if unit == a {
			pair.NearA++
		} else {
			pair.NearB++
		}
	}
	for _, pair := range near {
		pairs = append(pairs, *pair)
	}
	slices.SortFunc(pairs, func(x, y UnitPair) int {
		return cmp.Or(cmp.Compare(y.Share(), x.Share()), cmp.Compare(y.NearA+y.NearB, x.NearA+x.NearB), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return pairs, nil
}
