package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/minhash"
)

// naive is the name of the baseline: comparing as many elements of each set as a sketch has positions, drawn at
// random. The draws of two sets are not coordinated, so that the baseline finds few of the elements that they share.
const naive = "drawn at random"

// An estimator estimates the similarity of two sets of a trial by a number of positions.
type estimator struct {
	name     string
	estimate func(a, b []uint64, positions int, seed uint64) float64
}

// estimators returns the variants of MinHash, and the baseline.
func estimators() (out []estimator) {
	for _, v := range minhash.Variants() {
		out = append(out, estimator{v.String(), func(a, b []uint64, positions int, seed uint64) float64 {
			s := v.New(positions, seed)
			return s.Jaccard(s.Sketch(nil, a), s.Sketch(nil, b))
		}})
	}
	return append(out, estimator{naive, func(a, b []uint64, positions int, seed uint64) float64 {
		r := rand.New(rand.NewPCG(seed, 5))
		return ints.Jaccard(drawSome(r, a, positions), drawSome(r, b, positions))
	}})
}

// drawSome returns n elements of a set, or all if it has no more, drawn without replacement, in ascending order.
func drawSome(r *rand.Rand, set []uint64, n int) []uint64 {
	out := slices.Clone(set)
	n = min(n, len(out))
	for i := range n {
		j := i + r.IntN(len(out)-i)
		out[i], out[j] = out[j], out[i]
	}
	slices.Sort(out[:n])
	return out[:n]
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

// sketchErrors are the errors of an estimator.
type sketchErrors struct {
	bias     float64 // the mean
	square   float64 // the mean of the squares
	absolute float64 // the mean of the sizes
	theory   float64 // the standard error of independent functions
}

// deviation returns the standard deviation.
func (m *sketchErrors) deviation() float64 { return math.Sqrt(max(0, m.square-m.bias*m.bias)) }

// measureErrors returns the errors of an estimator on pairs of sets of size elements each and a similarity of
// about j.
func measureErrors(e estimator, size, positions int, j float64, trials int, seed uint64) (m sketchErrors) {
	for trial := range trials {
		a, b, exact := overlapping(size, j, trial)
		estimate := e.estimate(a, b, positions, seed+uint64(trial))
		m.bias += (estimate - exact) / float64(trials)
		m.square += (estimate - exact) * (estimate - exact) / float64(trials)
		m.absolute += math.Abs(estimate-exact) / float64(trials)
		m.theory = minhash.StandardError(exact, positions)
	}
	return m
}

// sketches measures the bias and the error of each variant of MinHash, also by the number of positions. Its sets are
// running numbers, so that it needs no collection. There are so many trials for each size and similarity.
func sketches(ctx context.Context, threads int, seed uint64, trials int) (*report.Section, error) {
	const k = 128
	s := &report.Section{Name: "sketches", Title: "Variants of MinHash"}
	s.Text = append(s.Text, fmt.Sprintf("Pairs of sets of running numbers, of equal size and with a Jaccard similarity of J; %d positions; %d trials, each with another seed. Error ÷ theory is the root mean square error of the estimate, divided by √(J(1−J)/%d), the standard error of independent functions. "+
		"The standard deviation of this ratio is %.0f %%, that of the bias %.4f at J = 0.5.", k, trials, k, 100/math.Sqrt(2*float64(trials)), minhash.StandardError(0.5, k)/math.Sqrt(float64(trials))))
	sizes := []int{20, 50, 100, 200, 500, 1000, 2000, 5000}
	similarities := []float64{0.2, 0.5, 0.8, 0.95}
	plot := &report.Plot{Title: "Error ÷ that of independent functions, mean over J", X: report.Axis{Name: "elements of a set", Log: true}, Y: report.Axis{Name: "error ÷ theory", Min: 0, Max: 2}}
	t := s.AddTable("", "variant", "elements", "error ÷ theory, J = 0.2", "0.5", "0.8", "0.95", "largest bias")
	for _, e := range estimators() {
		if e.name == naive {
			continue
		}
		for _, size := range sizes {
			if e.name == minhash.VariantIndependent.String() && size > 1000 {
				continue // it is the theory itself, and slow
			}
			row := []any{e.name, size}
			mean, largest := 0.0, 0.0
			err := parallel.Ordered(ctx, threads, len(similarities), func(ctx context.Context, i int) (sketchErrors, error) {
				return measureErrors(e, size, k, similarities[i], trials, seed), ctx.Err()
			}, func(m sketchErrors) error {
				ratio := math.Sqrt(m.square) / m.theory
				row = append(row, ratio)
				mean += ratio / float64(len(similarities))
				if math.Abs(m.bias) > math.Abs(largest) {
					largest = m.bias
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			t.Add(append(row, largest)...)
			plot.Add(e.name, float64(size), mean)
		}
	}
	s.Plots = append(s.Plots, plot)
	return s, errorsByPositions(ctx, s, threads, seed, trials)
}

// What errorsByPositions measures. At errorSimilarity the standard deviation is largest.
var (
	errorPositions = []int{20, 50, 100, 200, 400}
	errorSizes     = []int{20, 100, 1000}
)

const errorSimilarity = 0.5

// errorsByPositions adds the errors by positions and sizes to a section.
func errorsByPositions(ctx context.Context, s *report.Section, threads int, seed uint64, trials int) error {
	s.Text = append(s.Text, fmt.Sprintf("By the number of positions and the size of the sets, at J = %.1f, in as many trials: the mean absolute error of the estimate, its mean error (bias) and the standard deviation of the error. %q is no sketch: it draws as many elements of each set as a sketch has positions, and compares these; "+
		"what two sets share is rarely drawn from both, so that its bias grows as the sets do. A set of no more elements is drawn whole.", errorSimilarity, naive))
	t := s.AddTable("Errors by positions and sizes", "variant", "elements", "positions", "mean absolute error", "bias", "standard deviation", "√(J(1−J)/positions)")
	for _, size := range errorSizes {
		plot := &report.Plot{Title: fmt.Sprintf("Mean absolute error, sets of %s elements", terminal.Thousands(size)), X: report.Axis{Name: "positions", Log: true}, Y: report.Axis{Name: "mean absolute error", Min: 0, Max: 0.2}}
		for _, e := range estimators() {
			at := 0
			err := parallel.Ordered(ctx, threads, len(errorPositions), func(ctx context.Context, i int) (sketchErrors, error) {
				return measureErrors(e, size, errorPositions[i], errorSimilarity, trials, seed), ctx.Err()
			}, func(m sketchErrors) error {
				t.Add(e.name, size, errorPositions[at], m.absolute, m.bias, m.deviation(), m.theory)
				plot.Add(e.name, float64(errorPositions[at]), m.absolute)
				plot.Y.Max = max(plot.Y.Max, math.Ceil(m.absolute*10)/10)
				at++
				return nil
			})
			if err != nil {
				return err
			}
		}
		s.Plots = append(s.Plots, plot)
	}
	return nil
}
