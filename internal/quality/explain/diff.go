package explain

import (
	"strings"

	"znkr.io/diff"
)

// Two texts are compared word by word. A word is one of Unicode's rules (UAX #29) as it stands,
// so that case counts. A sign of punctuation is a word, too. White space belongs to the word before it:
// it is part of the result, but it is not compared, so that a text that is only wrapped otherwise has no
// differences.

// A Run is a number of successive words that two texts have in common, or in which they differ. A and B are parts of
// the texts, with their white space. In an equal run they have the same words; in another, one may be empty.
type Run struct {
	Equal bool
	A, B  string
}

const (
	// work bounds what is spent on best comparisons: the sum over them of the square of the number of
	// words. A unit takes 1.5 ns at most, and far less if the texts are near.
	work = 1 << 29
	// wordBytes is the largest sum of bytes of two texts that are divided into words at all. A word
	// takes some 70 bytes of memory meanwhile.
	wordBytes = 16 << 20
)

// wordRuns returns the runs of a and b, in order: A of all of them joined is a, and B is b. None is empty, and equal
// ones and others alternate. If fold is set, words that differ in upper and lower case alone are equal.
//
// Of texts that have up to 23,000 words together, the equal words are as many as possible. Longer texts
// are first divided at lines and words that occur once in each, and what lies between is compared as well
// as possible, as long as this takes less than a second or so. What is left then, and what has more than
// 16 MiB, differs as a whole.
func wordRuns(a, b string, fold bool) []Run {
	d := differ{work: work, fold: fold}
	d.compare(a, b, lineUnits, wordUnits)
	return cut(a, b, d.parts)
}

// A differ gathers the parts of two texts.
type differ struct {
	parts []part
	work  int  // what is left
	fold  bool // case does not count
}

// A part is a part of two texts, given by its lengths.
type part struct {
	equal bool
	a, b  int
}

// compare compares two texts by words, if that is not too much. Otherwise it divides them at those units that occur
// once in each, and compares what lies between.
func (d *differ) compare(a, b string, rough ...func(string) units) {
	mayBeWords := len(a)+len(b) <= wordBytes
	if mayBeWords {
		if x, y := wordUnits(a), wordUnits(b); d.affords(x, y) {
			d.between(x, y, diff.Minimal(), func(a, b string) { d.add(false, a, b) })
			return
		}
	}
	if len(rough) == 0 || len(rough) == 1 && !mayBeWords {
		d.add(a == b, a, b)
		return
	}
	d.between(rough[0](a), rough[0](b), diff.Fast(), func(a, b string) { d.compare(a, b, rough[1:]...) })
}

// affords reports whether x and y may be compared as well as possible, and takes the work from what is left.
func (d *differ) affords(x, y units) bool {
	if len(x.ends) == 1 || len(y.ends) == 1 {
		return true // nothing to compare
	}
	n := len(x.ends) + len(y.ends)
	if n > d.work/n {
		return false
	}
	d.work -= n * n
	return true
}

// between adds the equal units of x and y, and calls differ with the texts between them, in order.
func (d *differ) between(x, y units, how diff.Option, differ func(a, b string)) {
	ids := make(map[string]int32, len(x.ends))
	doneX, doneY := 0, 0
	for _, h := range diff.Hunks(x.numbers(ids, d.fold), y.numbers(ids, d.fold), how, diff.Context(0)) {
		d.add(true, x.span(doneX, h.PosX), y.span(doneY, h.PosY))
		differ(x.span(h.PosX, h.EndX), y.span(h.PosY, h.EndY))
		doneX, doneY = h.EndX, h.EndY
	}
	d.add(true, x.span(doneX, len(x.ends)), y.span(doneY, len(y.ends)))
}

// add adds a part, joined with the last one if both are equal or both differ.
func (d *differ) add(equal bool, a, b string) {
	if len(a)+len(b) == 0 {
		return
	}
	last := len(d.parts) - 1
	if last < 0 || d.parts[last].equal != equal {
		d.parts = append(d.parts, part{equal: equal})
		last++
	}
	d.parts[last].a += len(a)
	d.parts[last].b += len(b)
}

// cut returns the parts of a and b as runs.
func cut(a, b string, parts []part) []Run {
	var out []Run
	for _, p := range parts {
		out = append(out, Run{p.equal, a[:p.a], b[:p.b]})
		a, b = a[p.a:], b[p.b:]
	}
	return out
}

// readable returns the runs of a and b in which a few equal words between larger differences count as different, since
// people read one long difference more easily than many with a word such as "the" between them. Equal
// words are taken so if the longer text of the difference before them and that of the one behind them
// have at least twice as many bytes. What wordRuns promises of its runs holds, except that equal words are
// not as many as possible. runs must be those of wordRuns.
func readable(a, b string, runs []Run) []Run {
	var parts []part
	var sizes [][2]int // of the texts of each part, without the white space around the pieces that it is made of
	longer := func(i int) int { return max(sizes[i][0], sizes[i][1]) }
	for _, r := range runs {
		parts = append(parts, part{r.Equal, len(r.A), len(r.B)})
		sizes = append(sizes, [2]int{len(strings.TrimSpace(r.A)), len(strings.TrimSpace(r.B))})
		for last := len(parts) - 1; last >= 2 && !parts[last].equal && 2*longer(last-1) <= min(longer(last-2), longer(last)); last -= 2 {
			before := last - 2
			for i := last - 1; i <= last; i++ {
				parts[before].a, parts[before].b = parts[before].a+parts[i].a, parts[before].b+parts[i].b
				sizes[before][0], sizes[before][1] = sizes[before][0]+sizes[i][0], sizes[before][1]+sizes[i][1]
			}
			parts, sizes = parts[:last-1], sizes[:last-1]
		}
	}
	return cut(a, b, parts)
}
