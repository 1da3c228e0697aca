package report

import (
	"cmp"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/explain"
)

// TextBytes is how much of a text a page shows.
const TextBytes = 32 << 10

// Pairs are removed documents beside the ones kept for them, with the texts of both side by side.
type Pairs []*Pair

// A Pair is one of Pairs. Its texts may have several lines.
type Pair struct {
	ID, Kept, Nearness string
	A, B               string   // the texts of ID and Kept
	Cut                bool     // there is more of one of the texts at least
	PictureA, PictureB HTML     // in place of A and B, if there are both
	Differs            []string // facts in which the whole texts differ
	LabelA, LabelB     string   // what the two are called; "" stands for removed and kept
	Icon               HTML     // a small picture before the heading; or ""
	Heading            string   // before the title, such as a name that people know the pair by; or ""
	Figures            string   // how near the two are; "" if Nearness says all
	Link               string   // to a page about Kept; or ""
	Sides              []Side   // the texts with the passages that they share, in place of A and B; nil if all that differs is shown
	Unread             string   // why no texts are shown; "" if they are
	Asked              bool     // a person is asked whether the pair is right
	Noted              bool     // and may write a note
	Label              string   // the pair in what a person's marks are kept as, if that is not ID and Kept
	Stratum            int      // of a pair that is asked about

	Title   string
	Remarks []string
	blocks  []block
}

// Nearness returns what is said of how near two documents are: their distance in bits, or else their similarity.
func Nearness(similarity float64, distance *int) string {
	if distance != nil {
		return terminal.Plural(*distance, "bit")
	}
	return terminal.Similarity(similarity)
}

// openPairs is how many pairs a page lists at once, unless it asks about them.
const openPairs = 12

// HTML returns the pairs side by side. Of texts, what differs is marked, and of Sides what both have.
func (pairs Pairs) HTML() HTML {
	pairs.compare()
	var b Builder
	legends := map[HTML]bool{}
	for _, p := range pairs {
		legends[p.legend()] = true
	}
	delete(legends, "")
	once := len(legends) == 1
	if once {
		b.Add(slices.Collect(maps.Keys(legends))[0])
	}
	for i, p := range pairs {
		n := strconv.Itoa(i + 1)
		if i == openPairs && !p.Asked {
			b.Add(`<details class="folded"><summary>%s</summary>`, terminal.Plural(len(pairs)-i, "more pair"))
		}
		asked := If(p.Asked, H(` data-stratum="%s" data-id="%s" data-kept="%s"%s`, p.Stratum, p.ID, p.Kept,
			If(p.Label != "", H(` data-label="%s"`, p.Label))))
		what := H(`<bdi class="what">%s</bdi>`, Path(cmp.Or(p.Title, p.ID)))
		if p.Heading != "" {
			what = H(`%s<span class="what"><bdi>%s</bdi>%s</span>`, p.Icon, Path(p.Heading),
				If(p.Title != "", H(` <bdi class="title">%s</bdi>`, p.Title)))
		}
		b.Add(`<details class="pair" name="pair" id="pair-%s"%s%s><summary><span class="similarity">%s</span> %s%s</summary>
<div class="texts" id="texts-%s">
%s`, n, If(i == 0, " open"), asked, p.Nearness, what, If(p.Asked, ` <span
class="mark"></span>`), n, If(p.Figures != "", P("notes", "%s", p.Figures)))
		b.Add(If(len(p.Remarks) > 0, H("<ul class=\"remarks\">%s</ul>\n", Each("<li>%s</li>", p.Remarks))))
		b.Add(If(!once, p.legend()))
		if p.Sides != nil {
			b.Add(panes(p.Sides, n))
		} else {
			b.Add(p.texts())
		}
		if p.Asked {
			b.Add(`<p class="marks" role="group" aria-label="Is it right?" hidden><button type="button" data-mark="right"
aria-pressed="false">Right <kbd>y</kbd></button> <button type="button" data-mark="wrong" aria-pressed="false">Wrong
<kbd>n</kbd></button> <button type="button" data-mark="unsure" aria-pressed="false">Unsure <kbd>u</kbd></button>%s</p>
`, If(p.Noted, ` <label class="note">Note <input type="text" data-note maxlength="1000"></label>`))
		}
		step := func(text string, to int) HTML {
			if to < 1 || to > len(pairs) {
				return "<span></span>"
			}
			return Link(text, "#texts-"+strconv.Itoa(to))
		}
		b.Add("<p class=\"step\">%s <span>pair %s of %s</span> %s</p>\n</div></details>\n",
			step("← Previous", i), n, len(pairs), step("Next →", i+2))
	}
	b.Add(If(len(pairs) > openPairs && !pairs[0].Asked, "</details>\n"))
	return b.HTML()
}

