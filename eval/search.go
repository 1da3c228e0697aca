package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"simsearch/hamming"
	"simsearch/internal/report"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
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
	return s, searchPairs(ctx, c, s, values)
}

// distinctOf returns the distinct fingerprints of documents with features, ascending.
func distinctOf(c *Collection) []uint64 {
	var values []uint64
	for doc, set := range c.Sets {
		if len(set) > 0 {
			values = append(values, c.Fingerprints[doc])
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// searchQueries queries for fingerprints of the collection.
func searchQueries(c *Collection, s *Section, values []uint64) {
	const most = 500
	r := c.random("queries")
	queries := make([]uint64, min(most, len(values)))
	for i := range queries {
		queries[i] = values[r.IntN(len(values))]
	}
	t := s.AddTable(fmt.Sprintf("%d queries, fingerprints of the collection", len(queries)), "k", "design", "differences", "matches", "µs a query", "µs a scan", "ratio")
	for _, k := range []int{1, 3, 6, 10} {
		var wants [][]hamming.Match
		matches := 0
		scan := timed(func() {
			for _, q := range queries {
				wants = append(wants, hamming.Scan(nil, values, q, k))
				matches += len(wants[len(wants)-1])
			}
		})
		each := float64(len(queries))
		for _, d := range designs(c.Settings.Bits, len(values), k) {
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
			for i := range answers {
				if !sameMatches(answers[i], wants[i]) {
					failed++
				}
			}
			t.Add(k, d.String(), failed, matches, taken/each*1e6, scan/each*1e6, scan/taken)
		}
	}
}

// designs returns the design of all choices of two among k + 2 blocks, if it has up to 64 tables, and the
// design that the planner chooses.
func designs(width, n, k int) (out []tables.Design) {
	if d, err := tables.NewDesign(width, k+2, 2); err == nil && len(d.Permutations()) <= 64 {
		out = append(out, d)
	}
	return append(out, tables.Choose(width, n, k, 0).Design)
}

// sameMatches reports whether a and b have the same matches, in any order.
func sameMatches(a, b []hamming.Match) bool {
	order := func(ms []hamming.Match) []hamming.Match {
		return slices.SortedFunc(slices.Values(ms), func(x, y hamming.Match) int { return int(int64(x.Index) - int64(y.Index)) })
	}
	return slices.Equal(order(a), order(b))
}

// timed returns the time that do takes.
func timed(do func()) (seconds float64) {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}

// joinMost limits the number of fingerprints that are compared each with each.
const joinMost = 20_000

// searchPairs finds all pairs of up to joinMost fingerprints, in several ways.
func searchPairs(ctx context.Context, c *Collection, s *Section, values []uint64) error {
	if len(values) > joinMost {
		r := c.random("join")
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		values = values[:joinMost]
		slices.Sort(values)
	}
	const k = 3
	var want [][2]uint32
	scan := timed(func() { want = comparingAll(values, k) })
	t := s.AddTable(fmt.Sprintf("All pairs within %d bits of %s: %s", k, terminal.Plural(len(values), "fingerprint"), terminal.Thousands(len(want))), "method", "found", "missed", "false", "seconds", "comparing all takes")
	row := func(name string, got [][2]uint32, seconds float64) Rate {
		missed, extra := difference(want, got), difference(got, want)
		rate := NewRate(missed, len(want))
		t.Add(name, len(got), rate, extra, seconds, report.Times(scan/seconds))
		return rate
	}
	row("comparing all", want, scan)
	var got [][2]uint32
	var err error
	taken := timed(func() {
		err = tables.Pairs(ctx, values, c.Settings.Bits, k, tables.PairOptions{Threads: 1}, func(p tables.Pair) error {
			got = append(got, [2]uint32{min(p.A, p.B), max(p.A, p.B)})
			return nil
		})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(got, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
	row("tables", got, taken)
	var curve [][2]float64
	for _, rotations := range []int{1, 2, 4, 8, 16, 25, 32, 64} {
		rotations = min(rotations, c.Settings.Bits)
		var got [][2]uint32
		taken := timed(func() { got = RotateAndSort(values, c.Settings.Bits, k, rotations) })
		curve = append(curve, [2]float64{float64(rotations), row(fmt.Sprintf("rotate and sort, %d times", rotations), got, taken).Share})
	}
	if len(want) > 0 {
		s.Plots = append(s.Plots, &svg.Plot{
			Title: "Pairs that rotating and sorting misses", X: svg.Axis{Name: "rotations", Max: 64}, Y: svg.Axis{Name: "share missed", Max: 1},
			Series: []svg.Series{{Name: "rotate and sort", Points: curve, Line: true}, {Name: "tables", Points: [][2]float64{{0, 0}, {64, 0}}, Line: true, Dashed: true}},
		})
	}
	return searchBlocks(ctx, c, s, values, k, want)
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
		if _, ok := slices.BinarySearchFunc(b, p, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) }); !ok {
			n++
		}
	}
	return n
}
