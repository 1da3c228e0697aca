package lsh

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestParseBands(t *testing.T) {
	t.Parallel()
	for _, want := range []Bands{{1, 1}, {20, 5}, {128, 1}, {1, 128}} {
		if got, err := ParseBands(fmt.Sprintf("%dx%d", want.Bands, want.Rows)); err != nil || got != want {
			t.Errorf("%v: %v, %v", want, got, err)
		}
	}
	for _, text := range []string{"", "20", "x", "20x", "x5", "0x5", "20x0", "-1x5", "+2x5", "20x5x2", "20 x 5", "20X5", "99999999999999999999x1"} {
		if got, err := ParseBands(text); err == nil || !strings.Contains(err.Error(), "20x5") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzParseBands(f *testing.F) {
	for _, seed := range []string{"20x5", "x", "1x1", "00x9", "9223372036854775807x9223372036854775807"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBands(text)
		if err != nil {
			return
		}
		if again, err := ParseBands(fmt.Sprintf("%dx%d", b.Bands, b.Rows)); err != nil || again != b {
			t.Errorf("%q is read as %v, and that as %v, %v", text, b, again, err)
		}
		if fits := b.Fits(100) == nil; fits != (b.Bands <= 100 && b.Rows <= 100 && b.Bands*b.Rows <= 100) {
			t.Errorf("%v fits 100 positions: %v", b, fits)
		}
	})
}

// The S-curve is steepest at the point that is told, but for what positions that agree by chance move it.
func TestSteepest(t *testing.T) {
	t.Parallel()
	for _, b := range []Bands{{20, 5}, {13, 7}, {50, 4}, {16, 8}, {25, 4}, {2, 2}, {9, 1}, {1, 3}} {
		steepest, most := 0.0, 0.0
		for s := 0.0; s < 1; s += 0.001 {
			if rise := b.Probability(s+0.0005) - b.Probability(s-0.0005); rise > most {
				steepest, most = s, rise
			}
		}
		if math.Abs(steepest-b.Steepest()) > 0.005 {
			t.Errorf("%v: told %.3f, is %.3f", b, b.Steepest(), steepest)
		}
	}
	if got := (Bands{20, 5}).Explain(0.8); !strings.Contains(got, "0.80 is found with probability 0.9997; ") || !strings.Contains(got, "is steepest at 0.53, and has 0.2: 0.00") {
		t.Error(got)
	}
	for p, want := range map[float64]string{1: "1", 0.99996: "0.99996", 0.5: "0.500", 0.00001: "1e-05", 0.9994: "0.999", 1 - 1e-12: "nearly 1"} {
		if got := probability(p); got != want {
			t.Errorf("%v is told as %s, want %s", p, got, want)
		}
	}
}

// No other bands with the recall have a smaller sum of areas.
func TestChooseByCost(t *testing.T) {
	t.Parallel()
	for _, recall := range []float64{0.01, 0.5, 0.9, 0.99} {
		w := Requirements{Threshold: 0.7, Recall: recall, Positions: 64, MaxRows: MaxRows}
		got, err := Choose(w)
		if err != nil || got.Probability(0.7) < recall {
			t.Fatalf("%+v: %v, %v", w, got, err)
		}
		sum := func(b Bands) float64 { return b.FalseNegatives(0.7) + b.FalsePositives(0.7) }
		for r := 1; r <= MaxRows; r++ {
			for b := 1; b*r <= 64; b++ {
				if o := (Bands{b, r}); o.Probability(0.7) >= recall && sum(o) < sum(got)-1e-9 {
					t.Fatalf("%+v: %v, but %v has the smaller sum", w, got, o)
				}
			}
		}
	}
}

// Bands that are within those of tables find what agrees on the first rows of the first bands.
func TestCandidatesOfFewerBands(t *testing.T) {
	t.Parallel()
	const n, positions = 600, 40
	s := random(12, n, positions)
	stored := Bands{8, 5}
	tables := build(s, stored)
	for _, b := range []Bands{{8, 5}, {8, 2}, {3, 5}, {1, 1}} {
		for q := range uint32(60) {
			var want []uint32
			for i := range uint32(n) {
				for band := range b.Bands {
					if at := band * stored.Rows; string(s.Of(q)[at:at+b.Rows]) == string(s.Of(i)[at:at+b.Rows]) {
						want = append(want, i)
						break
					}
				}
			}
			got := tables.Candidates(nil, s.Of(q), b)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%v, query %d: %v, want %v", b, q, got, want)
			}
		}
	}
}
