package eval

import (
	"context"
	"fmt"
	"math"

	"simsearch/internal/parallel"
	"simsearch/internal/svg"
	"simsearch/minhash"
)

// sketches is Sketches as an experiment.
func sketches(ctx context.Context, c *Collection) (*Section, error) {
	return Sketches(ctx, c.threads, c.seed)
}

// Sketches measures the bias and the error of each variant of MinHash, also by the number of positions. Its sets are running numbers, so
// that it needs no collection.
func Sketches(ctx context.Context, threads int, seed uint64) (*Section, error) {
	return sketchTrials(ctx, threads, seed, 400)
}

// sketchTrials is Sketches with the given number of trials for each size and similarity.
func sketchTrials(ctx context.Context, threads int, seed uint64, trials int) (*Section, error) {
	const k = 128
	s := &Section{Name: "sketches", Title: "Variants of MinHash"}
	s.Text = append(s.Text, fmt.Sprintf("Pairs of sets of running numbers, of equal size and with a Jaccard similarity of J; %d positions; %d trials, each with another seed. Error ÷ theory is the root mean square error of the estimate, divided by √(J(1−J)/%d), the standard error of independent functions. "+
		"The standard deviation of this ratio is %.0f %%, that of the bias %.4f at J = 0.5.", k, trials, k, 100/math.Sqrt(2*float64(trials)), minhash.StandardError(0.5, k)/math.Sqrt(float64(trials))))
	sizes := []int{20, 50, 100, 200, 500, 1000, 2000, 5000}
	similarities := []float64{0.2, 0.5, 0.8, 0.95}
	plot := &svg.Plot{Title: "Error ÷ that of independent functions, mean over J", X: svg.Axis{Name: "elements of a set", Log: true}, Y: svg.Axis{Name: "error ÷ theory", Min: 0, Max: 2}}
	t := s.AddTable("", "variant", "elements", "error ÷ theory, J = 0.2", "0.5", "0.8", "0.95", "largest bias")
	for _, v := range minhash.Variants() {
		var curve [][2]float64
		for _, size := range sizes {
			if v == minhash.VariantIndependent && size > 1000 {
				continue // it is the theory itself, and slow
			}
			type measured struct{ bias, ratio float64 }
			var ms []measured
			err := parallel.Ordered(ctx, threads, len(similarities), func(_ context.Context, i int) (measured, error) {
				bias, ratio := measureSketch(v, size, similarities[i], k, trials, seed)
				return measured{bias, ratio}, ctx.Err()
			}, func(m measured) error { ms = append(ms, m); return nil })
			if err != nil {
				return nil, err
			}
			row := []any{v.String(), size}
			mean, bias := 0.0, 0.0
			for _, m := range ms {
				row = append(row, m.ratio)
				mean += m.ratio / float64(len(ms))
				if math.Abs(m.bias) > math.Abs(bias) {
					bias = m.bias
				}
			}
			t.Add(append(row, bias)...)
			curve = append(curve, [2]float64{float64(size), mean})
		}
		plot.Series = append(plot.Series, svg.Series{Name: v.String(), Points: curve, Line: true})
	}
	s.Plots = append(s.Plots, plot)
	return s, addErrors(ctx, s, threads, seed, trials)
}

// measureSketch returns the mean error of a variant, and the ratio of its root mean square error to the
// standard error of independent functions. Sketches have k positions; two sets of size elements have a
// Jaccard similarity of about j.
func measureSketch(v minhash.Variant, size int, j float64, k, trials int, seed uint64) (bias, ratio float64) {
	var exact float64
	var m moments
	var a, b, sa, sb []uint64
	for trial := range trials {
		a, b, exact = overlapping(size, j, trial)
		s := v.New(k, seed+uint64(trial))
		sa, sb = s.Sketch(sa[:0], a), s.Sketch(sb[:0], b)
		m.add(exact, s.Jaccard(sa, sb))
	}
	bias, _ = m.bias()
	return bias, m.error() / minhash.StandardError(exact, k)
}
