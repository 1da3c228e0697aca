package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"simsearch/internal/match/judge"
)

// What speaks for a copy weighs more than nothing, what says nothing about it little, and what speaks against it
// nothing. No step from the weights lessens the loss.
func TestFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var examples []example
	for range 2000 {
		e := example{weight: 1 + random.Float64()}
		for i := range e.x {
			e.x[i] = random.Float64()
		}
		e.x[0] = 1
		if e.x[1]+e.x[2]-e.x[3] > 0.5+0.2*random.NormFloat64() {
			e.copy = 1
		}
		examples = append(examples, e)
	}
	loss := func(v vector) (sum float64) {
		total := 0.0
		for _, e := range examples {
			z := v.dot(&e.x)
			sum += e.weight * (math.Log(1+math.Exp(z)) - e.copy*z)
			total += e.weight
		}
		sum /= total
		for _, w := range v[1:] {
			sum += shrink / 2 * w * w
		}
		return sum
	}
	v := fit(examples, vector{})
	if v[0] > -1 || v[1] < 2 || v[2] < 2 || v[3] != 0 {
		t.Errorf("the weights are %.2f", v)
	}
	for i := range v {
		for _, step := range []float64{-0.01, 0.01} {
			w := v
			if w[i] += step; (i == 0 || w[i] >= 0) && loss(w) < loss(v) {
				t.Errorf("weight %d is better at %v than at %v", i, w[i], v[i])
			}
		}
	}
}

// Pooled values are those of the formula of the largest of smallest means.
func TestIsotonicEqualsTheReference(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		points := make([]point, 1+random.IntN(12))
		for i := range points {
			points[i] = point{float64(random.IntN(15)), float64(random.IntN(2)), 0.5 + random.Float64()}
		}
		given := append([]point(nil), points...)
		mean := func(from, to float64) float64 {
			sum, weight := 0.0, 0.0
			for _, p := range given {
				if from <= p.x && p.x <= to {
					sum, weight = sum+p.weight*p.y, weight+p.weight
				}
			}
			return sum / weight
		}
		isotonic(points)
		for _, p := range points {
			want := math.Inf(-1)
			for _, from := range given {
				if from.x > p.x {
					continue
				}
				least := math.Inf(1)
				for _, to := range given {
					if to.x >= p.x {
						least = min(least, mean(from.x, to.x))
					}
				}
				want = max(want, least)
			}
			if math.Abs(p.y-want) > 1e-9 {
				t.Fatalf("of %v, at %v it is %v, want %v", given, p.x, p.y, want)
			}
		}
	}
}

// Of each text and side the hardest pairs that are no copies count, and weigh no more together than what is allowed.
func TestHardest(t *testing.T) {
	var of []candidate
	for i := range uint32(20) {
		of = append(of, candidate{a: 0, b: 1 + i%4, words: float64(i) / 20})
	}
	of = append(of, candidate{a: 5, b: 6, near: true, words: 1}, candidate{a: 5, b: 7, near: true, words: 1}, candidate{a: 5, b: 8, near: true, same: true})
	copies, apart, weight := 0, 0, 0.0
	for _, e := range hardest(&collection{candidates: of, near: 4}, func(c *candidate) float64 { return c.words }) {
		if e.copy == 1 {
			if copies++; e.weight != 0.25 {
				t.Errorf("a copy weighs %v", e.weight)
			}
			continue
		}
		apart++
		weight += e.weight
	}
	// Two of each of four texts on the right, among which are the two of the one on the left; four texts have copies.
	if want := (4*2 + 2) * hardWeight / 4; copies != 3 || apart != 8 || math.Abs(weight-want) > 1e-12 {
		t.Errorf("%d copies, and %d others of %v, want 3, and 8 of %v", copies, apart, weight, want)
	}
}

// The file of a judge has few knots, which ascend, and says what was true.
func TestTrain(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	c := &collection{}
	for i := range uint32(4000) {
		p := candidate{a: i, b: i + 1, words: 0.5 + random.Float64()/2}
		for m := range p.of {
			p.of[m] = random.Float64()
		}
		if p.near = p.of[judge.Spelling] > random.Float64(); p.near {
			c.near++
		}
		c.candidates = append(c.candidates, p)
	}
	_, j, err := train([]*collection{c})
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Calibration) > mostKnots || len(j.Calibration) < 3 || j.Weight(judge.Spelling) < 1 || j.Weight(judge.Titles) > 0.5 {
		t.Errorf("%+v", j)
	}
	said, near := 0.0, 0.0
	for i := range c.candidates {
		if said += c.candidates[i].probability(j); c.candidates[i].near {
			near++
		}
	}
	if math.Abs(said/near-1) > 0.05 {
		t.Errorf("%.0f copies are expected of %.0f", said, near)
	}
}
