package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
)

// Shares returns a bar with the parts of all that are not empty, a name and a number each: what stays, what is gone as
// it is elsewhere, what is gone with the same words, if that is told apart, and what is gone as near.
func Shares(all int, parts ...any) HTML {
	var bar, list Builder
	from, classes := 0.0, []string{"kept", "exact", "near"}
	if len(parts) > 2*len(classes) {
		classes = []string{"kept", "exact", "words", "near"}
	}
	for i, class := range classes {
		if n := parts[2*i+1].(int); n > 0 {
			width := min(100, 100*float64(n)/float64(all))
			bar.Add(`<rect class="%s" x="%s" width="%s" height="10"/>`, class, fmt.Sprintf("%.3f", from),
				fmt.Sprintf("%.3f", width))
			list.Add(`<li class="%s">%s %s</li>`, class, parts[2*i], Percent(n, all))
			from += width
		}
	}
	return If(list.Len() > 0, H(`<div class="parts"><svg viewBox="0 0 100 10" preserveAspectRatio="none"
aria-hidden="true">%s</svg>
<ul>%s</ul></div>
`, bar.HTML(), list.HTML()))
}

// HowNear says how near documents are to the ones that they are compared with, by their similarity or by their
// distance in bits.
type HowNear struct {
	What, To   string // both are called, such as "removed documents" and "the one kept"
	ByDistance bool
	Limit      float64 // of what is near
	Bins       []Bin   // in ascending order
	Far        int     // documents that are not within Limit
	Why        string  // they are there all the same, in a sentence
	Borderline bool    // some are among borderline pairs
	Line       string  // what Limit is called; "" if it is the threshold
}

// A Bin says how many documents have a similarity, or a distance, from From to To. The two may be one.
type Bin struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Documents int     `json:"documents"`
}

// Either returns one text, or the other one if something is so, such as that near goes by distance.
func Either(so bool, text, other string) string {
	if so {
		return other
	}
	return text
}

// Threshold returns a threshold with two digits behind the point, or more if it has more.
func Threshold(x float64) string {
	if math.Abs(x*100-math.Round(x*100)) < 1e-9 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// Section returns a section with a plot and a table of the bins that are not empty. It has nothing else if all are.
func (n *HowNear) Section() *Section {
	either := func(similarity, distance string) string { return Either(n.ByDistance, similarity, distance) }
	measure := either("similarity to ", "distance from ") + n.To
	t := NewTable(strings.ToUpper(n.What[:1])+n.What[1:]+" by "+
		either("their similarity to ", "the distance of their fingerprints from that of ")+n.To+".",
		either("similarity", "distance"), "documents")
	width, line, name := 0.01, n.Limit, cmp.Or(n.Line, "threshold "+Threshold(n.Limit))
	if n.ByDistance {
		width, line, name = 1, n.Limit+0.5, fmt.Sprintf("k = %.0f", n.Limit)
	}
	var bars [][2]float64
	for _, b := range n.Bins {
		bin, middle := Threshold(b.From), b.From+width/2
		switch {
		case n.ByDistance:
			bin, middle = terminal.Plural(int(b.From), "bit"), b.From
		case len(bars) == 0 && b.Documents == 0 && b.To <= n.Limit: // the drawing begins where there is something
			continue
		case b.From < b.To: // one value is drawn as wide as the others
			width = b.To - b.From
			bin, middle = bin+" to "+Threshold(b.To), b.From+width/2
		}
		bars = append(bars, [2]float64{middle, float64(b.Documents)})
		if b.Documents > 0 {
			t.Add(bin, b.Documents)
		}
	}
	s := &Section{Name: "similarity", Title: "How " + either("similar ", "far ") + n.What + " are " +
		either("to ", "from ") + n.To, Link: either("Similarity", "Distance")}
	if len(t.Rows) == 0 {
		return s
	}
	plot := Histogram("How many "+n.What+" have which "+measure, Axis{Name: measure + either("", ", in bits"),
		Whole: n.ByDistance}, Axis{Name: n.What, Whole: true}, bars, width)
	plot.Upright(name, line)
	s.Body = plot.HTML() + If(n.Borderline,
		P("", "%s those to look at first: some of them are under “Borderline pairs”.",
			either("The least similar documents are", "Documents at the largest distance are"))) +
		If(n.Far > 0, P("", "%s %s %s than %s. %s", terminal.Plural(n.Far, "document"), Is(n.Far),
			either("less similar to ", "further from ")+n.To, either(Threshold(n.Limit), "k"), n.Why)) +
		Fold(false, "The same as a table", t.HTML("bins"))
	return s
}

// A Size says how many groups have that many documents.
type Size struct {
	Size   int `json:"size"`
	Groups int `json:"groups"`
}

// Sizes returns a table of how many groups there are of each size, and of the documents beside the first of each
// group. Large sizes are put together.
func Sizes(sizes []Size, caption, others string) HTML {
	starts := []int{2, 3, 4}
	for from := 5; from < 50_000_000; from *= 10 {
		starts = append(starts, from, 2*from)
	}
	groups, documents := make([]int, len(starts)), make([]int, len(starts))
	for _, s := range sizes {
		if next, _ := slices.BinarySearch(starts, s.Size+1); next > 0 {
			groups[next-1] += s.Groups
			documents[next-1] += s.Groups * (s.Size - 1)
		}
	}
	t := NewTable(caption, "documents in a group", "groups", others)
	for i, from := range starts {
		name := terminal.Thousands(from)
		if i+1 == len(starts) {
			name += " or more"
		} else if to := starts[i+1] - 1; to > from {
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
	return If(bytes.HasPrefix(small, []byte("\xff\xd8\xff")),
		`<img src="data:image/jpeg;base64,`+HTML(base64.StdEncoding.EncodeToString(small))+`" alt="">`)
}

// Bar returns the length of a bar for n of all, in per cent. Only nothing has no bar.
func Bar(n, all int) float64 {
	if n <= 0 || all <= 0 {
		return 0
	}
	return min(100, max(1, 100*float64(n)/float64(all)))
}

// PercentOf returns n of all in words, and in per cent.
func PercentOf(n, all int) string { return Percent(n, all) + " of " + terminal.Thousands(all) }

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
