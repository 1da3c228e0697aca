package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"simsearch/eval"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
	"simsearch/tables"
)

// mostTables limits the random permutations that are measured.
const mostTables = 64

// A layout is tables that are measured.
type layout struct {
	name   string
	design tables.Design
}

// rotations returns the layouts that take the rotations of G blocks instead of all choices: G tables, whose
// headers are g blocks in a row. With g above 1 they miss pairs.
func rotations(width, k int) (out []layout, err error) {
	for blocks := k + 1; blocks <= min(k+5, width); blocks++ {
		d, err := rotatedBlocks(width, blocks, blocks-k, k)
		if err != nil {
			return nil, err
		}
		out = append(out, layout{fmt.Sprintf("rotations, G = %d, g = %d", blocks, blocks-k), d})
	}
	return out, nil
}

// rotatedBlocks returns the design whose headers are g of the blocks in a row, beginning with each of them.
// The design looks up equal headers within distance k, and misses what has none.
func rotatedBlocks(width, blocks, g, k int) (tables.Design, error) {
	each, err := tables.NewDesign(width, blocks, 1)
	if err != nil {
		return each, err
	}
	parts := each.Headers()
	slices.SortFunc(parts, func(a, b uint64) int { return cmp.Compare(b, a) }) // the highest first
	headers := make([]uint64, blocks)
	for i := range headers {
		for j := range g {
			headers[i] |= parts[(i+j)%blocks]
		}
	}
	return tables.FromHeaders(width, k, headers)
}

// randomPermutations returns a design of random permutations of the bits: the headers of tables are the
// first headerBits bits of each. The first permutation leaves the bits where they are. The design looks up
// equal headers within distance k, and misses what has none.
func randomPermutations(r *rand.Rand, width, headerBits, permutations, k int) (tables.Design, error) {
	headers := make([]uint64, permutations)
	for i := range headers {
		order := r.Perm(width)
		if i == 0 {
			for b := range order {
				order[b] = width - 1 - b
			}
		}
		for _, b := range order[:headerBits] {
			headers[i] |= 1 << b
		}
	}
	return tables.FromHeaders(width, k, headers)
}

// missExpected returns the probability that two fingerprints of width bits at a distance differ in each of
// the headers of random permutations.
func missExpected(width, headerBits, permutations, distance int) float64 {
	hit := 1.0 // no differing bit is in a header
	for i := range distance {
		hit *= float64(width-headerBits-i) / float64(width-i)
	}
	return math.Pow(1-max(0, hit), float64(permutations))
}

// blocks measures what tables find by rotations of blocks and by random permutations, which compare equal headers
// alone.
func blocks(ctx context.Context, c *eval.Collection) (*report.Section, error) {
	const k = 3
	width := c.Settings.Bits
	values := slices.Compact(slices.Sorted(slices.Values(c.Fingerprints)))
	values = values[:min(len(values), mostPairs)]
	planned := tables.Choose(width, len(values), k, 0).Design
	want, err := pairsBy(ctx, values, planned, k)
	if err != nil {
		return nil, err
	}
	s := &report.Section{Name: "blocks", Title: fmt.Sprintf("Pairs within %d bits of %d fingerprints that tables miss", k, len(values))}
	s.Text = append(s.Text, "All choices of g of G blocks as headers, as the planner has them, miss nothing within G − g bits. Rotations of the blocks are fewer tables, and random permutations of the bits any number; both miss pairs that have no equal header.")
	layouts, err := rotations(width, k)
	if err != nil {
		return nil, err
	}
	for _, headerBits := range []int{width / 4, width / 2} {
		for permutations := 1; permutations <= mostTables; permutations *= 2 {
			d, err := randomPermutations(rand.New(rand.NewPCG(2, uint64(headerBits))), width, headerBits, permutations, k)
			if err != nil {
				return nil, err
			}
			layouts = append(layouts, layout{fmt.Sprintf("random permutations, %d bits", headerBits), d})
		}
	}
	plot := &report.Plot{Title: "Pairs without an equal header", X: report.Axis{Name: "tables", Max: mostTables}, Y: report.Axis{Name: "share missed", Max: 1}}
	t := s.AddTable("", "tables by", "tables", "header bits", "missed", "missed at a distance of 3, expected")
	for _, l := range layouts {
		got, err := pairsBy(ctx, values, l.design, k)
		if err != nil {
			return nil, err
		}
		missed, expected := truth.NewRate(len(want)-len(got), len(want)), any("–")
		if l.name[:3] == "ran" {
			expected = missExpected(width, l.design.HeaderBits(), len(l.design.Permutations()), k)
		}
		t.Add(l.name, len(l.design.Permutations()), l.design.HeaderBits(), missed, expected)
		plot.Add(l.name, float64(len(l.design.Permutations())), missed.Share)
	}
	s.Plots = append(s.Plots, plot)
	return s, nil
}

// pairsBy returns the pairs of values within distance k that have an equal header in a design, as ascending
// indices.
func pairsBy(ctx context.Context, values []uint64, d tables.Design, k int) (out [][2]uint32, err error) {
	err = tables.Pairs(ctx, values, d.Width(), k, tables.PairOptions{Threads: 1, Design: d}, func(p tables.Pair) error {
		out = append(out, [2]uint32{p.A, p.B})
		return nil
	})
	return out, err
}
