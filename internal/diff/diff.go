// Package diff compares two texts word by word. A word is one of Unicode's rules (UAX #29) as it stands,
// so that case counts. A sign of punctuation is a word, too. White space belongs to the word before it:
// it is part of the result, but it is not compared, so that a text that is only wrapped otherwise has no
// differences.
package diff

import "znkr.io/diff"

// A Kind says in which of two texts a run of words is.
type Kind uint8

// The kinds of runs.
const (
	Equal    Kind = iota // in both
	Deleted              // in A only
	Inserted             // in B only
)

// A Run is a number of successive words of one kind. Its texts are parts of the texts that were compared,
// with their white space.
type Run struct {
	Kind Kind
	A    string // "" if inserted
	B    string // "" if deleted; has the words of A, if equal
}

const (
	// work bounds what is spent on best comparisons: the sum over them of the square of the number of
	// words. A unit takes 1.5 ns at most, and far less if the texts are near.
	work = 1 << 29
	// wordBytes is the largest sum of bytes of two texts that are divided into words at all. A word
	// takes some 70 bytes of memory meanwhile.
	wordBytes = 16 << 20
	// lineBytes is the sum of bytes from which texts are divided at lines first.
	lineBytes = 256 << 10
)

// Words returns the runs of a and b, in order: A of all of them joined is a, and B is b. None is empty, no
// two of a kind follow each other, and what is deleted comes before what is inserted in its place.
//
// Of texts that have up to 23,000 words together, the equal words are as many as possible. Longer texts
// are first divided at lines and words that occur once in each, and what lies between is compared as well
// as possible, as long as this takes less than a second or so. What is left then, and what has more than
// 16 MiB, differs as a whole.
func Words(a, b string) []Run { return compare(a, b, false) }

// FoldedWords is like Words, but words that differ in upper and lower case alone are equal.
func FoldedWords(a, b string) []Run { return compare(a, b, true) }

func compare(a, b string, fold bool) []Run {
	d := differ{work: work, fold: fold}
	d.texts(a, b)
	return d.runs(a, b)
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

// texts compares two texts, by lines first if they are long.
func (d *differ) texts(a, b string) {
	if len(a)+len(b) < lineBytes {
		d.words(a, b)
		return
	}
	d.between(linesOf(a), linesOf(b), diff.Fast(), d.words)
}

// words compares two texts by words, at those first that occur once in each if the texts are long.
func (d *differ) words(a, b string) {
	switch {
	case a == b:
		d.add(true, a, b)
	case len(a)+len(b) > wordBytes:
		d.add(false, a, b)
	default:
		x, y := wordsOf(a), wordsOf(b)
		if d.affords(x, y) {
			d.between(x, y, diff.Minimal(), d.whole)
		} else {
			d.between(x, y, diff.Fast(), d.rest)
		}
	}
}

// rest compares what lies between words that occur once in each text.
func (d *differ) rest(a, b string) {
	if x, y := wordsOf(a), wordsOf(b); d.affords(x, y) {
		d.between(x, y, diff.Minimal(), d.whole)
	} else {
		d.whole(a, b)
	}
}

// whole takes two texts to differ as a whole.
func (d *differ) whole(a, b string) { d.add(false, a, b) }

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

// runs returns the parts of a and b as runs.
func (d *differ) runs(a, b string) []Run {
	out := make([]Run, 0, 2*len(d.parts))
	for _, p := range d.parts {
		inA, inB := a[:p.a], b[:p.b]
		a, b = a[p.a:], b[p.b:]
		if p.equal {
			out = append(out, Run{Equal, inA, inB})
			continue
		}
		if inA != "" {
			out = append(out, Run{Kind: Deleted, A: inA})
		}
		if inB != "" {
			out = append(out, Run{Kind: Inserted, B: inB})
		}
	}
	return out
}
