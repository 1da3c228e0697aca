package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"simsearch/internal/match/judge"
)

// A vector has the constant and the weights, or a 1 and the measures.
type vector [1 + judge.NumMeasures]float64

func (v *vector) dot(x *vector) (sum float64) {
	for i := range v {
		sum += v[i] * x[i]
	}
	return sum
}

// An example is a pair that weights are learnt from.
type example struct {
	x      vector
	copy   float64 // 1 for a copy, otherwise 0
	weight float64
}

// rounds is how often the hardest pairs are chosen anew.
const rounds = 5

// train returns the file of a judge, and the judge.
func train(all []*collection) (file []byte, j *judge.Judge, err error) {
	score := func(c *candidate) float64 { return c.words + c.of[judge.Spelling] + c.of[judge.Titles] }
	var v vector
	for range rounds {
		var examples []example
		for _, c := range all {
			examples = append(examples, hardest(c, score)...)
		}
		v = fit(examples, v)
		score = func(c *candidate) float64 { x := vectorOf(c); return v.dot(&x) }
	}
	var weights, calibration []string
	for m := range judge.NumMeasures {
		weights = append(weights, fmt.Sprintf("%q: %s", m, number(v[1+m])))
	}
	for _, k := range calibrate(all, score) {
		calibration = append(calibration, "["+number(k[0])+", "+number(k[1])+"]")
	}
	file = fmt.Appendf(nil, "{\n  \"version\": %d,\n  \"constant\": %s,\n  \"weights\": {%s},\n  \"calibration\": [%s]\n}\n",
		version, number(v[0]), strings.Join(weights, ", "), strings.Join(calibration, ", "))
	j, err = judge.Parse(file)
	return file, j, err
}

// number returns x with up to three decimals.
func number(x float64) string { return fmt.Sprint(math.Round(1000*x)/1000 + 0) }

func vectorOf(c *candidate) (x vector) {
	x[0] = 1
	copy(x[1:], c.of[:])
	return x
}

// What the pairs of a collection weigh.
const (
	hardestPairs = 2    // of each document and side that weigh anything, if they are no copies
	hardWeight   = 0.25 // of one of them, divided by the number of documents with a copy
	mostApart    = 1.5  // of all of them; all pairs labelled near have 1 together
)

