package results

import (
	"io"

	"simsearch/internal/clean/review"
	"simsearch/internal/index"
	"simsearch/internal/quality/report"
)

// A Review is of groups: a page on which a person says of some documents whether they are near the representatives
// of their groups.
type Review struct {
	Index *index.Snapshot
	Near  Nearness
	Texts Texts
	Asked int // documents on the page, at most

	all     []review.Candidate
	between similarities
}

// Group takes note of the documents of a group.
func (r *Review) Group(g index.Group) error {
	r.between.ix, r.between.near = r.Index, r.Near
	for _, doc := range g.Documents {
		if doc == g.Representative {
			continue
		}
		similarity, err := r.between.of(doc, g.Representative)
		if err != nil {
			return err
		}
		r.all = append(r.all, review.Candidate{Similarity: similarity, Group: g.Representative, Pair: doc})
	}
	return nil
}

// WriteHTML writes the page.
func (r *Review) WriteHTML(w io.Writer) error {
	s := review.Sample{Command: "simsearch groups", Population: review.Population{What: "near copies"}}
	var chosen []review.Candidate
	s.Strata, chosen = review.Choose(r.all, r.Asked)
	for _, c := range chosen {
		p, _, err := pairOf(r.Index, r.Near, r.Texts, pagePair{c.Pair, c.Group, c.Similarity}, "representative",
			report.TextBytes)
		if err != nil {
			return err
		}
		p.Stratum = c.Stratum
		s.Pairs = append(s.Pairs, p)
	}
	return s.WriteHTML(w)
}
