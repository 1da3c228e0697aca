package explain

import "simsearch/internal/ground/ints"

// A Verdict says in a word what two texts are to each other. The first that holds counts.
type Verdict string

// The verdicts.
const (
	Same      Verdict = "same"      // equal but for case, punctuation and white space
	Part      Verdict = "part"      // the words of one are in the other, which has more
	Form      Verdict = "form"      // near, and they differ in facts of Content
	Copy      Verdict = "copy"      // near
	Different Verdict = "different" // not near
)

const (
	partInside = 0.95 // the least share of the words of the smaller text that the larger one has
	partSize   = 0.8  // the largest size of the smaller one, in sizes of the larger one, unless passages are more:
	brokenBy   = 4    // as many words for each run that the larger one lacks, where a passage breaks two, and alteredWords
)

// VerdictOf returns the verdict on two texts, and the kinds of facts in which they differ. near says that they are
// near by whatever was asked; texts of few words that do not differ in facts are near, too.
func VerdictOf(a, b string, near bool) (Verdict, FactKinds) {
	x, y := Read([]byte(a)), Read([]byte(b))
	kinds := x.Differ(&y)
	if kinds&Order == 0 && Reordered(a, b) {
		kinds |= Order
	}
	if a == b {
		return Same, kinds
	}
	few := x.Few() && y.Few()
	near = near || few && kinds&Content == 0
	part := false
	if near && !few {
		one, other := ordered(a), ordered(b)
		if len(one.set) > len(other.set) {
			one, other = other, one
		}
		n, broken := float64(len(one.set)), len(one.runs)-ints.Shared(one.runs, other.runs)
		has := n <= partSize*float64(len(other.set)) || len(other.words)-len(one.words) >= max(alteredWords, brokenBy*broken)
		part = has && float64(ints.Shared(one.set, other.set)) >= partInside*n
		if kinds&Negations != 0 { // which must stand before or behind the part
			part = part && broken == 0
		}
	}
	return x.verdict(&y, kinds, near, part), kinds
}

// VerdictByFacts is VerdictOf for near texts of which the facts are known. part says that one has been found inside
// the other.
func VerdictByFacts(a, b Facts, part bool) Verdict {
	x, y := Said{Facts: a}, Said{Facts: b}
	return x.verdict(&y, x.Differ(&y), true, part)
}

func (s *Said) verdict(other *Said, kinds FactKinds, near, part bool) Verdict {
	switch {
	case kinds == 0 && s.Facts[sequence] != 0 && s.Facts[bag] == other.Facts[bag], kinds == 0 && s.Few() && letters(s.text) == letters(other.text):
		return Same
	case part:
		return Part
	case !near:
		return Different
	case kinds&Content != 0:
		return Form
	}
	return Copy
}