// labels returns what the two documents are called.
func (p *Pair) labels() (a, b string) { return cmp.Or(p.LabelA, "removed"), cmp.Or(p.LabelB, "kept") }

// legend says what is marked, or returns "" if nothing is.
func (p *Pair) legend() HTML {
	a, b := p.labels()
	switch {
	case p.Sides != nil:
		return P("legend", `Marked: <span class="passage">what both have</span>, <span class="passage"><span
class="changed">with other words</span></span>. A click on a passage shows it in the other text.`)
	case p.Unread != "" || p.pictured():
		return ""
	case p.LabelA == "":
		a, b = a+" one", b+" one"
	}
	return P("legend", "Marked: <del>only in the %s</del> <ins>only in the %s</ins>", a, b)
}

func (p *Pair) pictured() bool { return p.PictureA != "" && p.PictureB != "" }

// texts returns the texts, or the pictures, below the ids.
func (p *Pair) texts() HTML {
	var b Builder
	labelA, labelB := p.labels()
	head := func(label string, of HTML) HTML {
		return H(`<h3><span class="label">%s</span> <bdi>%s</bdi></h3>`, label, of)
	}
	b.Add("%s", besides(" head", head(labelA, H("%s", Path(p.ID))), head(labelB, Link(Path(p.Kept), p.Link))))
	b.Add(If(p.Unread != "", P("notes", "%s", p.Unread)))
	b.Add(If(p.pictured(), besides(" same beside", p.PictureA, p.PictureB)))
	to, shown, rest := &b, 0, Builder{}
	for _, block := range p.blocks {
		var folded Builder
		for _, r := range block.Rows {
			row := besides(Either(r.Same, "", " same"), spans(r.A, "del"), spans(r.B, "ins"))
			if block.Folded {
				folded.Add("%s", row)
				continue
			}
			if shown > shownMarkup {
				to = &rest
			}
			shown += len(row)
			to.Add("%s", row)
		}
		if block.Folded {
			to.Add("<details class=\"fold\"><summary>%s equal lines</summary>\n%s</details>\n", len(block.Rows), folded.HTML())
		}
	}
	return b.HTML() + If(rest.Len() > 0, Fold(false, "The rest of the texts", rest.HTML())) +
		If(p.Cut, P("cut", "The texts are cut here."))
}

// shownMarkup is about how many bytes of texts side by side are shown at once: a few screens.
const shownMarkup = 16 << 10

// besides returns a row of classes, with two parts beside each other.
func besides(classes string, a, b any) HTML {
	return H("<div class=\"row%s\"><div class=\"a\">%s</div><div class=\"b\">%s</div></div>\n", classes, a, b)
}

// spans returns spans of a text without control characters, whose changes are marked by an element.
func spans(all []span, element HTML) HTML {
	var b Builder
	for _, s := range all {
		if text := HTML(html.EscapeString(s.Text)); s.Change == 0 {
			b.Add(text)
		} else {
			b.Add(`<%s data-n="%s">%s</%s>`, element, strconv.Itoa(s.Change), text, element)
		}
	}
	return b.HTML()
}

// compare compares the texts of the pairs.
func (pairs Pairs) compare() {
	var comparing sync.WaitGroup // differences take most of the time of a page
	for _, p := range pairs {
		if p.Sides == nil && p.Unread == "" {
			comparing.Go(p.compare)
		}
	}
	comparing.Wait()
}

// compare sets what is shown of the texts.
func (p *Pair) compare() {
	wholeA, wholeB := harmlessText(p.A), harmlessText(p.B)
	a, b := wholeA[:min(len(wholeA), TextBytes)], wholeB[:min(len(wholeB), TextBytes)]
	p.Cut = p.Cut || len(a) < len(wholeA) || len(b) < len(wholeB)
	a, b = strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, "")
	runs := explain.Runs(a, b)
	if n := len(runs); p.Cut && n > 1 && !runs[n-1].Equal && (runs[n-1].A == "" || runs[n-1].B == "") {
		// The other text may go on with the same where it is cut.
		runs = runs[:n-1]
		var shownA, shownB strings.Builder
		for _, r := range runs {
			shownA.WriteString(r.A)
			shownB.WriteString(r.B)
		}
		a, b = shownA.String(), shownB.String()
	}
	if !p.pictured() {
		p.Title = cmp.Or(p.Title, judge.Title(b, 80))
		differences := explain.CompareTexts(a, b, 0)
		if p.Remarks = differences.Remarks; p.Cut && len(p.Differs) > len(differences.Facts.Names()) {
			p.Remarks = append(p.Remarks, "the whole texts differ in "+strings.Join(p.Differs, " and in "))
		}
	}
	p.blocks = blocks(runs)
}
