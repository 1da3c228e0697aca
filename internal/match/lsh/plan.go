package lsh

import (
	"errors"
	"fmt"
)

// Requirements are the requirements by which Choose chooses bands.
type Requirements struct {
	Threshold float64 // the least similarity of the pairs to be found, in (0, 1]
	Recall    float64 // the least probability of finding a pair at the threshold, in (0, 1)
	Positions int     // of a signature: the largest bands·rows
	MaxRows   int     // the largest number of rows of a band; 0 is no limit
}

// DefaultRecall is the recall of plans for which none is given.
const DefaultRecall = 0.95

// Validate returns an error that names what is out of range.
func (w Requirements) Validate() error {
	var errs []error
	if !(w.Threshold > 0 && w.Threshold <= 1) {
		errs = append(errs, fmt.Errorf("a Jaccard similarity of %v: want more than 0 and at most 1", w.Threshold))
	}
	if !(w.Recall > 0 && w.Recall < 1) {
		errs = append(errs, fmt.Errorf("a recall of %v: want more than 0 and less than 1", w.Recall))
	}
	return errors.Join(errs...)
}

// ErrRecall is returned if no bands have the required recall.
var ErrRecall = errors.New("no bands of so few positions find enough")

// Bands have to find a pair exactly at the threshold with the required recall, so that the recall holds
// for any distribution of similarities. The areas only decide among the bands that do so. A missed
// pair is as bad as a pair that is verified in vain, since the requirements guarantee the recall.

// Cost returns FalseNegatives(t) + FalsePositives(t), for a threshold t: the sum that Choose minimises.
func (b Bands) Cost(t float64) float64 { return b.FalseNegatives(t) + b.FalsePositives(t) }

// Choose returns the bands with the least Cost, among the bands that find a pair at the threshold with at least the
// required recall. They find pairs above the threshold with a larger probability. If there are too few positions, the
// error is ErrRecall, and the bands are those with the largest recall. Other errors are those of Validate.
func Choose(w Requirements) (Bands, error) {
	if err := w.Validate(); err != nil {
		return Bands{}, err
	}
	best, most := Bands{}, Bands{1, 1}
	least := 0.0
	for r := 1; r <= w.Positions && (w.MaxRows == 0 || r <= w.MaxRows); r++ {
		for b := 1; b*r <= w.Positions; b++ {
			c := Bands{b, r}
			p := c.Probability(w.Threshold)
			if p > most.Probability(w.Threshold) {
				most = c
			}
			if p < w.Recall {
				continue
			}
			cost := c.Cost(w.Threshold)
			if best == (Bands{}) || cost < least {
				best, least = c, cost
			}
		}
	}
	if best == (Bands{}) {
		return most, fmt.Errorf("%w: %s pairs of similarity %.2f with probability %.3f at most, %.3f is wanted",
			ErrRecall, find(w.Positions), w.Threshold, most.Probability(w.Threshold), w.Recall)
	}
	return best, nil
}

// find returns "1 position finds", or "2 positions find".
func find(positions int) string {
	if positions == 1 {
		return "1 position finds"
	}
	return fmt.Sprintf("%d positions find", positions)
}

// Depth returns the largest number of rows by which bands can be looked up to find a pair at the threshold
// with at least the given recall. More rows give fewer candidates. It is 0 if one row is too many.
func (b Bands) Depth(threshold, recall float64) int {
	for d := b.Rows; d > 0; d-- {
		if (Bands{b.Bands, d}).Probability(threshold) >= recall {
			return d
		}
	}
	return 0
}

// ChooseWithReserve is Choose for a collection in which documents may be equal. If bands miss one
// of several equal documents, they miss all of them. So the bands are chosen with half of the
// misses that r.Recall allows. The recall in error messages, including that of ErrRecall, is
// r.Recall.
func ChooseWithReserve(r Requirements) (Bands, error) {
	if err := r.Validate(); err != nil {
		return Bands{}, err
	}
	asked := r.Recall
	r.Recall = 1 - (1-asked)/2
	b, err := Choose(r)
	if errors.Is(err, ErrRecall) {
		err = fmt.Errorf("%w: %s pairs of similarity %.2f with probability %.3f at most, and a recall of %v needs %.4g, since equal "+
			"documents are missed together",
			ErrRecall, find(r.Positions), r.Threshold, b.Probability(r.Threshold), asked, r.Recall)
	}
	return b, err
}
