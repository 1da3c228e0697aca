package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A plot is a picture by the name of its file.
type plot struct{ name, svg string }

// A line is a series of points; y is in µs a query.
type line struct {
	name   string
	points [][2]float64
}

// plots draws cost against k for the largest n at which several k were run, and against n
// for k = 3.
func plots(runs []run) []plot {
	largest := 0
	runs = slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return r.name != "planted" })
	ks := map[int]int{} // how many, for each n
	for _, r := range runs {
		if ks[r.n]++; ks[r.n] > 1 || largest == 0 {
			largest = max(largest, r.n)
		}
	}
	who := []string{"simsearch", "mih-rs", "linear scan", "FAISS"}
	series := func(pick func(run) (x float64, ok bool)) []line {
		var lines []line
		for _, w := range who {
			l := line{name: w}
			for _, r := range runs {
				if x, ok := pick(r); ok {
					res := r.find(w)
					if y := min(positive(res.Single), positive(res.Batch)); !math.IsInf(y, 1) {
						l.points = append(l.points, [2]float64{x, y})
					}
				}
			}
			if len(l.points) > 0 {
				lines = append(lines, l)
			}
		}
		return lines
	}
	byK := series(func(r run) (float64, bool) { return float64(r.k), r.n == largest })
	byN := series(func(r run) (float64, bool) { return math.Log10(float64(r.n)), r.k == 3 })
	return []plot{
		{"bench-k.svg", draw(fmt.Sprintf("µs a query among %s fingerprints, against k", human(largest)), byK, "k")},
		{"bench-n.svg", draw("µs a query at k = 3, against log10 n", byN, "log10 n")},
	}
}

// positive returns x, or infinity if it was not measured.
func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.Inf(1)
}

// draw returns a line chart with a logarithmic y axis, in colours that show on
// light and dark paper.
func draw(title string, lines []line, xName string) string {
	const width, height, left, top, right, bottom = 720.0, 400.0, 60.0, 40.0, 150.0, 45.0
	var xs, ys []float64
	for _, l := range lines {
		for _, p := range l.points {
			xs, ys = append(xs, p[0]), append(ys, math.Log10(p[1]))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13"><rect width="100%%" height="100%%" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%g" y="22" font-size="15">%s</text>`+"\n", left, title)
	if len(xs) == 0 {
		return b.String() + "</svg>\n"
	}
	x0, x1 := slices.Min(xs), max(slices.Max(xs), slices.Min(xs)+1)
	y0, y1 := math.Floor(slices.Min(ys)), math.Ceil(slices.Max(ys))
	px := func(x float64) float64 { return left + (x-x0)/(x1-x0)*(width-left-right) }
	py := func(y float64) float64 { return height - bottom - (y-y0)/(y1-y0)*(height-top-bottom) }
	for y := y0; y <= y1; y++ {
		fmt.Fprintf(&b, `<path d="M%g %gH%g" stroke="#ccc"/><text x="%g" y="%g" text-anchor="end">%g</text>`+"\n", left, py(y), width-right, left-6, py(y)+4, math.Pow(10, y))
	}
	slices.Sort(xs)
	for _, x := range slices.Compact(xs) {
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">%.3g</text>`+"\n", px(x), height-bottom+18, x)
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n", (left+width-right)/2, height-8, xName)
	colours := []string{"#0b6fb8", "#c0392b", "#6b7280", "#8e44ad"}
	for i, l := range lines {
		var d strings.Builder
		for j, p := range l.points {
			fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(j, 1)], px(p[0]), py(math.Log10(p[1])))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px(p[0]), py(math.Log10(p[1])), colours[i])
		}
		last := l.points[len(l.points)-1]
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%.1f" y="%.1f" fill="%s">%s</text>`+"\n",
			d.String(), colours[i], px(last[0])+8, py(math.Log10(last[1]))+4, colours[i], l.name)
	}
	return b.String() + "</svg>\n"
}
