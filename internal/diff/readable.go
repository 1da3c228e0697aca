package diff

import "strings"

// Readable returns runs in which a few equal words between larger differences count as different, since
// people read one long difference more easily than many with a word such as "the" between them. Equal
// words are taken so if the longer text of the difference before them and that of the one behind them
// have at least twice as many bytes. What Words promises of its runs holds, except that equal words are
// not as many as possible. runs must be those of Words.
func Readable(runs []Run) []Run {
	// The stack has changes and, between them, what is equal.
	var stack []change
	for _, c := range changes(runs) {
		stack = append(stack, c)
		for n := len(stack); n >= 3; n = len(stack) {
			before, equal, behind := stack[n-3], stack[n-2], stack[n-1]
			if !equal.equal || 2*equal.size() > min(before.size(), behind.size()) {
				break
			}
			before.deleted = append(append(before.deleted, equal.deleted...), behind.deleted...)
			before.inserted = append(append(before.inserted, equal.inserted...), behind.inserted...)
			stack = append(stack[:n-3], before)
		}
	}
	var out []Run
	for _, c := range stack {
		a, b := strings.Join(c.deleted, ""), strings.Join(c.inserted, "")
		switch {
		case c.equal:
			out = append(out, Run{Equal, a, b})
			continue
		case a != "":
			out = append(out, Run{Kind: Deleted, A: a})
		}
		if b != "" {
			out = append(out, Run{Kind: Inserted, B: b})
		}
	}
	return out
}

// A change is a deletion together with an insertion in its place or, if equal is set, an equal run.
type change struct {
	equal             bool
	deleted, inserted []string // texts of A and of B
}

// size returns the number of bytes of the longer text, without the white space around its pieces.
func (c change) size() int {
	size := func(pieces []string) (n int) {
		for _, s := range pieces {
			n += len(strings.TrimSpace(s))
		}
		return n
	}
	return max(size(c.deleted), size(c.inserted))
}

// changes puts together what replaces each other.
func changes(runs []Run) []change {
	var out []change
	for _, r := range runs {
		last := len(out) - 1
		switch r.Kind {
		case Equal:
			out = append(out, change{true, []string{r.A}, []string{r.B}})
		case Deleted:
			out = append(out, change{deleted: []string{r.A}})
		case Inserted:
			if last < 0 || out[last].equal {
				out = append(out, change{})
				last++
			}
			out[last].inserted = append(out[last].inserted, r.B)
		}
	}
	return out
}