// hardest returns the copies of a collection and the pairs that are most like copies.
func hardest(all *collection, score func(*candidate) float64) (out []example) {
	of, with := all.candidates, map[uint32]bool{}
	scores := make([]float64, len(of))
	var apart []int
	for i := range of {
		if c := &of[i]; c.near {
			with[c.a], with[c.b] = true, true
		} else {
			scores[i] = score(c)
			apart = append(apart, i)
		}
	}
	slices.SortStableFunc(apart, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	weights, sum := make([]float64, len(of)), 0.0
	seen := [2]map[uint32]int{{}, {}}
	for _, i := range apart {
		for side, doc := range [2]uint32{of[i].a, of[i].b} {
			if seen[side][doc]++; seen[side][doc] <= hardestPairs {
				weights[i] += hardWeight / math.Max(1, float64(len(with)))
				sum += hardWeight / math.Max(1, float64(len(with)))
			}
		}
	}
	for i := range of {
		switch c := &of[i]; {
		case c.near:
			out = append(out, example{vectorOf(c), 1, 1 / float64(all.near)})
		case weights[i] > 0:
			out = append(out, example{vectorOf(c), 0, weights[i] * math.Min(1, mostApart/sum)})
		}
	}
	return out
}

// shrink is what the square of a weight costs.
const shrink = 3e-4

// fit returns the weights of the logistic regression, none of which is negative, from v on: by Newton's method, whose
// steps stay within the bounds.
func fit(examples []example, v vector) vector {
	total := 0.0
	for i := range examples {
		total += examples[i].weight
	}
	loss := func(v vector) (sum float64) {
		for i := range examples {
			e := &examples[i]
			z := v.dot(&e.x)
			sum += e.weight / total * (math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - e.copy*z)
		}
		for _, w := range v[1:] {
			sum += shrink / 2 * w * w
		}
		return sum
	}
	for last := loss(v); ; {
		var slope vector
		var bend [len(v)]vector
		for i := range v {
			if i > 0 {
				slope[i], bend[i][i] = shrink*v[i], shrink
			}
		}
		for i := range examples {
			e := &examples[i]
			p := 1 / (1 + math.Exp(-v.dot(&e.x)))
			w := e.weight / total
			for i, x := range e.x {
				slope[i] += w * (p - e.copy) * x
				for j := range i + 1 {
					bend[i][j] += w * p * (1 - p) * x * e.x[j]
				}
			}
		}
		for i := range v {
			for j := range i {
				bend[j][i] = bend[i][j]
			}
		}
		var step vector
		for range 1000 { // one weight after the other
			for i := range v {
				at := step[i] - (slope[i]+bend[i].dot(&step))/(bend[i][i]+1e-12)
				if i > 0 {
					at = math.Max(at, -v[i])
				}
				step[i] = at
			}
		}
		next, now := v, last
		for share := 1.0; share > 1e-6; share /= 2 {
			for i := range v {
				next[i] = v[i] + share*step[i]
			}
			if now = loss(next); now < last {
				break
			}
		}
		if !(now < last-1e-12) {
			return v
		}
		v, last = next, now
	}
}

// A point is a logit, what is true there, and how much it weighs.
type point struct{ x, y, weight float64 }

// isotonic replaces y by the closest values that never descend, by pooling adjacent violators. Points of one x come
// out with one y.
func isotonic(points []point) {
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	type pool struct {
		sum, weight float64
		to          int
	}
	var pools []pool
	for i := 0; i < len(points); {
		p, x := pool{}, points[i].x
		for ; i < len(points) && points[i].x == x; i++ {
			p.sum += points[i].weight * points[i].y
			p.weight += points[i].weight
		}
		p.to = i
		for n := len(pools); n > 0 && pools[n-1].sum*p.weight >= p.sum*pools[n-1].weight; n-- {
			p.sum += pools[n-1].sum
			p.weight += pools[n-1].weight
			pools = pools[:n-1]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for ; i < p.to; i++ {
			points[i].y = p.sum / p.weight
		}
	}
}

const (
	knotStep  = 0.5
	mostKnots = 14
)

// weightOf returns what a pair of a collection weighs in the calibration: a collection weighs as much as the root of
// its pairs.
func weightOf(c *collection) float64 { return 1 / math.Sqrt(float64(max(1, len(c.candidates)))) }

// calibrate returns the probability of a copy at some logits, between which it is about on lines. Both ascend.
func calibrate(all []*collection, logit func(*candidate) float64) (knots [][2]float64) {
	var points []point
	for _, c := range all {
		weight := weightOf(c)
		for i := range c.candidates {
			y := 0.0
			if c.candidates[i].near {
				y = 1
			}
			points = append(points, point{logit(&c.candidates[i]), y, weight})
		}
	}
	isotonic(points)
	for x := math.Floor(points[0].x); x < points[len(points)-1].x+knotStep; x += knotStep {
		i, _ := slices.BinarySearchFunc(points, x, func(p point, x float64) int { return cmp.Compare(p.x, x) })
		knots = append(knots, [2]float64{x, points[min(i, len(points)-1)].y})
	}
	for len(knots) > mostKnots { // without the one that is closest to the line between its neighbours, or to its only neighbour
		best, least := 0, math.Inf(1)
		for i := range knots {
			lo, hi := knots[max(0, i-1)], knots[min(len(knots)-1, i+1)]
			var at float64
			switch i {
			case 0:
				at = hi[1]
			case len(knots) - 1:
				at = lo[1]
			default:
				at = lo[1] + (hi[1]-lo[1])*(knots[i][0]-lo[0])/(hi[0]-lo[0])
			}
			if off := math.Abs(knots[i][1] - at); off < least {
				best, least = i, off
			}
		}
		knots = slices.Delete(knots, best, best+1)
	}
	return knots
}
