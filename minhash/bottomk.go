package minhash

import "slices"

// bottomK has the k least values of one function in ascending order. A set of fewer elements has fewer
// values, and then estimates are exact. Two sketches determine the k least values of the union. The share
// of these that are in both sketches estimates the similarity. They are a sample without replacement, so
// that the error is a little less than that of independent functions. A position has no meaning of its own, so that
// these sketches cannot be cut into bands.
//
// Source: M. Thorup, "Bottom-k and priority sampling, set similarity and subset sums with
// minimal independence", STOC 2013 (https://doi.org/10.1145/2488608.2488655).
type bottomK struct {
	k    int
	seed uint64
}

func newBottomK(k int, seed uint64) *bottomK { return &bottomK{k, mix(seed)} }

// Sketch implements Sketcher. It appends min(k, distinct elements) values.
func (s *bottomK) Sketch(dst, elements []uint64) []uint64 {
	// The values are cut to the k least each time that there are more than twice as many.
	start := len(dst)
	limit := uint64(1<<64 - 1)
	for _, x := range elements {
		if h := mix(x ^ s.seed); h <= limit {
			dst = append(dst, h)
			if len(dst)-start >= 4*s.k {
				dst = s.cut(dst, start)
				if len(dst)-start == s.k {
					limit = dst[len(dst)-1]
				}
			}
		}
	}
	return s.cut(dst, start)
}

// cut keeps the k least distinct values of dst[start:], ascending.
func (s *bottomK) cut(dst []uint64, start int) []uint64 {
	slices.Sort(dst[start:])
	n := len(slices.Compact(dst[start:]))
	return dst[:start+min(n, s.k)]
}

// Jaccard implements Sketcher.
func (s *bottomK) Jaccard(a, b []uint64) float64 {
	union, both := 0, 0
	for i, j := 0, 0; union < s.k && (i < len(a) || j < len(b)); union++ {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			i++
		case i == len(a) || b[j] < a[i]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	if union == 0 {
		return 0
	}
	return float64(both) / float64(union)
}
