package lsh

import (
	"errors"
	"math"
	"testing"

	"simsearch/internal/tests/testkit"
)

// The table of Mining of Massive Datasets, example 3.11: 20 bands of 5 rows. It does not include bytes
// that agree by chance, which add at most 0.003.
func TestGoldenCurve(t *testing.T) {
	t.Parallel()
	b := Bands{20, 5}
	for s, want := range map[float64]float64{.2: .006, .3: .047, .4: .186, .5: .470, .6: .802, .7: .975, .8: .9996} {
		if got := b.Probability(s); math.Abs(got-want) > 0.008 || got < want-0.001 {
			t.Errorf("P(%v) = %.4f, want %v", s, got, want)
		}
	}
	if b.Probability(1) != 1 {
		t.Error("equal sets are not certain to be candidates")
	}
}

func TestIntegrals(t *testing.T) {
	t.Parallel()
	b := Bands{13, 7}
	below, above := 0.0, 0.0
	const steps = 100_000
	for i := range steps {
		s := (float64(i) + 0.5) / steps
		if s < 0.8 {
			below += b.Probability(s) / steps
		} else {
			above += (1 - b.Probability(s)) / steps
		}
	}
	if got := b.FalsePositives(0.8); math.Abs(got-below) > 1e-6 {
		t.Errorf("false positives %.7f, want %.7f", got, below)
	}
	if got := b.FalseNegatives(0.8); math.Abs(got-above) > 1e-6 {
		t.Errorf("false negatives %.7f, want %.7f", got, above)
	}
}

// No other bands with the required recall have a smaller sum of the areas.
func TestChooseIsTheBest(t *testing.T) {
	t.Parallel()
	for _, threshold := range []float64{0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1} {
		for _, recall := range []float64{0.9, 0.95, 0.99} {
			for _, rows := range []int{0, MaxRows} {
				w := Requirements{Threshold: threshold, Recall: recall, Positions: 128, MaxRows: rows}
				got, err := Choose(w)
				if err != nil || got.Probability(threshold) < recall || got.Bands*got.Rows > 128 || rows > 0 && got.Rows > rows {
					t.Errorf("%+v: %v, %v", w, got, err)
					continue
				}
				sum := func(b Bands) float64 { return b.FalsePositives(threshold) + b.FalseNegatives(threshold) }
				for r := 1; r <= 128; r++ {
					for b := 1; b*r <= 128 && (rows == 0 || r <= rows); b++ {
						if o := (Bands{b, r}); o.Probability(threshold) >= recall && sum(o) < sum(got)-1e-9 {
							t.Fatalf("%+v: %v, but %v has the smaller areas", w, got, o)
						}
					}
				}
			}
		}
	}
}

func TestChooseTooMuch(t *testing.T) {
	t.Parallel()
	got, err := Choose(Requirements{Threshold: 0.1, Recall: 0.99, Positions: 16})
	if !errors.Is(err, ErrRecall) || got != (Bands{16, 1}) {
		t.Errorf("%v, %v, want 16 bands of 1 and ErrRecall", got, err)
	}
	for _, w := range []Requirements{{0, .9, 8, 0}, {1.1, .9, 8, 0}, {.5, 0, 8, 0}, {.5, 1, 8, 0}, {math.NaN(), .9, 8, 0}} {
		if _, err := Choose(w); err == nil || errors.Is(err, ErrRecall) {
			t.Errorf("%+v: %v", w, err)
		}
	}
}

// Of what may be missed, half is kept for equal documents.
func TestChooseWithReserve(t *testing.T) {
	t.Parallel()
	for _, w := range []Requirements{{0.8, 0.9, 128, 0}, {0.5, 0.95, 128, 8}, {0.9, 0.5, 64, 4}} {
		got, err := ChooseWithReserve(w)
		if w.Recall > 0 {
			w.Recall = (1 + w.Recall) / 2
		}
		if want, _ := Choose(w); err != nil || got != want || got.Probability(w.Threshold) < w.Recall {
			t.Errorf("%+v: %v, want %v (%v)", w, got, want, err)
		}
	}
	if _, err := ChooseWithReserve(Requirements{Threshold: 0.5, Recall: 0.95, Positions: 5}); !errors.Is(err, ErrRecall) {
		t.Errorf("5 positions find 96.9 of 100 pairs, and 97.5 are wanted: %v", err)
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	b := Bands{13, 7}
	last := 0
	for _, threshold := range []float64{0.05, 0.3, 0.5, 0.7, 0.8, 0.9} {
		d := b.Depth(threshold, 0.95)
		if d < last || d > 0 && (Bands{13, d}).Probability(threshold) < 0.95 || d < 7 && (Bands{13, d + 1}).Probability(threshold) >= 0.95 {
			t.Errorf("depth %d for %v", d, threshold)
		}
		last = d
	}
	if b.Depth(0.8, 0.95) != 7 || b.Depth(0.05, 0.95) != 0 {
		t.Errorf("depths %d for 0.8, %d for 0.05, want 7 and 0", b.Depth(0.8, 0.95), b.Depth(0.05, 0.95))
	}
}

// Pairs of sets are found as often as the S-curve says: within one percentage point from the threshold
// on, and within two below it, on the steep part of the curve. The curve assumes independent positions,
// and fast sketches sample without replacement. In 20,000 trials, the standard deviation of the share is
// 0.15 points at the threshold and 0.35 on the steep part. The limits are five of these and more.
func TestRecallIsThatOfTheCurve(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "two hundred thousand trials")
	const trials = 20_000
	b := Bands{13, 7}
	for _, size := range []int{30, 300} {
		for _, j := range []float64{0.5, 0.6, 0.7, 0.8, 0.9} {
			found := 0
			var exact float64
			for trial := range trials {
				s := newSharing(91, uint64(trial))
				x := s.set(size)
				y := s.like(x, j)
				shared := float64(int(2*j*float64(size)/(1+j) + 0.5))
				exact = shared / (2*float64(size) - shared)
				if agree(s.signature(x), s.signature(y), b, b.Rows) {
					found++
				}
			}
			if got, want := float64(found)/trials, b.Probability(exact); math.Abs(got-want) > 0.01 && (j >= 0.8 || math.Abs(got-want) > 0.02) {
				t.Errorf("size %d, J = %.3f: %.4f are candidates, want %.4f", size, exact, got, want)
			}
		}
	}
}
