// Package minhash estimates the Jaccard similarity of two sets from short
// signatures.
//
//	fs := minhash.Functions(128, 0)
//	a := minhash.Signature(nil, elementsA, fs)
//	b := minhash.Signature(nil, elementsB, fs)
//	j := minhash.Jaccard(a, b) // give or take minhash.StandardError(j, 128)
//
// A signature holds, for each of k independent hash functions, the least hash of
// the set's elements. Two sets have the same least element under a random order
// with a probability equal to their Jaccard similarity. This is the reference variant:
// k functions, k evaluations an element.
//
// Source: A. Broder, "On the Resemblance and Containment of Documents",
// SEQUENCES 1997 (https://doi.org/10.1109/SEQUEN.1997.666900).
package minhash

import (
	"fmt"
	"math"
)

// A Func maps an element to its place in one order of all elements.
type Func func(element uint64) uint64

// Functions returns k functions drawn by seed. Elements should be 64-bit hashes
// themselves, but need not be: runs of numbers do as well.
func Functions(k int, seed uint64) []Func {
	fs := make([]Func, k)
	state := seed
	for i := range fs {
		// Two keys around two mixings: one key and one mixing would make the k
		// orders those of k XOR masks, which are not independent on small sets.
		before, after := splitMix(&state), splitMix(&state)
		fs[i] = func(x uint64) uint64 { return mix(mix(x^before) + after) }
	}
	return fs
}

// splitMix is the generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators", OOPSLA 2014 (https://doi.org/10.1145/2660193.2660195).
func splitMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	return mix(*state)
}

// mix is the bijection of 64 bits that splitMix ends with.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Signature appends to dst the least value of each function over the elements and
// returns the extended slice. Equal elements count once; an empty set gives the
// largest value everywhere, and must not be compared.
func Signature(dst, elements []uint64, fs []Func) []uint64 {
	for _, f := range fs {
		least := uint64(math.MaxUint64)
		for _, x := range elements {
			least = min(least, f(x))
		}
		dst = append(dst, least)
	}
	return dst
}

// Jaccard estimates the Jaccard similarity of two sets, in [0, 1], as the share of
// positions at which their signatures agree. It panics unless both have the same
// length, at least 1.
func Jaccard(a, b []uint64) float64 {
	if len(a) != len(b) || len(a) == 0 {
		panic(fmt.Sprintf("minhash: signatures of %d and %d positions", len(a), len(b)))
	}
	equal := 0
	for i, x := range a {
		if x == b[i] {
			equal++
		}
	}
	return float64(equal) / float64(len(a))
}

// StandardError returns the standard deviation of an estimate from k positions
// where the similarity is j: √(j(1−j)/k), at most 1/(2√k).
func StandardError(j float64, k int) float64 { return math.Sqrt(j * (1 - j) / float64(k)) }
