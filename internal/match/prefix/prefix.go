// Package prefix finds the sets whose Jaccard similarity is at least a threshold, without a miss. A
// set is a strictly ascending list of 64-bit hashes of features.
//
//	err := prefix.Write(ctx, w, source, 0.8, prefix.Options{})
//	sets := prefix.Load(f, uint64(len(source)))
//	found, err := sets.Near(ctx, nil, query, 0.8, nil)
//
// Two sets with many common features share some of the first features of each, in any order that both are in (prefix
// filtering: Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007). The order is rarest first, so that few
// sets share a first feature. For a query, a pair must share several first features, of prefixes that are longer by
// as many (Wang, Li and Feng 2012), which leaves few candidates. Joins and stars compare sketches of the sets that
// share one. All candidates are compared feature by feature.
//
// A vocabulary numbers the features by rarity. Sets are stored as ascending ranks in this order, of
// which the differences take little more than a byte each. Joins use this order. Queries use a coarser one,
// in which the place of a feature is known without looking up its rank.
package prefix

import "fmt"

// A Measure says how near two sets of a and b features are, by how many of them they share: Jaccard or Contained.
type Measure func(shared, a, b int) float64

// Jaccard is the share of the features of both sets that both have. It divides as ints.Jaccard does, so that both
// agree at a threshold.
func Jaccard(shared, a, b int) float64 { return float64(shared) / float64(a+b-shared) }

// Contained is the share of the features of the smaller set that the larger one has.
func Contained(shared, a, b int) float64 { return float64(shared) / float64(min(a, b)) }

// Similar reports whether two sets of a and b features, of which they share the given number, have a
// Jaccard similarity of at least t.
func Similar(shared, a, b int, t float64) bool { return Jaccard(shared, a, b) >= t }

// LeastShared returns the least number of features that sets of a and b features share if their
// Jaccard similarity is at least t, in (0, 1]. It may be more than a or b; then no such sets are
// similar. a and b are positive.
func LeastShared(a, b int, t float64) int {
	n := max(1, int(t/(1+t)*float64(a+b))-1)
	for n < a+b && !Similar(n, a, b, t) {
		n++
	}
	return n
}

// LeastSize returns the least number of features of a set that is similar to one of n features. A similar pair shares
// at least as many features as LeastSize of the larger set. If the smaller one has n, it is also how many a pair
// shares whose Contained is at least t.
func LeastSize(n int, t float64) int {
	m := max(1, int(t*float64(n))-1)
	for m < n && !Similar(m, n, m, t) {
		m++
	}
	return m
}

// MostSize returns the largest number of features of a set that is similar to one of n features, or
// most if that is less.
func MostSize(n int, t float64, most int) int {
	if float64(most)*t <= float64(n) {
		return most
	}
	m := int(float64(n)/t) + 2
	for m > n && !Similar(n, n, m, t) {
		m--
	}
	return min(m, most)
}

// MostSharing returns the size of the largest set that is similar to a set of n features with which it shares at most
// the given number. It may return one more if t is no quotient of small numbers.
func MostSharing(n, shared int, t float64) int {
	return max(0, int(float64(min(shared, n))*((1+t)/t)+1e-6)-n) // the product may be less than it is
}

// Needed returns how many first features of a set of n suffice for finding, by common first
// features, all sets that share at least least features with it.
func Needed(n, least, common int) int { return max(0, min(n, n-least+common)) }

// Lengths are those of the prefixes in which sets of a similarity of T share features.
type Lengths struct{ T float64 }

// Short returns how many first features of a set of n features must be indexed to find it by sets of at
// least n features that share the given number of first features with it.
func (l Lengths) Short(n, common int) int { return Needed(n, LeastShared(n, n, l.T), common) }

// Probed returns how many first features of a set of n must be looked up to find sets of at most n features.
func (l Lengths) Probed(n, common int) int { return Needed(n, LeastSize(n, l.T), common) }

// Unshared returns what a set of n features adds to the number of features that belong to one alone of two similar
// sets: this number is at most one more than what both sets add.
func (l Lengths) Unshared(n int) int { return int(float64(n)*((1-l.T)/(1+l.T)) + 1e-6) } // the product may be less than it is

// A Plan says what stored prefixes are made for.
type Plan struct {
	Threshold float64 // the least similarity that they can find, in (0, 1]
	Common    int     // how many first features a candidate shares, from 1 to maxCommon
}

func (p Plan) check() error {
	if !(p.Threshold > 0 && p.Threshold <= 1) || p.Common < 1 || p.Common > maxCommon {
		return fmt.Errorf("prefixes for a similarity of %v by %d common features: want more than 0 and at most 1, and 1 to %d",
			p.Threshold, p.Common, maxCommon)
	}
	return nil
}

// stored returns how many first features of a set of n have postings, if candidates share the given number of them. A
// set of at most n features looks up as many.
func (p Plan) stored(n, common int) int { return Lengths{p.Threshold}.Probed(n, common) }

// Short returns how many first features of a set of n suffice to find it by sets of at least n features, which look
// up as many as stored says.
func (p Plan) Short(n, common int) int { return Lengths{p.Threshold}.Short(n, common) }
