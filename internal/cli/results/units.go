package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"simsearch/internal/files/syntax"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// Units are the documents of an index by the value of a field.
type Units struct {
	Of      []uint32 // the unit of each document, or noUnit
	Names   []string // of the units, in the order of their first documents
	Without int      // documents that have no value
}

// HostField is the name of the field that is taken from addresses if it is not kept.
const HostField = "host"

// addressFields are the fields that are taken for the address of a document.
var addressFields = []string{"WARC-Target-URI", "url", "uri", "link"}

// UnitsOf returns the units of the documents of an index: those with equal values of a kept field. HostField, if it
// is not kept, is the host of the first of addressFields that is kept, or of the id.
func UnitsOf(ix *index.Snapshot, field string) (u Units, err error) {
	in := ix.Input()
	at, of := slices.Index(in.Kept(), field), func(value string) string { return value }
	if at < 0 && field == HostField {
		of = syntax.Host
		for _, name := range addressFields {
			if at < 0 {
				at = slices.Index(in.Kept(), name)
			}
		}
	} else if at < 0 {
		return u, fmt.Errorf("--by-field %s: the index keeps no such field: name it when the index is made, with --keep-fields", terminal.Plain(field))
	}
	known := map[string]uint32{}
	for doc := range uint32(ix.Len()) {
		value := ""
		if at >= 0 {
			value, _, err = ix.Field(doc, at)
		} else {
			var id []byte
			id, err = ix.ID(doc)
			value = string(id)
		}
		if err != nil {
			return u, err
		}
		if value = of(value); value == "" {
			u.Of = append(u.Of, noUnit)
			u.Without++
			continue
		}
		unit, ok := known[value]
		if !ok {
			unit = uint32(len(u.Names))
			known[value] = unit
			u.Names = append(u.Names, value)
		}
		u.Of = append(u.Of, unit)
	}
	return u, nil
}

// Told says how many pairs of units were printed.
func (u Units) Told(field string, printed int) string {
	return fmt.Sprintf("%s, of %s of %s", terminal.Plural(printed, "pair"), terminal.Plural(len(u.Names), "value"), terminal.Plain(field)) +
		terminal.Some(u.Without, "; documents without a value: %s")
}

// Columns returns the columns of a pair of units.
func (u *Units) Columns(p *UnitPair) []terminal.Column {
	return []terminal.Column{named("a", u.Names[p.A]), named("b", u.Names[p.B]), col("a_in_b", p.aInB()), col("b_in_a", p.bInA()),
		col("a_near", p.NearA), col("b_near", p.NearB), col("a_documents", p.TotalA), col("b_documents", p.TotalB)}
}

// noUnit stands for the unit of a document that belongs to none.
const noUnit = ^uint32(0)

// A UnitPair is two units of documents, such as the hosts of a crawl, that have near documents in common. A comes
// before B in the numbers of units.
type UnitPair struct {
	A, B           uint32
	NearA, NearB   int // documents of A that are near some document of B, and the reverse: 1 or more
	TotalA, TotalB int // documents of A and of B that meet the conditions, near or not
}

// aInB returns the share of the documents of A that are near one of B, in (0, 1].
func (p UnitPair) aInB() float64 { return float64(p.NearA) / float64(p.TotalA) }

// bInA returns the share of the documents of B that are near one of A, in (0, 1].
func (p UnitPair) bInA() float64 { return float64(p.NearB) / float64(p.TotalB) }

// share returns the larger of aInB and bInA: 1 if one unit is a copy of a part of the other.
func (p UnitPair) share() float64 { return max(p.aInB(), p.bInA()) }

// Pairs returns the pairs of units of an index that have near documents by p, the largest share first, then those
// with the most near documents, then by A and B. Near documents of one unit do not count.
//
// o.Groups has no effect: all pairs of near documents are found, as Pairs does. It takes what that takes, 16 bytes
// for each document and unit that has a document near it, of which o.PairsInMemory are in memory, and 40 bytes for a
// pair of units. The errors are those of Pairs.
func (u *Units) Pairs(ctx context.Context, ix *index.Snapshot, p index.Predicate, o index.PairOptions) (_ []UnitPair, err error) {
	of := u.Of
	all, err := ix.Select(o.Where)
	if err != nil {
		return nil, err
	}
	totals := map[uint32]int{}
	for _, doc := range all {
		if unit := of[doc]; unit != noUnit {
			totals[unit]++
		}
	}
	sorter := spill.NewSorter(disk.OS, "", o.PairsInMemory) // a document and a unit that it is near
	defer func() { err = errors.Join(err, sorter.Close()) }()
	o.Groups = false
	var keys [2]uint64
	err = ix.Pairs(ctx, p, o, func(p index.Pair) error {
		a, b := of[p.A], of[p.B]
		if a == noUnit || b == noUnit || a == b {
			return nil
		}
		keys = [2]uint64{uint64(p.A)<<32 | uint64(b), uint64(p.B)<<32 | uint64(a)}
		return sorter.Add(keys[:])
	})
	if err != nil {
		return nil, err
	}
	near := map[[2]uint32]UnitPair{}
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
		pair.A, pair.B, pair.TotalA, pair.TotalB = a, b, totals[a], totals[b]
		if unit == a {
			pair.NearA++
		} else {
			pair.NearB++
		}
		near[[2]uint32{a, b}] = pair
	}
	return slices.SortedFunc(maps.Values(near), func(x, y UnitPair) int {
		return cmp.Or(cmp.Compare(y.share(), x.share()), cmp.Compare(y.NearA+y.NearB, x.NearA+x.NearB), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	}), nil
}
