package svg

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// Bars are a histogram: a bar for each range of values.
type Bars struct {
	Title string
	X, Y  string // names of the axes
	Bins  []Bar  // in ascending order, which do not overlap
	Line  *Line  // nil: none
	// Whole says that bars are of whole numbers, each from half before its number to half behind it, and that those behind the
	// line have another colour, instead of those before it.
	Whole bool

	// Width and Height are the units of the drawing, of which a letter is 13 high. Width is at least 240
	// and Height at least 120.
	Width, Height float64
}

// A Bar stands on the range from From to To, From < To. Its value is not negative.
type Bar struct{ From, To, Value float64 }

// A Line is upright and crosses the bars at a value. Bars before it have another colour, and are striped.
type Line struct {
	At   float64
	Name string
}

const (
	// brokenFrom is how many times as high as the next a bar must be to be drawn broken, since the others
	// would be too low to be seen.
	brokenFrom = 8
	// brokenAt is how many times as high as the next a broken bar is drawn.
	brokenAt = 1.5
)

const barStyle = `<style>
svg{color-scheme:light dark;font:13px sans-serif;--ink:#222;--faint:#ccc;--c0:#0072b2;--c1:#d55e00;--paper:#fff}
@media (prefers-color-scheme:dark){svg{--ink:#ddd;--faint:#444;--c0:#56b4e9;--c1:#ff9a4d;--paper:#15191d}}
@media print{svg{--ink:#000;--faint:#bbb;--c0:#0072b2;--c1:#d55e00;--paper:#fff}}
text{fill:var(--ink)}.grid{stroke:var(--faint)}
</style>
`

// Write writes the histogram as one svg element. A bar that is far higher than all others is drawn broken,
// with its value above it. The error is that of w.
func (p *Bars) Write(w io.Writer) error {
	const left, right, top, bottom = 56.0, 12.0, 30.0, 46.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-label="%s">`+"\n%s", p.Width, p.Height, html.EscapeString(p.Title), barStyle)
	x := scale{lo: 0, hi: 1, from: left, to: p.Width - right}
	if n := len(p.Bins); n > 0 {
		x.lo, x.hi = p.Bins[0].From, p.Bins[n-1].To
	}
	if p.Line != nil {
		x.lo, x.hi = min(x.lo, p.Line.At), max(x.hi, p.Line.At)
	}
	if x.lo >= x.hi {
		x.hi = x.lo + 1
	}
	high, broken := p.high()
	y := scale{lo: 0, hi: high, from: p.Height - bottom, to: top}
	for _, t := range y.ticks() {
		if t == math.Trunc(t) { // there is no half a document
			fmt.Fprintf(&b, `<path class="grid" d="M%g %.1fH%g"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y.at(t), p.Width-right, left-6, y.at(t)+4, short(t))
		}
	}
	ticks := x.ticks()
	if p.Whole {
		ticks = slices.DeleteFunc(ticks, func(t float64) bool { return t != math.Trunc(t) })
	}
	every := int(math.Ceil(float64(len(ticks)) * 40 / (x.to - x.from))) // a number has about 40 units
	for i, t := range ticks {
		if i%every == 0 {
			fmt.Fprintf(&b, `<path class="grid" d="M%.1f %gv4"/><text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n", x.at(t), p.Height-bottom, x.at(t), p.Height-bottom+18, number(t))
		}
	}
	for _, bar := range p.Bins {
		p.draw(&b, bar, x, y, bar.Value > broken)
	}
	fmt.Fprintf(&b, `<path d="M%g %gH%g" stroke="var(--ink)"/>`+"\n", left, p.Height-bottom, p.Width-right)
	if p.Line != nil {
		at, anchor, gap := x.at(p.Line.At), "start", 5.0
		if at > (x.from+x.to)/2 {
			anchor, gap = "end", -5
		}
		fmt.Fprintf(&b, `<path d="M%.1f 6V%g" stroke="var(--ink)" stroke-width="2" stroke-dasharray="5 3"/><text x="%.1f" y="16" text-anchor="%s" font-weight="bold">%s</text>`+"\n", at, p.Height-bottom, at+gap, anchor, html.EscapeString(p.Line.Name))
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n", (x.from+x.to)/2, p.Height-8, html.EscapeString(p.X))
	fmt.Fprintf(&b, `<text transform="translate(12 %g) rotate(-90)" text-anchor="middle">%s</text>`+"\n</svg>\n", (top+p.Height-bottom)/2, html.EscapeString(p.Y))
	_, err := io.WriteString(w, b.String())
	return err
}

// high returns the end of the upright axis, and the value from which bars are broken.
func (p *Bars) high() (high, broken float64) {
	first, second := 0.0, 0.0
	for _, bar := range p.Bins {
		if bar.Value > first {
			first, second = bar.Value, first
		} else {
			second = max(second, bar.Value)
		}
	}
	switch {
	case first == 0:
		return 1, 1
	case second > 0 && first > brokenFrom*second:
		return brokenAt * second, brokenAt * second
	}
	return 1.04 * first, first
}

// draw draws a bar.
func (p *Bars) draw(b *strings.Builder, bar Bar, x, y scale, broken bool) {
	if bar.Value <= 0 {
		return
	}
	from, to := x.at(bar.From), x.at(bar.To)
	gap := min(1.5, (to-from)/8)
	from, to = from+gap, to-gap
	end := y.at(min(bar.Value, y.hi))
	end = min(end, y.from-2.5) // few are not none
	other, what := p.Line != nil && bar.To <= p.Line.At+1e-9 && bar.From < p.Line.At, number(bar.From)+" to "+number(bar.To)
	if p.Whole {
		other, what = p.Line != nil && bar.From >= p.Line.At-1e-9, number((bar.From+bar.To)/2)
	}
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="var(--c%d)"><title>%s: %s</title></rect>`, from, end, to-from, y.from-end, map[bool]int{true: 1}[other], what, Commas(bar.Value))
	if other {
		for at := y.from - 5; at > end; at -= 6 {
			fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1f" stroke="var(--paper)"/>`, from, at, to)
		}
	}
	if broken {
		middle := end + (y.from-end)/6
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1fv6L%.1f %.1fz" fill="var(--paper)"/>`, from-1, middle+5, to+1, middle-5, from-1, middle+11)
		anchor, at := "middle", (from+to)/2
		if at > x.to-30 {
			anchor, at = "end", x.to
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, at, end-5, anchor, Commas(bar.Value))
	}
	b.WriteByte('\n')
}

// short returns a whole number that is not negative with the letter k for thousands or M for millions.
func short(x float64) string {
	x = math.Abs(x) // -0 is 0
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%gM", math.Round(x/1e3)/1e3)
	case x >= 1e4:
		return fmt.Sprintf("%gk", math.Round(x)/1e3)
	}
	return Commas(x)
}

// Commas returns a number without its part behind the point, with commas between thousands.
func Commas(x float64) string {
	s := fmt.Sprintf("%.0f", x)
	least := len(s) - len(strings.TrimPrefix(s, "-"))
	for i := len(s) - 3; i > least; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
