package dedup

import (
	"bufio"

	"simsearch/internal/clean/review"
	"simsearch/internal/quality/report"
)

// chooseReview chooses the removals that a person is asked about.
func chooseReview(d *Decisions) {
	if d.asked == 0 && d.marks == nil {
		return
	}
	var all []review.Candidate
	d.population = review.Population{What: "removals"}
	for i, kept := range d.kept {
		switch doc := uint32(i); {
		case kept == doc:
		case d.exact(doc):
			d.population.Same++
		default:
			all = append(all, review.Candidate{Similarity: d.similarity(doc), Group: kept, Pair: doc})
		}
	}
	d.population.Strata, d.reviewed = review.Choose(all, d.asked)
}

// writeReview writes the page of the removals that a person is asked about.
func writeReview(d *Decisions, texts *caught[seenText]) error {
	if d.asked == 0 {
		return nil
	}
	c := d.c
	s := review.Sample{Population: d.population, Command: "simsearch dedup"}
	for _, p := range d.reviewed {
		a, b := texts.at(p.Pair), texts.at(p.Group)
		s.Pairs = append(s.Pairs, &report.Pair{
			Stratum: p.Stratum, ID: string(c.ID(p.Pair)), Kept: string(c.ID(p.Group)),
			Nearness: report.Nearness(p.Similarity, distanceOf(&c.Options, p.Similarity)),
			Differs:  differs(d, p.Pair).Names(), A: string(a.Text), B: string(b.Text), Cut: a.More || b.More,
			PictureA: report.Picture(a.picture), PictureB: report.Picture(b.picture),
		})
	}
	return c.writeFile(reviewName, func(w *bufio.Writer) error { return s.WriteHTML(w) })
}
