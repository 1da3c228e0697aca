package report

import (
	"html/template"
	"slices"
	"strings"
	"sync"

	"simsearch/internal/explain"
)

// TextBytes is how much of a text a page shows.
const TextBytes = 32 << 10

// Pairs are removed documents beside the ones kept for them, with the texts of both side by side.
type Pairs []*Pair

// A Pair is one of Pairs. Its texts may have several lines.
type Pair struct {
	ID, Kept, Nearness string
	A, B               string `text:"lines"` // the texts of ID and Kept
	Cut                bool   // there is more of one of the texts at least
	PictureA, PictureB template.URL
	Differs            []string // facts in which the whole texts differ
	LabelA, LabelB     string   // what the two are called; "" stands for removed and kept
	Heading            string   // before the title, such as a name that people know the pair by; or ""
	Figures            string   // how near the two are; "" if Nearness says all
	Link               string   // to a page about Kept; or ""
	Sides              []Side   // the texts with the passages that they share, in place of A and B; nil if all that differs is shown
	Unread             string   // why no texts are shown; "" if they are
	Asked              bool     // a person is asked whether the pair is right
	Noted              bool     // and may write a note
	Label              string   // the pair in what a person's marks are kept as, if that is not ID and Kept
	Stratum            int      // of a pair that is asked about

	Number, Previous, Next int // 0: there is none
	Title                  string
	Remarks                []string
	Blocks                 []block
}

// Labels returns what the two documents of all pairs are called.
func (pairs Pairs) Labels() [2]string {
	if len(pairs) == 0 || pairs[0].LabelA == "" {
		return [2]string{"removed", "kept"}
	}
	return [2]string{pairs[0].LabelA, pairs[0].LabelB}
}

// OfTexts reports whether what differs is marked in the texts of a pair at least.
func (pairs Pairs) OfTexts() bool {
	return slices.ContainsFunc(pairs, func(p *Pair) bool { return p.PictureA == "" && p.Sides == nil && p.Unread == "" })
}

// OfPassages reports whether what is the same is marked in the texts of a pair at least.
func (pairs Pairs) OfPassages() bool {
	return slices.ContainsFunc(pairs, func(p *Pair) bool { return p.Sides != nil })
}

// Compared numbers the pairs, compares their texts, and returns them.
func (pairs Pairs) Compared() Pairs {
	var comparing sync.WaitGroup // differences take most of the time of a page
	for i, p := range pairs {
		p.Number, p.Previous = i+1, i
		if i+1 < len(pairs) {
			p.Next = i + 2
		}
		if p.PictureA == "" || p.PictureB == "" {
			p.PictureA, p.PictureB = "", ""
		}
		if p.Sides == nil && p.Unread == "" {
			comparing.Go(p.compare)
		}
	}
	comparing.Wait()
	return pairs
}

// compare sets what is shown of the texts.
func (p *Pair) compare() {
	a, b := p.A[:min(len(p.A), TextBytes)], p.B[:min(len(p.B), TextBytes)]
	p.Cut = p.Cut || len(a) < len(p.A) || len(b) < len(p.B)
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
	if p.PictureA == "" {
		p.Title = explain.Title(b, 80)
		p.Remarks = explain.CompareTexts(a, b, 0).Remarks
		if kinds := explain.FactsOf([]byte(a)).Differ(explain.FactsOf([]byte(b))); p.Cut && len(p.Differs) > len(kinds.Names()) {
			p.Remarks = append(p.Remarks, "the whole texts differ in "+strings.Join(p.Differs, " and in "))
		}
	}
	p.Blocks = blocks(runs)
}
