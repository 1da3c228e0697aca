package copied

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"simsearch/internal/explain"
	"simsearch/internal/passages"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

var (
	//go:embed page.html.tmpl
	pageSource string
	//go:embed page.js
	pageScript string
)

var pages = report.Templates(pageSource, template.FuncMap{
	"first": func(list any) any { return report.Elements(list, 0, mostRows) },
	"share": func(x float64) string { return report.Percent(int(x*1e4+.5), 1e4) },
	"width": func(x float64) float64 { return 100 * x },
	"value": func(f report.Fact) any { return f.Value },
	"part": func(p part, pair int, side string) placed {
		return placed{p, pair, side, map[string]string{"a": "b", "b": "a"}[side]}
	},
})

const (
	mostRows  = 200     // pairs, groups and submissions that a page has of each
	mostShown = 100     // pairs with their texts
	mostBytes = 8 << 20 // of texts on a page, about
	longSide  = report.TextBytes
	around    = 400 // bytes on both sides of a passage that are shown of texts longer than longSide
)

// A view is what a page shows.
type view struct {
	*Report
	Shown []shown
}

// Found returns how many submissions share passages.
func (v *view) Found() (n int) {
	for _, g := range v.Groups {
		n += len(g)
	}
	return n
}

// Half returns how many submissions others have half of, or more.
func (v *view) Half() (n int) {
	for _, s := range v.Submissions {
		if s.Share >= .5 {
			n++
		}
	}
	return n
}

// Part and Alone return how many submissions others have less of, and how many share nothing.
func (v *view) Part() int  { return v.Found() - v.Half() }
func (v *view) Alone() int { return len(v.Submissions) - v.Found() }

// HasBase reports whether the base has words of a submission.
func (v *view) HasBase() bool {
	return slices.ContainsFunc(v.Submissions, func(s Submission) bool { return s.Base > 0 })
}

// Rows returns the pairs that are listed.
func (v *view) Rows() []pairRow {
	rows := make([]pairRow, min(mostRows, len(v.Pairs)))
	for i := range rows {
		rows[i].Pair = &v.Pairs[i]
		if i < len(v.Shown) {
			rows[i].Number = i + 1
		}
	}
	return rows
}

// A pairRow is a row of the list of pairs. The number is that of its texts, or 0.
type pairRow struct {
	*Pair
	Number int
}

// A shown is a pair with its texts side by side.
type shown struct {
	*Pair
	Number, Previous, Next int // 0: there is none
	Sides                  []side
}

// A side is what is shown of one submission: the documents that have passages.
type side struct {
	Class, Name string
	Share       float64
	Documents   []shownText
}

// A shownText is a document in parts.
type shownText struct {
	ID    string
	Parts []part
}

// A part of a text lies in a passage, or in none. Its text ends before the next part.
type part struct {
	Text    string `text:"lines"`
	Passage int    // from 1; 0 is none
	Begins  []int  // passages
	Changed bool   // the other text has other words
	Left    int    // characters that are not shown, instead of a text
}

// A placed part is one of a side of a pair.
type placed struct {
	part
	Pair        int
	Side, Other string
}

// writeHTML writes the report as one page that needs no other file and no network.
func (j *job) writeHTML(w io.Writer) error {
	v := view{Report: &j.report}
	bytes := 0
	for i := range j.report.Pairs[:min(mostShown, len(j.report.Pairs))] {
		if j.ctx.Err() != nil {
			break // what has called tells
		}
		s := j.show(&j.report.Pairs[i])
		if s.Number = i + 1; i > 0 {
			s.Previous, v.Shown[i-1].Next = i, i+1
		}
		v.Shown = append(v.Shown, s)
		if bytes += s.bytes(); bytes > mostBytes {
			break
		}
	}
	v = report.Harmless(v)
	return pages().ExecuteTemplate(w, "copied", &report.Page{Command: "simsearch pairs --passages", Title: v.title(), Script: true, More: pageScript, Of: &v,
		Foot: "report.json has these figures for programs, and pairs.jsonl all pairs with their passages."})
}

