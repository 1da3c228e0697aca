package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"simsearch/internal/svg"
	"simsearch/internal/terminal"
	"simsearch/tables"
)

// mostTables limits the tables of designs that are measured.
const mostTables = 64

// A layout is tables that are measured: a design, and whether it misses nothing.
type layout struct {
	name   string
	design tables.Design
	exact  bool
}

// choices returns the layouts of all choices of g of G blocks that find distance k, for each g and each
// G up to k + 5, and the layout that the planner chooses among n fingerprints.
func choices(width, n, k int) []layout {
	var out []layout
	for blocks := k + 1; blocks <= min(k+5, width); blocks++ {
		for g := 1; g <= blocks-k; g++ {
			if d, err := tables.Combinations(width, blocks, g); err == nil && len(d.Permutations()) <= mostTables {
				out = append(out, layout{fmt.Sprintf("all choices, G = %d, g = %d", blocks, g), d, true})
			}
		}
	}
	return append(out, layout{"the planner's", tables.Choose(width, n, k, 0).Design, true})
}

// rotations returns the layouts that take the rotations of G blocks instead of all choices: G tables, whose
// headers are g blocks in a row. With g above 1 they miss pairs.
func rotations(width, k int) (out []layout, err error) {
	for blocks := k + 1; blocks <= min(k+5, width); blocks++ {
		d, err := rotatedBlocks(width, blocks, blocks-k, k)
		if err != nil {
			return nil, err
		}
		out = append(out, layout{fmt.Sprintf("rotations, G = %d, g = %d", blocks, blocks-k), d, blocks-k == 1})
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

// searchBlocks measures tables by all choices of blocks, by their rotations and by random permutations. want
// are the pairs of values within distance k.
func searchBlocks(ctx context.Context, c *Collection, s *Section, values []uint64, k int, want [][2]uint32) error {
	width := c.Settings.Bits
	queries := queriesOf(c.random("blocks"), values)
	s.Text = append(s.Text, fmt.Sprintf("Tables chosen by hand (index --blocks G --header-blocks g) have all choices of g of G blocks as headers, and miss nothing within G − g bits. "+
		"Rotations of the blocks are fewer tables, and random permutations of the bits any number; both miss pairs that have no equal header. Times and bytes are of %s; a query that tables would make slower compares all.", terminal.Plural(len(values), "fingerprint")))
	t := s.AddTable(fmt.Sprintf("Choices of tables within %d bits of %s", k, terminal.Plural(len(values), "fingerprint")),
		"tables by", "tables", "header bits", "entries a probe", "bytes a fingerprint", "µs a query", "seconds a join", "missed")
	row := func(l layout) (missed Rate, err error) {
		tb := tables.Build(values, l.design)
		query := timed(func() {
			for _, q := range queries {
				if _, nearErr := tb.Near(nil, q, k); err == nil {
					err = nearErr
				}
			}
		})
		if err != nil {
			return missed, err
		}
		var got [][2]uint32
		join := timed(func() { got, err = pairsBy(ctx, values, l.design, k) })
		missed = NewRate(difference(want, got), len(want))
		t.Add(l.name, len(l.design.Permutations()), l.design.HeaderBits(), l.design.EntriesAProbe(len(values)),
			float64(tb.Bytes())/float64(len(values)), query/float64(len(queries))*1e6, join, missed)
		return missed, err
	}
	rotated, err := rotations(width, k)
	if err != nil {
		return err
	}
	plot := &svg.Plot{Title: "Pairs without an equal header", X: svg.Axis{Name: "tables", Max: mostTables}, Y: svg.Axis{Name: "share missed", Max: 1}, Series: []svg.Series{
		{Name: "all choices, and the planner's"}, {Name: "rotations of blocks"}}}
	for _, l := range slices.Concat(choices(width, len(values), k), rotated) {
		missed, err := row(l)
		if err != nil {
			return err
		}
		of := &plot.Series[map[bool]int{false: 1}[l.exact]]
		of.Points = append(of.Points, [2]float64{float64(len(l.design.Permutations())), missed.Share})
	}
	for _, headerBits := range []int{width / 4, width / 2} {
		for permutations := 1; permutations <= mostTables; permutations *= 2 {
			// Each number of permutations begins with those of the one before.
			d, err := randomPermutations(c.random(fmt.Sprint("permutations", headerBits)), width, headerBits, permutations, k)
			if err != nil {
				return err
			}
			missed, err := row(layout{name: fmt.Sprintf("random permutations, %d bits", headerBits), design: d})
			if err != nil {
				return err
			}
			plot.Add(fmt.Sprintf("random permutations, headers of %d bits", headerBits), float64(permutations), missed.Share)
		}
	}
	if len(want) == 0 {
		return nil
	}
	expected := svg.Series{Name: fmt.Sprintf("expected of %d bits at distance %d", width/2, k), Line: true, Small: true, Dashed: true}
	for permutations := 1; permutations <= mostTables; permutations *= 2 {
		expected.Points = append(expected.Points, [2]float64{float64(permutations), missExpected(width, width/2, permutations, k)})
	}
	plot.Series = append(plot.Series, expected)
	s.Plots = append(s.Plots, plot)
	return nil
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
