package report

import (
	"math"
	"reflect"

	"simsearch/internal/terminal"
)

// Verb returns one form of a verb for one thing, and the other for several.
func Verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// is returns the verb for so many things.
func is(n int) string { return Verb(n, "is", "are") }

// inTwo returns a list in parts: what is shown at once, and what is shown on demand.
func inTwo(list any, shown int) []any {
	if n := reflect.ValueOf(list).Len(); n > shown+1 {
		return []any{Elements(list, 0, shown), Elements(list, shown, n)}
	}
	return []any{list}
}

// Elements returns the elements of a list from one place, before another.
func Elements(list any, from, to int) any {
	v := reflect.ValueOf(list)
	return v.Slice(from, min(to, v.Len())).Interface()
}

// A Share is a part of a whole, drawn as a part of a bar. From and Width are in per cent of the whole.
type Share struct {
	Text, Class string
	From, Width float64
}

// Shares returns the parts of all that are not empty: what stays, what is gone as it is elsewhere, and what is gone as near.
func Shares(all int, stay string, staying int, same string, exact int, like string, near int) (list []Share) {
	from := 0.0
	for _, s := range []struct {
		name, class string
		n           int
	}{{stay, "kept", staying}, {same, "exact", exact}, {like, "near", near}} {
		if s.n > 0 {
			width := min(100, 100*float64(s.n)/float64(all))
			list = append(list, Share{s.name + " " + Percent(s.n, all), s.class, from, width})
			from += width
		}
	}
	return list
}

// Bins say how near documents are to the ones that they are compared with, as a plot and as a table.
type Bins struct {
	Title, Caption string // of the plot, and of the table
	Measure        string // the heading of its column
	Plot           *Plot
	Rows           []BinRow // those that are not empty

	bars [][2]float64
}

// A BinRow is a bin of a table.
type BinRow struct {
	Name      string
	Documents int
}

// Add appends a bin, drawn as a bar around its middle.
func (b *Bins) Add(name string, middle float64, documents int) {
	b.bars = append(b.bars, [2]float64{middle, float64(documents)})
	if documents > 0 {
		b.Rows = append(b.Rows, BinRow{name, documents})
	}
}

// Drawn reports whether there is a bin.
func (b *Bins) Drawn() bool { return len(b.bars) > 0 }

// Draw makes the plot, with bars of a width and a line across it that has a name.
func (b *Bins) Draw(x Axis, y string, width float64, name string, line float64) {
	b.Plot = Histogram(b.Title, x, Axis{Name: y, Whole: true}, b.bars, width)
	b.Plot.Upright(name, line)
}

// A Size says how many groups have that many documents.
type Size struct {
	Size   int `json:"size"`
	Groups int `json:"groups"`
}

// Sizes are a table of sizes of groups.
type Sizes struct {
	Caption, Others string // of the table, and of the documents beside the first of each group
	Classes         []SizeClass
}

// A SizeClass is some sizes of groups.
type SizeClass struct {
	Name              string
	Groups, Documents int // Documents without the first of each group
	Bar               float64
}

// SizesOf returns how many groups there are of each size. Large sizes are put together.
func SizesOf(sizes []Size, caption, others string) Sizes {
	starts := []int{2, 3, 4}
	for from := 5; from < 50_000_000; from *= 10 {
		starts = append(starts, from, 2*from)
	}
	list := Sizes{Caption: caption, Others: others}
	most := 1
	for i, from := range starts {
		c, to := SizeClass{Name: terminal.Thousands(from)}, math.MaxInt
		switch {
		case i+1 == len(starts):
			c.Name += " or more"
		case starts[i+1] > from+1:
			c.Name += " to " + terminal.Thousands(starts[i+1]-1)
			fallthrough
		default:
			to = starts[i+1] - 1
		}
		for _, s := range sizes {
			if from <= s.Size && s.Size <= to {
				c.Groups += s.Groups
				c.Documents += s.Groups * (s.Size - 1)
			}
		}
		if c.Groups > 0 {
			most = max(most, c.Groups)
			list.Classes = append(list.Classes, c)
		}
	}
	for i := range list.Classes {
		list.Classes[i].Bar = Bar(list.Classes[i].Groups, most)
	}
	return list
}