// title returns the title of the page.
func (v *view) title() string {
	if v.Shared == 0 {
		return fmt.Sprintf("None of %s share passages", terminal.Plural(len(v.Submissions), "submission"))
	}
	return fmt.Sprintf("%s of %s share passages", terminal.Thousands(v.Found()), terminal.Plural(len(v.Submissions), "submission"))
}

func (s *shown) bytes() (n int) {
	for _, side := range s.Sides {
		for _, d := range side.Documents {
			for _, p := range d.Parts {
				n += len(p.Text)
			}
		}
	}
	return n
}

// show returns a pair with its texts.
func (j *job) show(p *Pair) (s shown) {
	s.Pair = p
	s.Sides = []side{{Class: "a", Name: p.A, Share: p.AShare}, {Class: "b", Name: p.B, Share: p.BShare}}
	var marks [2]map[int]*marked
	for i := range marks {
		marks[i] = map[int]*marked{}
	}
	for n, x := range p.Passages {
		spans, at := [2][2]int{x.A, x.B}, p.texts[n]
		var raw, changed [2][]byte
		for i := range marks {
			text := j.texts[at[i]].Raw
			if marks[i][at[i]] == nil {
				marks[i][at[i]] = newMarked(text)
			}
			raw[i] = text[spans[i][0]:spans[i][1]]
		}
		changed[0], changed[1] = changes(string(raw[0]), string(raw[1]))
		for i := range marks {
			marks[i][at[i]].mark(n+1, spans[i], changed[i])
		}
	}
	for i, unit := range []int{p.a, p.b} {
		long := 0
		for at := range marks[i] {
			long += len(j.texts[at].Raw)
		}
		for _, at := range j.units[unit].texts {
			if m := marks[i][at]; m != nil {
				s.Sides[i].Documents = append(s.Sides[i].Documents, shownText{j.texts[at].id, m.parts(long > longSide)})
			}
		}
	}
	return s
}

// changes returns which bytes of two passages are words that the other one does not have there.
func changes(a, b string) (inA, inB []byte) {
	inA, inB = make([]byte, 0, len(a)), make([]byte, 0, len(b))
	for _, r := range explain.Runs(a, b) {
		differ := !r.Equal && !slices.Equal(passages.NewText([]byte(r.A)).Words, passages.NewText([]byte(r.B)).Words)
		inA, inB = appendWords(inA, r.A, differ), appendWords(inB, r.B, differ)
	}
	return inA, inB
}

// appendWords appends a byte for each of a text: 1 for those of its words, without space around them, if is is set, and else 0.
func appendWords(dst []byte, text string, is bool) []byte {
	from := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	to := len(strings.TrimRight(text, " \t\r\n"))
	for i := range len(text) {
		changed := byte(0)
		if is && i >= from && i < to {
			changed = 1
		}
		dst = append(dst, changed)
	}
	return dst
}

// A marked text says of each byte which passage has it, the first one, and whether it is changed.
type marked struct {
	raw     []byte
	of      []int
	changed []byte
	begins  map[int][]int // passages, by their first byte
}

func newMarked(raw []byte) *marked {
	return &marked{raw, make([]int, len(raw)), make([]byte, len(raw)), map[int][]int{}}
}

func (m *marked) mark(passage int, span [2]int, changed []byte) {
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

// parts returns the text in parts. Of what lies in no passage, cut leaves out what is not near one.
func (m *marked) parts(cut bool) (parts []part) {
	for from := 0; from < len(m.raw); {
		to := from + 1
		for to < len(m.raw) && m.of[to] == m.of[from] && m.changed[to] == m.changed[from] && m.begins[to] == nil {
			to++
		}
		p := part{Passage: m.of[from], Begins: m.begins[from], Changed: m.changed[from] == 1}
		if head, tail := around, around; cut && p.Passage == 0 && to-from > 3*around {
			if from == 0 {
				head = 0
			}
			if to == len(m.raw) {
				tail = 0
			}
			parts = append(parts, part{Text: valid(m.raw[from : from+head])}, part{Left: utf8.RuneCount(m.raw[from+head : to-tail])},
				part{Text: valid(m.raw[to-tail : to])})
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
