package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"simsearch/internal/ground/terminal"
)

// A Plot has series of points over two axes. It is drawn as SVG that needs no other file, and is readable on a
// light and on a dark ground and in print. Marks and names tell its series apart, so that it is readable without
// colours, too. Its JSON form is part of reports.
type Plot struct {
	Title  string   `json:"title"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
}

// Add appends a point to the line of a name, which may be a new one.
func (p *Plot) Add(name string, x, y float64) {
	at := slices.IndexFunc(p.Series, func(s Series) bool { return s.Name == name })
	if at < 0 {
		at = len(p.Series)
		p.Series = append(p.Series, Series{Name: name, Line: true})
	}
	p.Series[at].Points = append(p.Series[at].Points, [2]float64{x, y})
}

// An Axis goes from Min to Max. If the two are equal or Log is set, it goes as far as the points do.
type Axis struct {
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Log  bool    `json:"log,omitempty"` // logarithmic: points that are not positive are left out
	// Whole says that only whole numbers stand at the axis.
	Whole bool `json:"-"`
}

// A Series is a set of points with a name.
type Series struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points"`
	Line   bool         `json:"line,omitempty"`  // a line joins the points, in their order
	Small  bool         `json:"small,omitempty"` // no marks: points are dots or, with Line, not drawn
	Dashed bool         `json:"dashed,omitempty"`
	Bars   bool         `json:"bars,omitempty"`   // upright bars, as wide as the points are apart
	Labels []string     `json:"labels,omitempty"` // of points, in their order, shown where one points at them
	Marked string       `json:"marked,omitempty"` // one of Labels, which stands beside its point
	Counts []int        `json:"counts,omitempty"` // of the cells whose middles the points are, as Density makes them
	Cell   [2]float64   `json:"cell,omitzero"`    // width and height of a cell
}

// Sizes in units of the drawing, which is scaled to the place that shows it.
const (
	plotWidth, height = 640.0, 400.0
	left, top, bottom = 64.0, 40.0, 48.0
	leastRight        = 170.0
	letter            = 9 // the width of most letters on a narrow page, which has larger ones
)

// right returns the room on the right, which the longest name of a series needs.
func (p *Plot) right() float64 {
	longest := 0
	for _, s := range p.Series {
		longest = max(longest, utf8.RuneCountInString(s.Name))
	}
	return max(leastRight, math.Ceil(36+letter*float64(longest)))
}

// colours is the number of colours in plotStyle. People who confuse red and green can tell them apart; they
// follow the palette of Okabe and Ito.
const colours = 6

// Not all that draws SVG knows variables. So marks have attributes, too, with the colours of a light ground, which
// the rules of plot.css replace where they are understood.
var paints = [colours]string{"#0072b2", "#d55e00", "#009e73", "#8a5a9e", "#7a6a00", "#555"}

// inColour returns the attributes of a mark, or a line, in the colour of series i.
func inColour(what, class string, i int) string {
	return fmt.Sprintf(`%s="%s" class="%s%d"`, what, paints[i%colours], class, i%colours)
}

