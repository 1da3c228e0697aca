package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"simsearch/hamming"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
	"simsearch/internal/truth"
	"simsearch/tables"
)

// search compares the answers of tables with those of a linear scan, and times both.
func search(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Search against comparing all"}
	values := distinctOf(c)
	s.Text = append(s.Text, fmt.Sprintf("%s. Differences are answers that are not those of a linear scan, which compares a query with all; there must be none. Times are of this run, of one query after the other on one thread; the ratio says how many times as long the scan takes.", terminal.Plural(len(values), "distinct fingerprint")))
	if len(values) == 0 {
		return s, nil
	}
	searchQueries(c, s, values)
	return s, searchPairs(ctx, c, s, drawnValues(c))
}

// distinctOf returns the distinct fingerprints of documents with features, ascending.
func distinctOf(c *Collection) []uint64 {
	return distinctValues(fingerprintsOf(c, c.withFeatures(), c.Settings.Bits))
}

// distinctValues returns values without repetitions, ascending.
func distinctValues(values []uint64) []uint64 {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// joinMost limits the number of fingerprints that are compared each with each.
const joinMost = 20_000

// drawnValues returns the distinct fingerprints, or joinMost of them.
func drawnValues(c *Collection) []uint64 {
	values := distinctOf(c)
	if len(values) > joinMost {
		r := c.random("join")
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		values = values[:joinMost]
		slices.Sort(values)
	}
	return values
}

// queriesOf returns some of the values, drawn with repetitions.
func queriesOf(r *rand.Rand, values []uint64) []uint64 {
	queries := make([]uint64, min(500, len(values)))
	for i := range queries {
		queries[i] = values[r.IntN(len(values))]
	}
	return queries
}

// searchQueries queries for fingerprints of the collection.
func searchQueries(c *Collection, s *Section, values []uint64) {
	queries := queriesOf(c.random("queries"), values)
	t := s.AddTable(fmt.Sprintf("%d queries, fingerprints of the collection", len(queries)), "k", "design", "differences", "matches", "µs a query", "µs a scan", "ratio")
	each := float64(len(queries))
	inOrder := func(a, b hamming.Match) int { return int(a.Index) - int(b.Index) }
	for _, k := range []int{1, 3, 6, 10} {
		var wants [][]hamming.Match
		matches := 0
		scan := timed(func() {
			for _, q := range queries {
				wants = append(wants, hamming.Scan(nil, values, q, k))
				matches += len(wants[len(wants)-1])
			}
		})
		designs := []tables.Design{tables.Choose(c.Settings.Bits, len(values), k, 0).Design}
		// All choices of two among k + 2 blocks stand before the planner's, unless they are too many.
		if d, err := tables.NewDesign(c.Settings.Bits, k+2, 2); err == nil && len(d.Permutations()) <= mostTables {
			designs = slices.Insert(designs, 0, d)
		}
		for _, d := range designs {
			tb := tables.Build(values, d)
			answers := make([][]hamming.Match, len(queries))
			failed := 0
			taken := timed(func() {
				for i, q := range queries {
					var err error
					if answers[i], err = tb.Near(nil, q, k); err != nil {
						failed++
					}
				}
			})
			for i, got := range answers {
				slices.SortFunc(got, inOrder)
				slices.SortFunc(wants[i], inOrder)
				if !slices.Equal(got, wants[i]) {
					failed++
				}
			}
			t.Add(k, d.String(), failed, matches, taken/each*1e6, scan/each*1e6, scan/taken)
		}
	}
}

// timed returns the time that do takes.
func timed(do func()) (seconds float64) {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}

// searchPairs finds all pairs of fingerprints, in several ways.
func searchPairs(ctx context.Context, c *Collection, s *Section, values []uint64) error {
	const k = 3
	var want, got [][2]uint32
	scan := timed(func() { want = comparingAll(values, k) })
	t := s.AddTable(fmt.Sprintf("All pairs within %d bits of %s: %s", k, terminal.Plural(len(values), "fingerprint"), terminal.Thousands(len(want))), "method", "found", "missed", "false", "seconds", "comparing all takes")
	row := func(name string, seconds float64) (missed float64) {
		missing := truth.NewRate(difference(want, got), len(want))
		t.Add(name, len(got), missing, difference(got, want), seconds, report.Times(scan/seconds))
		return missing.Share
	}
	got = want
	row("comparing all", scan)
	var err error
	taken := timed(func() {
		got, err = pairsBy(ctx, values, tables.Choose(c.Settings.Bits, len(values), k, 0).Design, k)
	})
	if err != nil {
		return err
	}
	slices.SortFunc(got, comparePairs)
	row("tables", taken)
	plot := &report.Plot{Title: "Pairs that rotating and sorting misses", X: report.Axis{Name: "rotations", Max: 64}, Y: report.Axis{Name: "share missed", Max: 1}}
	for _, rotations := range []int{1, 2, 4, 8, 16, 25, 32, 64} {
		rotations = min(rotations, c.Settings.Bits)
		taken := timed(func() { got = rotateAndSort(values, c.Settings.Bits, rotations) })
		plot.Add("rotate and sort", float64(rotations), row(fmt.Sprintf("rotate and sort, %d times", rotations), taken))
	}
	if len(want) > 0 {
		plot.Series = append(plot.Series, report.Series{Name: "tables", Points: [][2]float64{{0, 0}, {64, 0}}, Line: true, Dashed: true})
		s.Plots = append(s.Plots, plot)
	}
	return searchBlocks(ctx, c, s, values, k, want)
}

// mostTables limits the tables of designs that are measured.
const mostTables = 64

// searchBlocks measures tables by all choices of g of G blocks that find distance k, for each g and each G up to k + 5, and
// those of the planner. want are the pairs of values within distance k.
func searchBlocks(ctx context.Context, c *Collection, s *Section, values []uint64, k int, want [][2]uint32) error {
	width := c.Settings.Bits
	queries := queriesOf(c.random("blocks"), values)
	s.Text = append(s.Text, fmt.Sprintf("Tables chosen by hand (index --blocks G --header-blocks g) have all choices of g of G blocks as headers, and miss nothing within G − g bits. "+
		"Times and bytes are of %s.", terminal.Plural(len(values), "fingerprint")))
	t := s.AddTable(fmt.Sprintf("Choices of tables within %d bits of %s", k, terminal.Plural(len(values), "fingerprint")),
		"tables by", "tables", "header bits", "entries a probe", "bytes a fingerprint", "µs a query", "seconds a join", "missed")
	measure := func(name string, d tables.Design) (err error) {
		tb := tables.Build(values, d)
		query := timed(func() {
			for _, q := range queries {
				if _, nearErr := tb.Near(nil, q, k); err == nil {
					err = nearErr
				}
			}
		})
		if err != nil {
			return err
		}
		var got [][2]uint32
		join := timed(func() { got, err = pairsBy(ctx, values, d, k) })
		t.Add(name, len(d.Permutations()), d.HeaderBits(), d.EntriesAProbe(len(values)),
			float64(tb.Bytes())/float64(len(values)), query/float64(len(queries))*1e6, join, truth.NewRate(difference(want, got), len(want)))
		return err
	}
	for blocks := k + 1; blocks <= min(k+5, width); blocks++ {
		for g := 1; g <= blocks-k; g++ {
			if d, err := tables.NewDesign(width, blocks, g); err == nil && len(d.Permutations()) <= mostTables {
				if err := measure(fmt.Sprintf("all choices, G = %d, g = %d", blocks, g), d); err != nil {
					return err
				}
			}
		}
	}
	return measure("the planner's", tables.Choose(width, len(values), k, 0).Design)
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

// comparingAll returns the pairs of values within distance k, as ascending indices.
func comparingAll(values []uint64, k int) (out [][2]uint32) {
	for i, x := range values {
		for j, y := range values[i+1:] {
			if hamming.Distance(x, y) <= k {
				out = append(out, [2]uint32{uint32(i), uint32(i + 1 + j)})
			}
		}
	}
	return out
}

// difference returns the number of pairs of a that are not in b. Both are ascending.
func difference(a, b [][2]uint32) int {
	n := 0
	for _, p := range a {
		if _, ok := slices.BinarySearchFunc(b, p, comparePairs); !ok {
			n++
		}
	}
	return n
}

// comparePairs orders pairs.
func comparePairs(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) }
