package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"simsearch/internal/quality/explain"
)

const (
	// rowBytes is how long a row of equal text may grow without a line end that both texts have. Then it
	// ends behind the next sentence, or at the next space if it is twice as long.
	rowBytes = 320
	// contextRows is how many equal rows are shown beside one with differences.
	contextRows = 2
	// foldedRows is the smallest number of rows that are folded.
	foldedRows = 3
)

// A block is some successive rows of two texts. If it is folded, they are equal, and shown on demand.
type block struct {
	Folded bool
	Rows   []row
}

// A row has parts of two texts that stand side by side.
type row struct {
	Same bool // no span is of a change
	A, B []span
}

// A span is a part of a text.
type span struct {
	Text   string
	Change int // counts from 1, the same for what replaces each other; 0: both texts have it
}

// blocks divides the runs of two texts into rows, and folds what is equal far from any change.
func blocks(runs []explain.Run) []block {
	var l layout
	for _, r := range runs {
		if r.Equal {
			l.equal(r.A, r.B)
			continue
		}
		l.changes++
		l.a.add(r.A, l.changes)
		l.b.add(r.B, l.changes)
		l.breakAtLine()
	}
	l.end()
	return fold(l.rows)
}

// A layout divides two texts into rows.
type layout struct {
	rows    []row
	a, b    side
	changes int
}

// A side is the part of one text that belongs to the row that grows.
type side struct {
	spans []span
	gap   string // white space behind them; at the beginning of a row, before them
	bytes int
}

// add appends a text, whose white space at its end becomes the gap.
func (s *side) add(text string, change int) {
	word := strings.TrimRightFunc(text, unicode.IsSpace)
	gap := text[len(word):]
	if word == "" {
		s.gap += gap
		return
	}
	if len(s.spans) == 0 {
		s.gap = lastLine(s.gap)
	}
	s.append(s.gap, 0)
	for line := range strings.Lines(word) {
		text := strings.TrimLeftFunc(line, unicode.IsSpace)
		s.append(line[:len(line)-len(text)], 0) // indentation is no change to look at
		s.append(text, change)
	}
	s.gap = gap
}

func (s *side) append(text string, change int) {
	if text == "" {
		return
	}
	s.bytes += len(text)
	if n := len(s.spans); n > 0 && s.spans[n-1].Change == change {
		s.spans[n-1].Text += text
		return
	}
	s.spans = append(s.spans, span{text, change})
}

// atLine reports whether the side is at the beginning of a line.
func (s *side) atLine() bool { return len(s.spans) == 0 || strings.Contains(s.gap, "\n") }

// next returns the spans and begins another row with the indentation of the line that follows.
func (s *side) next() []span {
	spans := s.spans
	*s = side{gap: lastLine(s.gap)}
	return spans
}

// lastLine returns what is behind the last line end.
func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// equal adds texts that are equal but for white space, and perhaps for case.
func (l *layout) equal(a, b string) {
	for a != "" && b != "" {
		wordA, wordB := words(a, b)
		if wordA == "" { // there is white space at the beginning
			wordA, wordB = space(a), space(b)
		}
		l.a.add(wordA, 0)
		l.b.add(wordB, 0)
		a, b = a[len(wordA):], b[len(wordB):]
		gapA, gapB := space(a), space(b)
		l.a.add(gapA, 0)
		l.b.add(gapB, 0)
		a, b = a[len(gapA):], b[len(gapB):]
		if gapA == "" || gapB == "" {
			continue
		}
		l.breakAtLine()
		if n := max(l.a.bytes, l.b.bytes); n > 2*rowBytes || n > rowBytes &&
			strings.ContainsAny(wordA[max(0, len(wordA)-1):], ".!?") {
			l.end()
			l.a.gap, l.b.gap = "", ""
		}
	}
	l.a.add(a, 0)
	l.b.add(b, 0)
}

// words returns the beginnings of a and b up to the first white space of either, with the same number of
// characters.
func words(a, b string) (string, string) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, n := utf8.DecodeRuneInString(a[i:])
		y, m := utf8.DecodeRuneInString(b[j:])
		if unicode.IsSpace(x) || unicode.IsSpace(y) {
			break
		}
		i, j = i+n, j+m
	}
	return a[:i], b[:j]
}

// space returns the white space at the beginning of s.
func space(s string) string { return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))] }

// breakAtLine ends the row if both texts are at the beginning of a line.
func (l *layout) breakAtLine() {
	if l.a.atLine() && l.b.atLine() {
		l.end()
	}
}

// end ends the row, if it has anything.
func (l *layout) end() {
	if len(l.a.spans)+len(l.b.spans) == 0 {
		return
	}
	r := row{Same: true, A: l.a.next(), B: l.b.next()}
	for _, spans := range [][]span{r.A, r.B} {
		for _, s := range spans {
			r.Same = r.Same && s.Change == 0
		}
	}
	l.rows = append(l.rows, r)
}

// fold returns the rows in blocks. Equal rows are folded, unless they are near to a change or few.
func fold(rows []row) []block {
	shown := make([]bool, len(rows))
	for i, r := range rows {
		if !r.Same {
			for j := max(0, i-contextRows); j < min(len(rows), i+contextRows+1); j++ {
				shown[j] = true
			}
		}
	}
	var out []block
	for i := 0; i < len(rows); {
		from := i
		for i < len(rows) && shown[i] == shown[from] {
			i++
		}
		folded := !shown[from] && i-from >= foldedRows
		if n := len(out); n > 0 && !folded && !out[n-1].Folded {
			out[n-1].Rows = append(out[n-1].Rows, rows[from:i]...)
		} else {
			out = append(out, block{folded, rows[from:i]})
		}
	}
	return out
}
