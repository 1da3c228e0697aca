package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"simsearch/internal/quality/report"
)

// A picture is a plot with the name of its file.
type picture struct {
	name string
	plot report.Plot
}

// bytes returns the contents of the file.
func (p *picture) bytes() []byte {
	var b bytes.Buffer
	_ = p.plot.Write(&b) // a buffer takes everything
	return b.Bytes()
}

// pictures draws the cost of a query on planted data, in µs: against k, for the largest n at which
// more than one k was run, and against n, for k = 3.
func pictures(runs []run) []picture {
	largest := 0
	runs = slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return r.name != "planted" })
	ks := map[int]int{} // the number of runs, for each n
	for _, r := range runs {
		if ks[r.n]++; ks[r.n] > 1 || largest == 0 {
			largest = max(largest, r.n)
		}
	}
	series := func(pick func(run) (x float64, ok bool)) []report.Series {
		var all []report.Series
		for _, program := range []string{"simsearch", "mih-rs", "linear scan", "FAISS"} {
			s := report.Series{Name: program, Line: true}
			for _, r := range runs {
				if x, ok := pick(r); ok {
					res := r.find(program)
					if y := min(positive(res.Single), positive(res.Batch)); !math.IsInf(y, 1) {
						s.Points = append(s.Points, [2]float64{x, y})
					}
				}
			}
			if len(s.Points) > 0 {
				all = append(all, s)
			}
		}
		return all
	}
	cost := report.Axis{Name: "µs a query", Log: true}
	return []picture{
		{"bench-k.svg", report.Plot{
			Title: fmt.Sprintf("Cost of a query among %s fingerprints", human(largest)), X: report.Axis{Name: "k"}, Y: cost,
			Series: series(func(r run) (float64, bool) { return float64(r.k), r.n == largest }),
		}},
		{"bench-n.svg", report.Plot{
			Title: "Cost of a query at k = 3", X: report.Axis{Name: "n", Log: true}, Y: cost,
			Series: series(func(r run) (float64, bool) { return float64(r.n), r.k == 3 }),
		}},
	}
}

// positive returns x, or infinity if it was not measured.
func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.Inf(1)
}
