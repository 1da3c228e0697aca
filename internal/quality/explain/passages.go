package explain

import (
	"fmt"
	"strings"
	"unicode"

	"simsearch/internal/ground/terminal"
)

const (
	// contextColumns is how many columns of equal words are shown at each side of a difference.
	contextColumns = 40
	// changeColumns is how many columns of a long difference are shown.
	changeColumns = 240
)

// A Change is one place where two texts differ. Its texts have single spaces, and an ellipsis where
// something is left out.
type Change struct {
	Before string `json:"before"` // some equal words before it
	A      string `json:"a"`      // what A has, "" if B adds something
	B      string `json:"b"`      // what B has, "" if A does
	After  string `json:"after"`  // some equal words behind it
}

// Differences are the places where two texts differ.
type Differences struct {
	Changes []Change
	More    int       // changes that are left out
	Remarks []string  // what readers should not miss, one sentence each
	Facts   FactKinds // in which the texts differ
	Verdict Verdict   // on near texts

	passages []string // of one change or some that are near one another, with the signs of a tone
}

// Signs in passages that say which tone begins. No text has them.
const (
	plain    = "\x01"
	deleted  = "\x02"
	inserted = "\x03"
)

// CompareTexts returns the first changes, up to a limit, from a to b. With a limit of 0 it returns remarks alone.
func CompareTexts(a, b string, limit int) Differences {
	runs, folded := runsOf(a, b)
	places := placesOf(runs)
	ofA, ofB := FactsOf([]byte(a)), FactsOf([]byte(b))
	d := Differences{Remarks: remarks(a, b, ofA, ofB, places, folded), More: max(0, len(places)-limit)}
	if d.Verdict, d.Facts = VerdictOf(a, b, true); d.Facts&Order != 0 {
		which := "most words"
		if ofA.Differ(ofB)&Order != 0 {
			which = "the words"
		}
		d.Remarks = append(d.Remarks, which+" are the same, in another order")
	}
	passage := ""
	for i, p := range places[:len(places)-d.More] {
		c := Change{lastWords(p.before), middle(p.a), middle(p.b), firstWords(p.after)}
		last := i+1 == len(places)-d.More
		if last && d.More > 0 {
			c.After = strings.TrimSuffix(c.After, " "+ellipsis) + " " + ellipsis
		}
		d.Changes = append(d.Changes, c)
		if passage == "" {
			passage = c.Before + spaceIf(endsInSpace(p.before))
		}
		behind := endsInSpace(p.b) || p.b == "" && endsInSpace(p.a)
		if c.A != "" {
			between := p.before == "" || endsInSpace(p.before) || endsInSpace(p.a)
			passage += deleted + "[-" + c.A + "-]" + plain + spaceIf(c.B != "" && between || c.B == "" && behind)
		}
		if c.B != "" {
			passage += inserted + "{+" + c.B + "+}" + plain + spaceIf(behind)
		}
		if all := terminal.OneLine(p.after[:min(len(p.after), nearBytes)]); !last && len(p.after) < 16*contextColumns && terminal.Columns(all) <= 2*contextColumns {
			passage += all + spaceIf(endsInSpace(p.after))
			continue
		}
		d.passages = append(d.passages, passage+c.After)
		passage = ""
	}
	return d
}

func spaceIf(is bool) string {
	if is {
		return " "
	}
	return ""
}

// runsOf returns the readable runs of two texts. folded says that case does not count in them, since that has
// much more in common: one of the texts is in capitals, for example.
func runsOf(a, b string) (runs []Run, folded bool) {
	runs = wordRuns(a, b, false)
	if n := inCommon(runs); n < min(len(a), len(b))/2 {
		if other := wordRuns(a, b, true); inCommon(other) > 2*n {
			runs, folded = other, true
		}
	}
	return readable(a, b, runs), folded
}

// Runs returns the whole texts a and b as runs, whose texts joined are a and b. They are the differences
// of which CompareTexts shows passages. In texts of which one is in capitals, for example, case does not count.
func Runs(a, b string) []Run {
	runs, _ := runsOf(a, b)
	return runs
}

// inCommon returns how many bytes are equal.
func inCommon(runs []Run) (bytes int) {
	for _, r := range runs {
		if r.Equal {
			bytes += len(r.A)
		}
	}
	return bytes
}

// A place is a difference with the equal texts around it.
type place struct{ before, a, b, after string }

// placesOf returns the differences of runs.
func placesOf(runs []Run) (out []place) {
	for i, r := range runs {
		if r.Equal {
			continue
		}
		p := place{a: r.A, b: r.B}
		if i > 0 {
			p.before = runs[i-1].B
		}
		if i+1 < len(runs) {
			p.after = runs[i+1].B
		}
		out = append(out, p)
	}
	return out
}

func endsInSpace(s string) bool {
	return s != "" && strings.TrimRightFunc(s[max(0, len(s)-4):], unicode.IsSpace) != s[max(0, len(s)-4):]
}

// nearBytes is how many bytes of an equal text are looked at, which may be long.
const nearBytes = 64 * contextColumns

// lastWords returns the last words of an equal text.
func lastWords(s string) string {
	whole := terminal.OneLine(s[max(0, len(s)-nearBytes):])
	last := terminal.Last(whole, contextColumns)
	if last == whole && len(s) <= nearBytes {
		return whole
	}
	if _, words, ok := strings.Cut(last, " "); ok && words != "" && !strings.HasSuffix(whole[:len(whole)-len(last)], " ") {
		last = words
	}
	return ellipsis + " " + strings.TrimLeft(last, " ")
}

// firstWords returns the first words of an equal text.
func firstWords(s string) string {
	whole := terminal.OneLine(s[:min(len(s), nearBytes)])
	first := terminal.First(whole, contextColumns)
	if first == whole && len(s) <= nearBytes {
		return whole
	}
	if at := strings.LastIndexByte(first, ' '); at > 0 && !strings.HasPrefix(whole[len(first):], " ") {
		first = first[:at]
	}
	return strings.TrimRight(first, " ") + " " + ellipsis
}

// middle returns what differs, without its middle if it is long.
func middle(s string) string {
	const bytes = 32 * changeColumns
	head, tail := s, ""
	if len(s) > 2*bytes {
		head, tail = s[:bytes], s[len(s)-bytes:]
	}
	head, tail = terminal.OneLine(head), terminal.OneLine(tail)
	if tail == "" && terminal.Columns(head) <= changeColumns {
		return head
	}
	if tail == "" {
		tail = head
	}
	head, tail = terminal.First(head, changeColumns*2/3), terminal.Last(tail, changeColumns/3)
	if at := strings.LastIndexByte(head, ' '); at > 0 {
		head = head[:at]
	}
	if _, words, ok := strings.Cut(tail, " "); ok && words != "" {
		tail = words
	}
	left := len(strings.Fields(s)) - len(strings.Fields(head)) - len(strings.Fields(tail))
	if left < 2 {
		return head + " " + ellipsis + " " + tail
	}
	return fmt.Sprintf("%s %s %s %s %s", head, ellipsis, terminal.Plural(left, "word"), ellipsis, tail)
}

const ellipsis = "…"
