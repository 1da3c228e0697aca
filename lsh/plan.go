package lsh

import (
	"errors"
	"fmt"
)

// Requirements is what bands are chosen for.
type Requirements struct {
	Threshold float64 // pairs at least so similar are wanted, in (0, 1]
	Recall    float64 // the least probability of finding one, in (0, 1)
	Positions int     // of a signature: bands·rows is at most that
	MaxRows   int     // of a band; 0 is no limit
}

// DefaultRecall is the recall that is planned for if nothing else is said.
const DefaultRecall = 0.95

// Validate reports what is out of range.
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

// ErrRecall says that no bands give the recall that is wanted.
var ErrRecall = errors.New("no bands of so few positions find enough")

// Weights of the two areas that are wrong about a choice of bands. A pair that is missed is
// as bad as one that is verified in vain; what makes recall certain is that it is demanded.
const (
	weightFalsePositives = 0.5
	weightFalseNegatives = 0.5
)

// Choose returns the bands that find a pair at the threshold with at least the recall wanted
// and, among those, have the least weighted sum of false positives below and false negatives
// above it. Pairs above the threshold are found with a larger probability. Where positions do
// not suffice, the error is ErrRecall, and the bands are those that find most.
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
			cost := weightFalsePositives*c.FalsePositives(w.Threshold) + weightFalseNegatives*c.FalseNegatives(w.Threshold)
			if best == (Bands{}) || cost < least {
				best, least = c, cost
			}
		}
	}
	if best == (Bands{}) {
		return most, fmt.Errorf("%w: %d positions find pairs of similarity %.2f with probability %.3f at most, %.3f is wanted",
			ErrRecall, w.Positions, w.Threshold, most.Probability(w.Threshold), w.Recall)
	}
	return best, nil
}

// Depth returns how many of a band's rows to look up for pairs at a threshold: as many as
// still find one with the recall wanted, so that candidates are few. It is 0 if even one
// row finds too little.
func (b Bands) Depth(threshold, recall float64) int {
	for d := b.Rows; d > 0; d-- {
		if (Bands{b.Bands, d}).Probability(threshold) >= recall {
			return d
		}
	}
	return 0
}
