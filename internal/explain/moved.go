package explain

import (
	"fmt"
	"strings"

	"simsearch/internal/passages"
	"simsearch/internal/terminal"
)

// A Move is a passage that stands elsewhere among the others in the second of two texts. It has where both texts have it, in bytes,
// the words of the longer side, and how many of these are changed.
type Move struct {
	A     [2]int `json:"a"`
	B     [2]int `json:"b"`
	Words int    `json:"words"`
	Edits int    `json:"edits"`

	begins string // its first words in A
}

// moving are the bounds of passages that are looked for.
var moving = passages.Bounds{Words: 20, Edits: 0.15}

// Moved returns the passages of two texts that stand elsewhere. Those with most words that follow each other in the same order in
// both stand where they were, and so does what these have for the greater part. Texts that are too long for a comparison by words
// have none.
func Moved(a, b string) (moves []Move) {
	if len(a)+len(b) > wordBytes {
		return nil
	}
	x, y := passages.NewText([]byte(a)), passages.NewText([]byte(b))
	found := passages.NewQuery(x, moving).Find(y)
	if len(found) < 2 {
		return nil
	}
	stays := heaviest(found)
	left, right := make([]bool, len(x.Words)), make([]bool, len(y.Words)) // words of passages that stay
	for i, p := range found {
		if stays[i] {
			mark(left[p.Query[0]:p.Query[1]])
			mark(right[p.Document[0]:p.Document[1]])
		}
	}
	for i, p := range found {
		if stays[i] || mostly(left[p.Query[0]:p.Query[1]]) || mostly(right[p.Document[0]:p.Document[1]]) {
			continue
		}
		m := Move{Words: p.Words, Edits: p.Edits}
		m.A[0], m.A[1] = x.Bytes(p.Query[0], p.Query[1])
		m.B[0], m.B[1] = y.Bytes(p.Document[0], p.Document[1])
		m.begins = firstWords(a[m.A[0]:m.A[1]])
		moves = append(moves, m)
		mark(left[p.Query[0]:p.Query[1]])
		mark(right[p.Document[0]:p.Document[1]])
	}
	return moves
}

// heaviest returns which passages, in the order of the first text, are in the same order in the second one and have the most words
// together.
func heaviest(found []passages.Passage) (in []bool) {
	words, before := make([]int, len(found)), make([]int, len(found))
	last := 0
	for i, p := range found {
		words[i], before[i] = p.Words, -1
		for j, o := range found[:i] {
			if o.Query[1] <= p.Query[1] && o.Document[0] <= p.Document[0] && o.Document[1] <= p.Document[1] && words[j]+p.Words > words[i] {
				words[i], before[i] = words[j]+p.Words, j
			}
		}
		if words[i] > words[last] {
			last = i
		}
	}
	in = make([]bool, len(found))
	for ; last >= 0; last = before[last] {
		in[last] = true
	}
	return in
}

func mark(words []bool) {
	for i := range words {
		words[i] = true
	}
}

// mostly reports whether half of the words or more are marked.
func mostly(words []bool) bool {
	n := 0
	for _, is := range words {
		if is {
			n++
		}
	}
	return 2*n >= len(words)
}

// Line says what has moved, and where.
func (m Move) Line(s Style) string {
	edits := ""
	if m.Edits > 0 {
		edits = ", " + terminal.Plural(m.Edits, "edit")
	}
	words := terminal.Plural(m.Words, "word")
	return strings.TrimRight(fmt.Sprintf("%s%s%s, from byte %d of A to byte %d of B: %s", s.Indent, words, edits, m.A[0], m.B[0], m.begins), " ")
}
