// Package svg draws plots as SVG that needs no other file: lines and points over two axes. A plot is
// readable on a light and on a dark ground and in print. Marks and names tell its series apart, so that
// it is readable without colours, too.
//
//	p := svg.Plot{Title: "Recall", X: svg.Axis{Name: "k"}, Y: svg.Axis{Name: "recall", Min: 0, Max: 1}}
//	p.Series = append(p.Series, svg.Series{Name: "words", Points: points, Line: true})
//	err := p.Write(w)
package svg

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// A Plot has series of points over two axes. Its JSON form is part of reports.
type Plot struct {
	Title  string   `json:"title"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
}

// An Axis goes from Min to Max. If the two are equal or Log is set, it goes as far as the points do.
type Axis struct {
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Log  bool    `json:"log,omitempty"` // logarithmic: points that are not positive are left out
}

// A Series is a set of points with a name.
type Series struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points"`
	Line   bool         `json:"line,omitempty"`  // a line joins the points, in their order
	Small  bool         `json:"small,omitempty"` // no marks: points are dots or, with Line, not drawn
	Dashed bool         `json:"dashed,omitempty"`
}

// Sizes in units of the drawing, which is scaled to the place that shows it.
const (
	width, height            = 720.0, 400.0
	left, right, top, bottom = 64.0, 170.0, 40.0, 48.0
)

// colours is the number of colours in style. People who confuse red and green can tell them apart; they
// follow the palette of Okabe and Ito.
const colours = 6

var style = `<style>
svg{color-scheme:light dark;font:13px sans-serif;--ink:#222;--faint:#ccc;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#8a5a9e;--c4:#7a6a00;--c5:#555}
@media (prefers-color-scheme:dark){svg{--ink:#ddd;--faint:#444;--c0:#56b4e9;--c1:#ff9a4d;--c2:#3fd0a4;--c3:#e0a3d8;--c4:#f0e442;--c5:#aaa}}
@media print{svg{--ink:#000;--faint:#bbb;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#8a5a9e;--c4:#7a6a00;--c5:#555}}
text{fill:var(--ink)}.grid{stroke:var(--faint)}
</style>
`

// Write writes the plot as one svg element. The error is that of w.
func (p *Plot) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n%s", width, height, html.EscapeString(p.Title), style)
	fmt.Fprintf(&b, `<text x="%g" y="22" font-size="15">%s</text>`+"\n", left, html.EscapeString(p.Title))
	x := p.scale(p.X, 0, left, width-right)
	y := p.scale(p.Y, 1, height-bottom, top)
	for _, t := range y.ticks() {
		fmt.Fprintf(&b, `<path class="grid" d="M%g %.1fH%g"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y.at(t), width-right, left-6, y.at(t)+4, number(t))
	}
	for _, t := range x.ticks() {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %gv4"/><text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n", x.at(t), height-bottom, x.at(t), height-bottom+18, number(t))
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n", (left+width-right)/2, height-10, html.EscapeString(p.X.Name))
	fmt.Fprintf(&b, `<text transform="translate(16 %g) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+height-bottom)/2, html.EscapeString(p.Y.Name))
	for i, s := range p.Series {
		s.draw(&b, i, x, y)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// draw draws a series, and its name beside the plot.
func (s *Series) draw(b *strings.Builder, i int, x, y scale) {
	colour := fmt.Sprintf("var(--c%d)", i%colours)
	var d, dots strings.Builder
	for _, p := range s.Points {
		if !x.has(p[0]) || !y.has(p[1]) {
			continue
		}
		px, py := x.at(p[0]), y.at(p[1])
		fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(d.Len(), 1)], px, py)
		if s.Small {
			fmt.Fprintf(&dots, "M%.0f %.0fh0", px, py)
		} else {
			mark(b, i, px, py, colour)
		}
	}
	if s.Small && !s.Line {
		fmt.Fprintf(b, `<path d="%s" stroke="%s" stroke-width="2.6" stroke-linecap="round" stroke-opacity=".45"/>`, dots.String(), colour)
	}
	dash := ""
	if s.Dashed {
		dash = ` stroke-dasharray="5 4"`
	}
	if s.Line && d.Len() > 0 {
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.8"%s/>`, d.String(), colour, dash)
	}
	ly := top + 8 + 20*float64(i)
	mark(b, i, width-right+16, ly, colour)
	fmt.Fprintf(b, `<text x="%g" y="%g">%s</text>`+"\n", width-right+28, ly+4, html.EscapeString(s.Name))
}

// mark draws the mark of series i.
func mark(b *strings.Builder, i int, x, y float64, colour string) {
	switch i % 3 {
	case 0:
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x, y, colour)
	case 1:
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="6" height="6" fill="%s"/>`, x-3, y-3, colour)
	default:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl4 7h-8z" fill="%s"/>`, x, y-4, colour)
	}
}

// number formats a value of an axis.
func number(x float64) string {
	if math.Abs(x) >= 1e5 || math.Abs(x) < 1e-3 && math.Abs(x) > 1e-12 {
		return fmt.Sprintf("%.0e", x)
	}
	return fmt.Sprintf("%g", math.Round(x*1e6)/1e6+0) // + 0 makes -0 positive
}
