// Package minhash estimates the Jaccard similarity of sets from short sketches.
//
//	s := minhash.DefaultVariant.New(128, 0)
//	a := s.Sketch(nil, elementsA)
//	b := s.Sketch(nil, elementsB)
//	j := s.Jaccard(a, b) // give or take minhash.StandardError(j, 128)
//
// A sketch is a sample of its set. Samples are coordinated: the more two sets agree, the more their
// sketches do. The variants differ in how they draw the sample, and so in cost and in error:
//
//   - [VariantIndependent] has the least value of each of k independent functions. It is the reference.
//   - [VariantXORMasks] has one function and k masks. It is cheaper, and worse on small sets.
//   - [VariantBottomK] has the k least values of one function. It cannot be cut into bands.
//   - [VariantFast] is fast similarity sketching. It takes one pass for large sets, and its error is small.
//   - [VariantSuper] is SuperMinHash. Its error is that of VariantFast, and sets of up to a hundred elements take less time. It is
//     the default of an index.
//
// [Pack] keeps a byte of each position for storage.
//
// Source: A. Broder, "On the Resemblance and Containment of Documents",
// SEQUENCES 1997 (https://doi.org/10.1109/SEQUEN.1997.666900).
package minhash

import (
	"fmt"

	"simsearch/internal/ground/ints"
)

// A Sketcher makes sketches of one variant, size and seed. It is immutable and safe for
// concurrent use. Only sketches of equal Sketchers can be compared.
type Sketcher interface {
	// Sketch appends the sketch of a set to dst and returns the extended slice. Elements are any 64-bit
	// numbers, such as hashes. Equal elements count once. It allocates only to grow dst.
	Sketch(dst, elements []uint64) []uint64
	// Jaccard estimates |A∩B| / |A∪B|, in [0, 1], from the sketches of two sets. Neither set may be
	// empty.
	Jaccard(a, b []uint64) float64
}

// A Variant is a way to draw the sample. The zero value is none.
type Variant uint8

// The variants, in the order of the package comment.
const (
	VariantIndependent Variant = iota + 1
	VariantXORMasks
	VariantBottomK
	VariantFast
	VariantSuper
)

// DefaultVariant is that of sketches for which nobody names one.
const DefaultVariant = VariantSuper

var variantNames = &ints.Names{Type: "Variant", What: "variant of MinHash", First: 1, All: []string{"none", "independent", "xor", "bottom-k", "fast", "super"}}

// Variants returns all variants, in the order of the package comment.
func Variants() []Variant {
	return []Variant{VariantIndependent, VariantXORMasks, VariantBottomK, VariantFast, VariantSuper}
}

// String returns the name of v, or "none".
func (v Variant) String() string { return variantNames.String(uint8(v)) }

// Bandable reports whether sketches of v can be cut into bands, because equal positions of two sketches
// are comparable. Those of VariantBottomK cannot.
func (v Variant) Bandable() bool { return v != VariantBottomK }

// MarshalText returns the name of v. The error is always nil.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText sets v to the variant called text. The error lists all names.
func (v *Variant) UnmarshalText(text []byte) error { return ints.ParseName(variantNames, v, text) }

// MaxPositions is the largest number of positions of a sketch.
const MaxPositions = 1 << 14

// New returns a Sketcher of this variant with k positions, k in [1, MaxPositions], whose functions seed determines.
// That of no variant is VariantFast.
func (v Variant) New(k int, seed uint64) Sketcher {
	if k < 1 || k > MaxPositions {
		panic(fmt.Sprintf("minhash: %d positions, want 1 to %d", k, MaxPositions))
	}
	switch v {
	case VariantIndependent:
		return newIndependent(k, seed)
	case VariantXORMasks:
		return newXORMasks(k, seed)
	case VariantBottomK:
		return newBottomK(k, seed)
	case VariantSuper:
		return newSuper(k, seed)
	default:
		return newFast(k, seed)
	}
}

// Containment estimates |A∩B| / |A|, in [0, 1], from the Jaccard similarity of A and B and their sizes.
// sizeA > 0. Its error is up to (|A|+|B|) / |A| times that of the similarity, which is large if A is much
// smaller than B.
func Containment(jaccard float64, sizeA, sizeB int) float64 {
	both := jaccard / (1 + jaccard) * float64(sizeA+sizeB)
	return min(1, both/float64(sizeA))
}

// byPosition is the estimate of all variants but bottomK: the share of positions at which two sketches agree.
type byPosition struct{}

// Jaccard implements Sketcher.
func (byPosition) Jaccard(a, b []uint64) float64 {
	if len(a) != len(b) || len(a) == 0 {
		panic(fmt.Sprintf("minhash: sketches of %d and %d positions", len(a), len(b)))
	}
	equal := 0
	for i, x := range a {
		if x == b[i] {
			equal++
		}
	}
	return float64(equal) / float64(len(a))
}

// splitMix is the generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators", OOPSLA 2014 (https://doi.org/10.1145/2660193.2660195).
func splitMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	return mix(*state)
}

// mix is the last step of splitMix, a bijection of 64 bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// keys returns n random keys.
func keys(n int, seed uint64) []uint64 {
	ks := make([]uint64, n)
	for i := range ks {
		ks[i] = splitMix(&seed)
	}
	return ks
}
