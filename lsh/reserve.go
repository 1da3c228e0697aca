package lsh

import (
	"errors"
	"fmt"
)

// ChooseWithReserve is Choose for a collection in which documents may be equal. If bands miss one
// of several equal documents, they miss all of them. So the bands are chosen with half of the
// misses that r.Recall allows. The recall in error messages, including that of ErrRecall, is
// r.Recall.
func ChooseWithReserve(r Requirements) (Bands, error) {
	if err := r.Validate(); err != nil {
		return Bands{}, err
	}
	asked := r.Recall
	if asked == 0 { // nothing is promised
		return Choose(r)
	}
	r.Recall = 1 - (1-asked)/2
	b, err := Choose(r)
	if errors.Is(err, ErrRecall) {
		err = fmt.Errorf("%w: %d positions find pairs of similarity %.2f with probability %.3f at most, and a recall of %v needs %.4g, since equal documents are missed together",
			ErrRecall, r.Positions, r.Threshold, b.Probability(r.Threshold), asked, r.Recall)
	}
	return b, err
}
