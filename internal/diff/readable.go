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
			before.take(equal)
			before.take(behind)
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
	a, b              int      // bytes of these, each without the white space around it
}

// size returns the number of bytes of the longer text, without the white space around its pieces.
func (c *change) size() int { return max(c.a, c.b) }

// delete and insert append a text.
func (c *change) delete(text string) {
	c.deleted, c.a = append(c.deleted, text), c.a+len(strings.TrimSpace(text))
}

func (c *change) insert(text string) {
	c.inserted, c.b = append(c.inserted, text), c.b+len(strings.TrimSpace(text))
}

// take appends the texts of other.
func (c *change) take(other change) {
	c.deleted, c.a = append(c.deleted, other.deleted...), c.a+other.a
	c.inserted, c.b = append(c.inserted, other.inserted...), c.b+other.b
}

// changes puts together what replaces each other.
func changes(runs []Run) []change {
	var out []change
	for i, r := range runs {
		if i == 0 || r.Kind != Inserted || runs[i-1].Kind != Deleted {
			out = append(out, change{equal: r.Kind == Equal})
		}
		c := &out[len(out)-1]
		if r.Kind != Inserted {
			c.delete(r.A)
		}
		if r.Kind != Deleted {
			c.insert(r.B)
		}
	}
	return out
}
