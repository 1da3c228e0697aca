package lsh

import (
	"errors"
	"fmt"
)

// ChooseWithReserve is Choose for a collection in which documents may be equal: these are missed
// together, so that half of what r.Recall lets bands miss is kept in reserve. The error, ErrRecall
// too, speaks of the recall that r asks for.
func ChooseWithReserve(r Requirements) (Bands, error) {
	if err := r.Validate(); err != nil {
		return Bands{}, err
	}
	asked := r.Recall
	r.Recall = 1 - (1-asked)/2
	b, err := Choose(r)
	if errors.Is(err, ErrRecall) {
		err = fmt.Errorf("%w: %d positions find pairs of similarity %.2f with probability %.3f at most, and a recall of %v needs %.4g, since equal documents are missed together",
			ErrRecall, r.Positions, r.Threshold, b.Probability(r.Threshold), asked, r.Recall)
	}
	return b, err
}

// Explain says in a few words what bands are good for at a threshold.
func (b Bands) Explain(threshold float64) string {
	return fmt.Sprintf("a pair of Jaccard similarity %.2f is found with probability %.3f, one of %.2f with %.4f, one of %.2f with %.6f",
		threshold, b.Probability(threshold), threshold*0.75, b.Probability(threshold*0.75), threshold/4, b.Probability(threshold/4))
}
