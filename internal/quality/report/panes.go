package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
	"simsearch/internal/quality/explain"
)

// A Side is what a page shows of one of two that share passages: a document, or several that have them.
type Side struct {
	Name, Link string // the link is to a page about it, or ""
	Share      float64
	Label      string // in place of the share; or ""
	Documents  []ShownText
}

// A ShownText is a document in parts.
type ShownText struct {
	ID    string
	Code  bool // it is a source
	Parts []Part
}

// A Part of a text lies in a passage, or in none. Its text ends before the next part.
type Part struct {
	Text    string
	Passage int   // from 1; 0 is none
	Begins  []int // passages
	Changed bool  // the other text has other words
	Left    int   // characters that are not shown, instead of a text
}

// panes returns the sides of a pair, which has a number on its page, beside each other.
func panes(sides []Side, pair string) HTML {
	var b Builder
	for i, s := range sides {
		here, there := "ab"[i:i+1], "ba"[i:i+1]
		b.Add(`<div class="%s"><h3><strong>%s</strong> <bdi>%s</bdi></h3>
<div class="pane" tabindex="0" role="group" aria-label="%s">`, here, cmp.Or(s.Label, Share(s.Share)), Link(Path(s.Name), s.Link), s.Name)
		for _, d := range s.Documents {
			b.Add(`%s<div class="text%s">`, If(d.ID != s.Name, H("<h4><bdi>%s</bdi></h4>", Path(d.ID))), If(d.Code, " code"))
			for _, p := range d.Parts {
				b.Add(p.markup(pair, here, there))
			}
			b.Add("</div>")
		}
		b.Add("</div></div>\n")
	}
	return H("<div class=\"panes\">\n%s</div>\n", b.HTML())
}

// markup returns the part, which leads from here to the same passage there.
func (p *Part) markup(pair, here, there string) HTML {
	if p.Left > 0 {
		return H(`<span class="cut">… %s …</span>`, terminal.Plural(p.Left, "character"))
	}
	var begins Builder
	for _, n := range p.Begins {
		begins.Add(`<span id="p%s-%s-%s" class="start"></span>`, pair, here, strconv.Itoa(n))
	}
	text, changed, n := Text(p.Text), If(p.Changed, " changed"), strconv.Itoa(p.Passage)
	switch {
	case p.Passage == 0:
	case strings.TrimSpace(p.Text) == "": // nothing to read or to follow
		text = H(`<span class="passage%s">%s</span>`, changed, text)
	default:
		text = H(`<a class="passage%s" data-n="%s" href="#p%s-%s-%s">%s</a>`, changed, n, pair, there, n, text)
	}
	return begins.HTML() + text
}

// around is how many bytes are shown on both sides of a passage of texts that are cut.
const around = 400

// A Marked text says of each byte which passage has it, the first one, and whether it is changed.
type Marked struct {
	raw     []byte
	of      []int
	changed []bool
	begins  map[int][]int // passages, by their first byte
}

// NewMarked returns a text without passages.
func NewMarked(raw []byte) *Marked {
	return &Marked{raw, make([]int, len(raw)), make([]bool, len(raw)), map[int][]int{}}
}

// MarkBoth marks a passage, from 1 on, of two texts: where it lies in each, in bytes, the end exclusive.
func MarkBoth(a, b *Marked, passage int, inA, inB [2]int) {
	changedA, changedB := changes(string(a.raw[inA[0]:inA[1]]), string(b.raw[inB[0]:inB[1]]))
	a.mark(passage, inA, changedA)
	b.mark(passage, inB, changedB)
}

// changes returns which bytes of two passages are words that the other one does not have there.
func changes(a, b string) (inA, inB []bool) {
	inA, inB = make([]bool, 0, len(a)), make([]bool, 0, len(b))
	for _, r := range explain.Runs(a, b) {
		differ := !r.Equal && !slices.Equal(sequences.NewText([]byte(r.A)).Words, sequences.NewText([]byte(r.B)).Words)
		inA, inB = appendWords(inA, r.A, differ), appendWords(inB, r.B, differ)
	}
	return inA, inB
}

// appendWords appends, for each byte of a text, whether it is of its words, without space around them, if is is set.
func appendWords(dst []bool, text string, is bool) []bool {
	from := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	to := len(strings.TrimRight(text, " \t\r\n"))
	for i := range len(text) {
		dst = append(dst, is && i >= from && i < to)
	}
	return dst
}

func (m *Marked) mark(passage int, span [2]int, changed []bool) {
	m.begins[span[0]] = append(m.begins[span[0]], passage)
	for i := span[0]; i < span[1]; i++ {
		if m.of[i] == 0 {
			m.of[i] = passage
			if i-span[0] < len(changed) {
				m.changed[i] = changed[i-span[0]]
			}
		}
	}
}

// Unmark makes a span, in bytes, no part of a passage.
func (m *Marked) Unmark(span [2]int) {
	clear(m.of[span[0]:span[1]])
	clear(m.changed[span[0]:span[1]])
}

// Parts returns the text in parts. Of what lies in no passage, cut leaves out what is not near one.
func (m *Marked) Parts(cut bool) (parts []Part) {
	for from := 0; from < len(m.raw); {
		to := from + 1
		for to < len(m.raw) && m.of[to] == m.of[from] && m.changed[to] == m.changed[from] && m.begins[to] == nil {
			to++
		}
		p := Part{Passage: m.of[from], Begins: m.begins[from], Changed: m.changed[from]}
		if head, tail := around, around; cut && p.Passage == 0 && to-from > 3*around {
			if from == 0 {
				head = 0
			}
			if to == len(m.raw) {
				tail = 0
			}
			parts = append(parts, Part{Text: valid(m.raw[from : from+head])},
				Part{Left: utf8.RuneCount(m.raw[from+head : to-tail])},
				Part{Text: valid(m.raw[to-tail : to])})
		} else {
			p.Text = valid(m.raw[from:to])
			parts = append(parts, p)
		}
		from = to
	}
	return parts
}

// valid returns a text without bytes that are no character, such as the rest of one that is cut.
func valid(text []byte) string { return strings.ToValidUTF8(string(text), "") }
