package tables

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// shown reports whether every difference of at most k of width bits is within the radius of some header.
func shown(headers []uint64, radii []int8, width, k int) bool {
	for diff := range uint64(1) << width {
		found := bits.OnesCount64(diff) > k
		for i, h := range headers {
			found = found || bits.OnesCount64(diff&h) <= int(radii[i])
		}
		if !found {
			return false
		}
	}
	return true
}

// looksUp is the number of headers within a radius.
func looksUp(headers []uint64) func(i, r int) float64 {
	return func(i, r int) float64 { return ball(bits.OnesCount64(headers[i]), r) }
}

// checkRadii tests that the radii found show every difference, and cost what they are said to.
func checkRadii(t *testing.T, headers []uint64, width int) []choice {
	t.Helper()
	cost := looksUp(headers)
	choices := cheapestRadii(headers, width, cost)
	for k, c := range choices {
		if math.IsInf(c.cost, 1) {
			continue
		}
		sum := 0.0
		for i, r := range c.radii {
			if r >= 0 {
				sum += cost(i, int(r))
			}
		}
		if sum != c.cost || !shown(headers, c.radii, width, k) {
			t.Fatalf("headers %b, k = %d: radii %v at %v, which cost %v, do not show every difference", headers, k, c.radii, c.cost, sum)
		}
	}
	return choices
}

// Of up to three tables, no radii that show every difference are cheaper.
func TestCheapestRadiiAreTheCheapest(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	const width = 7
	for range 150 {
		headers := make([]uint64, 1+rng.IntN(3))
		for i := range headers {
			headers[i] = 1 + rng.Uint64N(1<<width-1)
		}
		choices, cost := checkRadii(t, headers, width), looksUp(headers)
		for k, c := range choices {
			least := math.Inf(1)
			radii := make([]int8, len(headers))
			var try func(i int, sum float64)
			try = func(i int, sum float64) {
				switch {
				case sum >= least:
				case i == len(headers):
					if shown(headers, radii, width, k) {
						least = sum
					}
				default:
					for r := -1; r <= bits.OnesCount64(headers[i]); r++ {
						radii[i] = int8(r)
						try(i+1, sum+cost(i, r))
					}
				}
			}
			try(0, 0)
			if c.cost != least {
				t.Fatalf("headers %b, k = %d: radii %v cost %v, where the least is %v", headers, k, c.radii, c.cost, least)
			}
		}
	}
}

// The design of ten million fingerprints has two tables that share no bit, and three with the headers AB, AC and BC.
func TestCheapestRadiiOfTheDefault(t *testing.T) {
	d := Choose(64, 1e7, 3, 0).Design
	for k, most := range map[int]float64{1: 2, 2: 3, 3: 5, 4: 25, 6: 100, 8: 500, 12: 4000} {
		c := cheapestRadii(d.Headers(), 12, looksUp(d.Headers()))[k]
		if c.cost > most {
			t.Errorf("k = %d: radii %v look up %v headers, want at most %v", k, c.radii, c.cost, most)
		}
	}
}

// Every design has radii for every distance.
func TestCheapestRadiiOfDesigns(t *testing.T) {
	for _, d := range designs(t) {
		if d.Width() > 12 {
			continue
		}
		for k, c := range checkRadii(t, d.Headers(), d.Width()) {
			if math.IsInf(c.cost, 1) {
				t.Errorf("%v: no radii for k = %d", d, k)
			}
		}
	}
}

func FuzzCheapestRadii(f *testing.F) {
	f.Add(uint64(0x3f_0fc0_003f), uint8(3))
	f.Add(uint64(0x0f3_3c0_c0c_303), uint8(5))
	f.Fuzz(func(t *testing.T, seed uint64, tables uint8) {
		rng := rand.New(rand.NewPCG(seed, 4))
		headers := make([]uint64, 1+tables%9)
		for i := range headers {
			headers[i] = rng.Uint64N(1<<9) & (seed>>i | rng.Uint64()) // may be empty, and equal
		}
		checkRadii(t, headers, 9)
	})
}
