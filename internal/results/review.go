package results

import (
	"io"

	"simsearch/internal/index"
	"simsearch/internal/report"
	"simsearch/internal/review"
)

// A Review is of groups: a page on which a person says of some documents whether they are near the representatives of their groups.
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
		p := &report.Pair{Stratum: c.Stratum, Nearness: r.Near.told(c.Similarity, r.Index), LabelA: "document", LabelB: "representative"}
		for _, of := range []struct {
			doc      uint32
			id, text *string
		}{{c.Pair, &p.ID, &p.A}, {c.Group, &p.Kept, &p.B}} {
			id, err := r.Index.ID(of.doc)
			if err != nil {
				return err
			}
			text, err := r.Texts.Text(of.doc)
			if err := fatal(err); err != nil {
				return err
			}
			p.Cut = p.Cut || len(text) > report.TextBytes
			*of.id, *of.text = string(id), text[:min(len(text), report.TextBytes)]
		}
		s.Pairs = append(s.Pairs, p)
	}
	return s.WriteHTML(w)
}
