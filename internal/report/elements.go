package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"slices"

	"simsearch/internal/terminal"
)

// Shares returns a bar with the parts of all that are not empty: what stays, what is gone as it is elsewhere, and what is gone as near.
func Shares(all int, stay string, staying int, same string, exact int, like string, near int) HTML {
	var bar, list Builder
	from := 0.0
	for _, s := range []struct {
		name, class string
		n           int
	}{{stay, "kept", staying}, {same, "exact", exact}, {like, "near", near}} {
		if s.n > 0 {
			width := min(100, 100*float64(s.n)/float64(all))
			bar.Add(`<rect class="%s" x="%s" width="%s" height="10"/>`, s.class, fmt.Sprintf("%.3f", from), fmt.Sprintf("%.3f", width))
			list.Add(`<li class="%s">%s %s</li>`, s.class, s.name, Percent(s.n, all))
			from += width
		}
	}
	return If(list.Len() > 0, H(`<div class="parts"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">%s</svg>
<ul>%s</ul></div>
`, bar.HTML(), list.HTML()))
}

// Bins say how near documents are to the ones that they are compared with, as a plot and as a table of those that are not empty.
type Bins struct {
	Table
	Name string // of the plot
	bars [][2]float64
}

// Bin appends a bin, drawn as a bar around its middle.
func (b *Bins) Bin(name string, middle float64, documents int) {
	b.bars = append(b.bars, [2]float64{middle, float64(documents)})
	if documents > 0 {
		b.Add(name, documents)
	}
}

// Drawn reports whether there is a bin.
func (b *Bins) Drawn() bool { return len(b.bars) > 0 }

// HTML returns the plot, with bars of a width and a line across it that has a name; what is said of it; and the table.
func (b *Bins) HTML(x Axis, y string, width float64, name string, line float64, said HTML) HTML {
	plot := Histogram(b.Name, x, Axis{Name: y, Whole: true}, b.bars, width)
	plot.Upright(name, line)
	return plot.HTML() + said + Fold("The same as a table", b.Table.HTML("bins"))
}

// A Size says how many groups have that many documents.
type Size struct {
	Size   int `json:"size"`
	Groups int `json:"groups"`
}

// Sizes returns a table of how many groups there are of each size, and of the documents beside the first of each group. Large
// sizes are put together.
func Sizes(sizes []Size, caption, others string) HTML {
	starts := []int{2, 3, 4}
	for from := 5; from < 50_000_000; from *= 10 {
		starts = append(starts, from, 2*from)
	}
	groups, documents := make([]int, len(starts)), make([]int, len(starts))
	for _, s := range sizes {
		at, is := slices.BinarySearch(starts, s.Size)
		if !is {
			at--
		}
		if at >= 0 {
			groups[at] += s.Groups
			documents[at] += s.Groups * (s.Size - 1)
		}
	}
	t := &Table{Title: caption, Columns: []string{"documents in a group", "groups", others}}
	for i, from := range starts {
		name, to := terminal.Thousands(from), math.MaxInt
		if i+1 == len(starts) {
			name += " or more"
		} else if to = starts[i+1] - 1; to > from {
			name += " to " + terminal.Thousands(to)
		}
		if groups[i] > 0 {
			t.Add(name, Wide(H("%s", groups[i]), Bar(groups[i], slices.Max(groups))), documents[i])
		}
	}
	return If(len(t.Rows) > 0, t.HTML("small"))
}

// What a page shows of groups of pictures. A small copy has 3 to 15 KB, so that the page has 4 MB at most.
const (
	PictureSide     = 240 // pixels of a small copy, in the longer direction
	PicturedGroups  = 30  // the first ones
	PicturesOfGroup = 5   // the first ones
)

// Picture returns a small picture with all of it, so that a page needs no other file, or nothing if it is no JPEG.
func Picture(small []byte) HTML {
	return If(bytes.HasPrefix(small, []byte("\xff\xd8\xff")), `<img src="data:image/jpeg;base64,`+HTML(base64.StdEncoding.EncodeToString(small))+`" alt="">`)
}

// Bar returns the length of a bar for n of all, in per cent. Only nothing has no bar.
func Bar(n, all int) float64 {
	if n <= 0 || all <= 0 {
		return 0
	}
	return min(100, max(1, 100*float64(n)/float64(all)))
}

// Share returns a share of all in per cent, as Percent does.
func Share(x float64) string { return Percent(int(x*1e4+.5), 1e4) }

// Percent returns a share in per cent with one digit behind the point. Only all is 100 %, and only nothing
// is 0 %. Its spaces do not break lines.
func Percent(n, all int) string {
	x := 100 * float64(n) / float64(max(1, all, n))
	switch {
	case n == 0 || x == 100:
		return fmt.Sprintf("%.0f\u00a0%%", x)
	case x < 0.1:
		return "<\u00a00.1\u00a0%"
	case x > 99.9:
		return ">\u00a099.9\u00a0%"
	}
	return fmt.Sprintf("%.1f\u00a0%%", x)
}
