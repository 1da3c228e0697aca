package report

import "math"

// A scale maps values of an axis to places in the drawing.
type scale struct {
	lo, hi   float64 // the range of the values, or of their logarithms
	from, to float64
	log      bool
	whole    bool
}

// scale returns the scale of axis a between the places from and to. Its values are point[of] of each
// point: 0 for x, 1 for y.
func (p *Plot) scale(a Axis, of int, from, to float64) scale {
	s := scale{from: from, to: to, log: a.Log, whole: a.Whole, lo: math.Inf(1), hi: math.Inf(-1)}
	if a.Min != a.Max && !a.Log {
		s.lo, s.hi = a.Min, a.Max
		return s
	}
	for _, series := range p.Series {
		for _, point := range series.Points {
			if v := point[of]; !a.Log {
				s.lo, s.hi = min(s.lo, v), max(s.hi, v)
			} else if v > 0 {
				s.lo, s.hi = min(s.lo, math.Floor(math.Log10(v))), max(s.hi, math.Ceil(math.Log10(v)))
			}
		}
	}
	if s.lo > s.hi { // no points
		s.lo, s.hi = 0, 1
	}
	if s.lo == s.hi {
		s.hi = s.lo + 1
	}
	if !a.Log {
		step := s.step()
		s.lo, s.hi = math.Floor(s.lo/step)*step, math.Ceil(s.hi/step)*step
	}
	return s
}

// has reports whether the scale has a place for a value.
func (s scale) has(v float64) bool {
	if s.log {
		if v <= 0 {
			return false
		}
		v = math.Log10(v)
	}
	slack := (s.hi - s.lo) * 1e-9
	return v >= s.lo-slack && v <= s.hi+slack
}

// at returns the coordinate of a value.
func (s scale) at(v float64) float64 {
	if s.log {
		v = math.Log10(v)
	}
	return s.from + (v-s.lo)/(s.hi-s.lo)*(s.to-s.from)
}

// step returns the distance between ticks: 1, 2 or 5 times a power of ten, such that there are four to
// ten ticks, or fewer at whole numbers.
func (s scale) step() float64 {
	raw := (s.hi - s.lo) / 8
	if s.whole {
		raw = max(raw, 1)
	}
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, times := range []float64{1, 2, 5} {
		if raw <= times*unit {
			return times * unit
		}
	}
	return 10 * unit
}

// ticks returns the values of the ticks of an axis.
func (s scale) ticks() (out []float64) {
	if s.log {
		for e := s.lo; e <= s.hi; e++ {
			out = append(out, math.Pow(10, e))
		}
		return out
	}
	step := s.step()
	for i := math.Ceil(s.lo/step - 1e-9); i*step <= s.hi+step*1e-9; i++ {
		out = append(out, i*step)
	}
	return out
}