// Write writes the plot as one svg element. The error is that of w.
func (p *Plot) Write(w io.Writer) error {
	var b strings.Builder
	right := left + plotWidth // end of the axes
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-label="%s" font-family="system-ui,sans-serif" font-size="13">`+"\n<style>%s</style>\n"+`<g aria-hidden="true">`+"\n",
		right+p.right(), height, escape(p.name()), plotStyle)
	fmt.Fprintf(&b, `<text x="%g" y="22" font-size="15">%s</text>`+"\n", left, escape(p.Title))
	x := p.scale(p.X, 0, left, right)
	y := p.scale(p.Y, 1, height-bottom, top)
	for _, t := range y.ticks() {
		fmt.Fprintf(&b, `<path class="grid" stroke="#ccc" d="M%g %.1fH%g"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n", left,
			y.at(t), right, left-6, y.at(t)+4, number(t))
	}
	for _, t := range x.ticks() {
		fmt.Fprintf(&b, `<path class="grid" stroke="#ccc" d="M%.1f %gv4"/><text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n",
			x.at(t), height-bottom, x.at(t), height-bottom+18, number(t))
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n", (left+right)/2, height-10, escape(p.X.Name))
	fmt.Fprintf(&b, `<text transform="translate(16 %g) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(top+height-bottom)/2, escape(p.Y.Name))
	drawn, bars := 0, 0
	var said [][2]float64
	for _, s := range p.Series {
		if s.Bars {
			bars++
		}
	}
	for i := range p.Series {
		s := &p.Series[i]
		switch {
		case s.Bars:
			s.drawBars(&b, i, drawn, bars, x, y)
			drawn++
		case s.Cell != [2]float64{}:
			s.drawCells(&b, i, x, y)
		default:
			s.draw(&b, i, x, y, &said)
		}
		ly := top + 8 + 20*float64(i) // its name stands beside the plot
		mark(&b, i, right+16, ly)
		fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`+"\n", right+28, ly+4, escape(s.Name))
	}
	b.WriteString("</g>\n</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// name says what the plot shows. Whoever has it read aloud hears this alone, and not hundreds of numbers without an
// order.
func (p *Plot) name() string {
	name := p.Title
	if p.X.Name != "" && p.Y.Name != "" {
		name += fmt.Sprintf(". %s by %s", p.Y.Name, p.X.Name)
	}
	var series []string
	for _, s := range p.Series {
		if s.Name != "" {
			series = append(series, s.Name)
		}
	}
	if len(series) > 0 {
		name += ": " + strings.Join(series, "; ")
	}
	return name
}

// draw draws points and lines. said has the points that have labels beside them.
func (s *Series) draw(b *strings.Builder, i int, x, y scale, said *[][2]float64) {
	var d, dots strings.Builder
	for at, p := range s.Points {
		if !x.has(p[0]) || !y.has(p[1]) {
			continue
		}
		px, py := x.at(p[0]), y.at(p[1])
		fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(d.Len(), 1)], px, py)
		switch {
		case s.Small:
			fmt.Fprintf(&dots, "M%.0f %.0fh0", px, py)
		case at < len(s.Labels):
			fmt.Fprintf(b, "<g><title>%s</title>", escape(s.Labels[at]))
			mark(b, i, px, py)
			// Curves fall to the right. A label in the place of another one is left out.
			if s.Labels[at] == s.Marked && !slices.ContainsFunc(*said, func(other [2]float64) bool {
				return math.Abs(other[0]-px) < letter*float64(len(s.Marked)) && math.Abs(other[1]-py) < 14
			}) {
				*said = append(*said, [2]float64{px, py})
				fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`, px-5, py-5, escape(s.Marked))
			}
			b.WriteString("</g>")
		default:
			mark(b, i, px, py)
		}
	}
	if s.Small && !s.Line {
		fmt.Fprintf(b, `<path d="%s" %s stroke-width="2.6" stroke-linecap="round" stroke-opacity=".45"/>`, dots.String(),
			inColour("stroke", "s", i))
	}
	dash := ""
	if s.Dashed {
		dash = ` stroke-dasharray="5 4"`
	}
	if s.Line && d.Len() > 0 {
		fmt.Fprintf(b, `<path d="%s" fill="none" %s stroke-width="1.8"%s/>`, d.String(), inColour("stroke", "s", i), dash)
	}
}

// mark draws the mark of series i.
func mark(b *strings.Builder, i int, x, y float64) {
	switch i % 3 {
	case 0:
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" %s/>`, x, y, inColour("fill", "f", i))
	case 1:
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="6" height="6" %s/>`, x-3, y-3, inColour("fill", "f", i))
	default:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl4 7h-8z" %s/>`, x, y-4, inColour("fill", "f", i))
	}
}

// number formats a value of an axis.
func number(x float64) string {
	switch size := math.Abs(x); {
	case size >= 1e9:
		return power(x)
	case size >= 1e4, size >= 1e3 && x == math.Trunc(x):
		return terminal.Thousands(int(math.RoundToEven(x)))
	case size < 1e-3 && size > 1e-12:
		return power(x)
	}
	return fmt.Sprintf("%g", math.Round(x*1e6)/1e6+0) // + 0 makes -0 positive
}

// power formats a value as a number times a power of ten, without the number if it is 1.
func power(x float64) string {
	exponent := math.Floor(math.Log10(math.Abs(x)) + 1e-9)
	first := math.Round(x/math.Pow(10, exponent)*10) / 10
	if math.Abs(first) == 10 {
		first, exponent = first/10, exponent+1
	}
	digits := strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6",
		"⁶", "7", "⁷", "8", "⁸", "9", "⁹")
	times := strings.Replace(fmt.Sprintf("%g·", first), "-", "−", 1)
	if math.Abs(first) == 1 {
		times = strings.TrimSuffix(times, "1·")
	}
	return times + "10" + digits.Replace(fmt.Sprint(int(exponent)))
}

// HTML returns the plot as a figure of a page.
func (p *Plot) HTML() HTML {
	var b strings.Builder
	_ = p.Write(&b) // a builder takes all
	return H("<figure class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><div>%s</div></figure>\n",
		p.Title, HTML(b.String()))
}
