package lsh

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseBands reads bands that are given as BxR, such as 20x5: B bands of R rows. Both are 1 or more.
func ParseBands(text string) (Bands, error) {
	left, right, ok := strings.Cut(text, "x")
	b, errB := strconv.Atoi(left)
	r, errR := strconv.Atoi(right)
	if !ok || errB != nil || errR != nil || b < 1 || r < 1 || strings.ContainsAny(text, "+-") {
		return Bands{}, fmt.Errorf("bands %q: want BxR for B bands of R rows, such as 20x5", text)
	}
	return Bands{b, r}, nil
}

// Fits returns an error if bands need more than the given number of positions.
func (b Bands) Fits(positions int) error {
	if b.Bands < 1 || b.Rows < 1 || b.Bands > positions/b.Rows {
		return fmt.Errorf("%v do not fit a signature of %d positions: want bands × rows of at most %d", b, positions, positions)
	}
	return nil
}

// Within reports whether tables of the bands t can be looked up by b: b has no more bands, and no more rows.
func (b Bands) Within(t Bands) bool { return b.Bands <= t.Bands && b.Rows <= t.Rows }

// Steepest returns the similarity at which the S-curve 1 − (1 − sʳ)ᵇ is steepest, ((r−1)/(br−1))^(1/r), where its
// second derivative is 0. One band of one row is a line, which is as steep everywhere.
func (b Bands) Steepest() float64 {
	if b.Rows == 1 {
		return 0
	}
	return math.Pow(float64(b.Rows-1)/float64(b.Bands*b.Rows-1), 1/float64(b.Rows))
}

// explained are the similarities for which Explain tells the S-curve.
var explained = []float64{0.2, 0.4, 0.6, 0.8}

// Explain returns a phrase with the probability of finding a pair at a threshold, and with the S-curve.
func (b Bands) Explain(threshold float64) string {
	var curve strings.Builder
	for i, s := range explained {
		if i > 0 {
			curve.WriteString(", ")
		}
		fmt.Fprintf(&curve, "%.1f: %s", s, probability(b.Probability(s)))
	}
	return fmt.Sprintf("a pair of Jaccard similarity %.2f is found with probability %s; the S-curve 1 − (1 − s^%d)^%d is steepest at %.2f, and has %s",
		threshold, probability(b.Probability(threshold)), b.Rows, b.Bands, b.Steepest(), curve.String())
}

// probability returns p in as many digits as tell small ones apart, and 1 only for what is certain.
func probability(p float64) string {
	switch {
	case p == 1:
		return "1"
	case p < 0.0005:
		return fmt.Sprintf("%.1g", p)
	}
	for digits := 3; digits < 9; digits++ {
		if text := fmt.Sprintf("%.*f", digits, p); !strings.HasPrefix(text, "1.") {
			return text
		}
	}
	return "nearly 1"
}
