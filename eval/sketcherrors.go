package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"simsearch/internal/ints"
	"simsearch/internal/parallel"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
	"simsearch/minhash"
)

// What the error of an estimate is as a function of the number of positions and of the size of the sets: of
// each variant of MinHash and, as a baseline, of comparing as many elements of each set, drawn at random. The
// draws of two sets are not coordinated, so that the baseline finds few of the elements that they share.

// naive is the name of the baseline.
const naive = "drawn at random"

// An estimator estimates the similarity of two sets of a trial by a number of positions.
type estimator struct {
	name     string
	estimate func(a, b []uint64, positions int, seed uint64) float64
}

func estimators() []estimator {
	var out []estimator
	for _, v := range minhash.Variants() {
		out = append(out, estimator{v.String(), func(a, b []uint64, positions int, seed uint64) float64 {
			s := v.New(positions, seed)
			return s.Jaccard(s.Sketch(nil, a), s.Sketch(nil, b))
		}})
	}
	return append(out, estimator{naive, func(a, b []uint64, positions int, seed uint64) float64 {
		r := rand.New(rand.NewPCG(seed, 5))
		return ints.Jaccard(drawn(r, a, positions), drawn(r, b, positions))
	}})
}

// drawn returns n elements of a set, or all if it has no more, drawn without replacement, in ascending order.
func drawn(r *rand.Rand, set []uint64, n int) []uint64 {
	out := slices.Clone(set)
	n = min(n, len(out))
	for i := range n {
		j := i + r.IntN(len(out)-i)
		out[i], out[j] = out[j], out[i]
	}
	slices.Sort(out[:n])
	return out[:n]
}

// estimateErrors are the mean absolute error of an estimate, its mean error, and the standard deviation of
// the error.
type estimateErrors struct{ absolute, bias, deviation float64 }

// measureErrors returns the errors of an estimator on pairs of sets of size elements each and a similarity of
// about j.
func measureErrors(e estimator, size, positions int, j float64, trials int, seed uint64) (out estimateErrors) {
	var m moments
	for trial := range trials {
		a, b, exact := overlapping(size, j, trial)
		estimate := e.estimate(a, b, positions, seed+uint64(trial))
		m.add(exact, estimate)
		out.absolute += math.Abs(estimate-exact) / float64(trials)
	}
	out.bias, out.deviation = m.bias()
	return out
}

// overlapping returns two sets of running numbers, of size elements each and a similarity of about j, which
// exact is. They ascend, and differ between trials.
func overlapping(size int, j float64, trial int) (a, b []uint64, exact float64) {
	shared := int(math.Round(2 * j * float64(size) / (1 + j)))
	a, b = make([]uint64, size), make([]uint64, size)
	for i := range a {
		a[i] = uint64(trial*2*size + i)
		b[i] = uint64(trial*2*size + size - shared + i)
	}
	return a, b, float64(shared) / float64(2*size-shared)
}

var (
	errorPositions = []int{20, 50, 100, 200, 400}
	errorSizes     = []int{20, 100, 1000}
)

// errorSimilarity is the similarity at which the standard deviation is largest.
const errorSimilarity = 0.5

// addErrors adds the errors by positions and sizes to a section.
func addErrors(ctx context.Context, s *Section, threads int, seed uint64, trials int) error {
	s.Text = append(s.Text, fmt.Sprintf("By the number of positions and the size of the sets, at J = %.1f, in as many trials: the mean absolute error of the estimate, its mean error (bias) and the standard deviation of the error. %q is no sketch: it draws as many elements of each set as a sketch has positions, and compares these; "+
		"what two sets share is rarely drawn from both, so that its bias grows as the sets do. A set of no more elements is drawn whole.", errorSimilarity, naive))
	t := s.AddTable("Errors by positions and sizes", "variant", "elements", "positions", "mean absolute error", "bias", "standard deviation", "√(J(1−J)/positions)")
	for _, size := range errorSizes {
		plot := &svg.Plot{Title: fmt.Sprintf("Mean absolute error, sets of %s elements", terminal.Thousands(size)), X: svg.Axis{Name: "positions", Log: true}, Y: svg.Axis{Name: "mean absolute error", Min: 0, Max: 0.2}}
		_, _, exact := overlapping(size, errorSimilarity, 0)
		for _, e := range estimators() {
			var points [][2]float64
			work := func(ctx context.Context, i int) (estimateErrors, error) {
				return measureErrors(e, size, errorPositions[i], errorSimilarity, trials, seed), ctx.Err()
			}
			err := parallel.Ordered(ctx, threads, len(errorPositions), work, func(m estimateErrors) error {
				positions := errorPositions[len(points)]
				t.Add(e.name, size, positions, m.absolute, m.bias, m.deviation, minhash.StandardError(exact, positions))
				points = append(points, [2]float64{float64(positions), m.absolute})
				plot.Y.Max = max(plot.Y.Max, math.Ceil(m.absolute*10)/10)
				return nil
			})
			if err != nil {
				return err
			}
			plot.Series = append(plot.Series, svg.Series{Name: e.name, Points: points, Line: true})
		}
		s.Plots = append(s.Plots, plot)
	}
	return nil
}
