package eval

import (
	"context"
	"slices"

	"simsearch/hamming"
	"simsearch/index"
	"simsearch/internal/svg"
	"simsearch/tables"
)

// cost measures time and memory for growing parts of the collection.
func cost(ctx context.Context, c *Collection) (*Section, error) {
	s := &Section{Title: "Cost"}
	s.Text = append(s.Text, "The first eighth, quarter, half and all of the documents. Times are of this run, bytes are of tables in memory a distinct fingerprint. Pairs by Jaccard similarity are by signature.")
	t := s.AddTable("", "documents", "bytes a fingerprint", "µs a query, k = 3", "seconds for pairs, k = 3", "seconds for pairs, Jaccard ≥ 0.8")
	bands, _, err := chooseBands(c, index.DefaultThreshold)
	if err != nil {
		return nil, err
	}
	plot := &svg.Plot{Title: "Seconds by the number of documents", X: svg.Axis{Name: "documents"}, Y: svg.Axis{Name: "seconds", Log: true}}
	for part := 8; part >= 1; part /= 2 {
		n := c.Len() / part
		values := slices.Clone(c.Fingerprints[:n])
		slices.Sort(values)
		values = slices.Compact(values)
		if len(values) == 0 {
			continue
		}
		tb := tables.Build(values, tables.Choose(c.Settings.Bits, len(values), 3, 0).Design)
		queries := min(2000, len(values))
		var err error
		asking := timed(func() {
			var found []hamming.Match
			for i := range queries {
				if found, err = tb.Near(found[:0], values[i*len(values)/queries], 3); err != nil {
					return
				}
			}
		}) / float64(queries)
		joining := timed(func() {
			if err == nil {
				err = tables.Pairs(ctx, values, c.Settings.Bits, 3, tables.PairOptions{Threads: c.threads}, func(tables.Pair) error { return nil })
			}
		})
		comparing := timed(func() {
			if err == nil {
				_, err = c.countPairs(ctx, n, bands)
			}
		})
		if err != nil {
			return nil, err
		}
		t.Add(n, float64(tb.Bytes())/float64(len(values)), asking*1e6, joining, comparing)
		plot.Add("a query, k = 3", float64(n), asking)
		plot.Add("pairs, k = 3", float64(n), joining)
		plot.Add("pairs, Jaccard", float64(n), comparing)
	}
	s.Plots = append(s.Plots, plot)
	return s, nil
}
