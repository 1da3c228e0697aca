package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
)

// Density gathers points into cells, so that a plot of many of them is small, and as dark as they are many. The cells
// are columns × rows, over both axes of the plot. Points outside are left out.
func Density(name string, points [][2]float64, x, y Axis, columns, rows int) Series {
	s := Series{Name: name, Cell: [2]float64{(x.Max - x.Min) / float64(columns), (y.Max - y.Min) / float64(rows)}}
	counts := make([]int, columns*rows)
	for _, p := range points {
		column, row := math.Floor((p[0]-x.Min)/s.Cell[0]+1e-9), math.Floor((p[1]-y.Min)/s.Cell[1]+1e-9)
		if p[0] == x.Max {
			column--
		}
		if p[1] == y.Max {
			row--
		}
		if column >= 0 && row >= 0 && int(column) < columns && int(row) < rows {
			counts[int(row)*columns+int(column)]++
		}
	}
	for i, n := range counts {
		if n > 0 {
			s.Counts = append(s.Counts, n)
			s.Points = append(s.Points, [2]float64{x.Min + (float64(i%columns)+0.5)*s.Cell[0], y.Min +
				(float64(i/columns)+0.5)*s.Cell[1]})
		}
	}
	return s
}

// drawCells draws a cell for each point, darker where its count is larger.
func (s *Series) drawCells(b *strings.Builder, i int, x, y scale) {
	if len(s.Counts) == 0 {
		return
	}
	most := math.Log1p(float64(slices.Max(s.Counts)))
	fmt.Fprintf(b, `<g %s>`, inColour("fill", "f", i))
	for at, p := range s.Points[:min(len(s.Points), len(s.Counts))] {
		if !x.has(p[0]) || !y.has(p[1]) {
			continue
		}
		left, right := x.at(p[0]-s.Cell[0]/2), x.at(p[0]+s.Cell[0]/2)
		top, bottom := y.at(p[1]+s.Cell[1]/2), y.at(p[1]-s.Cell[1]/2)
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill-opacity="%.2f"><title>%s</title></rect>`,
			left, top,
			right-left, bottom-top, 0.12+0.88*math.Log1p(float64(s.Counts[at]))/most, terminal.Thousands(s.Counts[at]))
	}
	b.WriteString("</g>\n")
}

// drawBars draws upright bars, number at of several beside each other.
func (s *Series) drawBars(b *strings.Builder, i, at, of int, x, y scale) {
	gap := math.Inf(1)
	for j := 1; j < len(s.Points); j++ {
		gap = min(gap, math.Abs(x.at(s.Points[j][0])-x.at(s.Points[j-1][0])))
	}
	if math.IsInf(gap, 1) {
		gap = 40
	}
	wide := 0.8 * gap / float64(of)
	for _, p := range s.Points {
		if !x.has(p[0]) || p[1] <= 0 {
			continue
		}
		left := x.at(p[0]) - 0.4*gap + wide*float64(at)
		top := min(y.at(p[1]), y.from-3) // few are not none
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s><title>%s</title></rect>`,
			left, top, max(1, wide-1), y.from-top, inColour("fill", "f", i), number(p[1]))
	}
	b.WriteByte('\n')
}

// farHigher is how many times as high as the next a bar is if the others would be too low to be seen.
const farHigher = 8

// Histogram returns a plot of bars of a width, each of which has its middle and its height. If one is far higher than
// all others, the axis is logarithmic.
func Histogram(title string, x, y Axis, bars [][2]float64, width float64) *Plot {
	first, second := 0.0, 0.0
	for i, bar := range bars {
		if i == 0 {
			x.Min, x.Max = bar[0], bar[0]
		}
		x.Min, x.Max = min(x.Min, bar[0]-width/2), max(x.Max, bar[0]+width/2)
		second = max(second, min(first, bar[1]))
		first = max(first, bar[1])
	}
	y.Max = max(1, 1.04*first)
	if y.Log = second > 0 && first > farHigher*second; y.Log {
		y.Min = 1
	}
	return &Plot{Title: title, X: x, Y: y, Series: []Series{{Name: y.Name, Points: bars, Bars: true}}}
}

// Upright adds a line across the plot.
func (p *Plot) Upright(name string, x float64) {
	if p.X.Min < p.X.Max {
		p.X.Min, p.X.Max = min(p.X.Min, x), max(p.X.Max, x)
	}
	p.Series = append(p.Series, Series{Name: name, Points: [][2]float64{{x, p.Y.Min}, {x, p.Y.Max}}, Line: true,
		Small: true, Dashed: true})
}
