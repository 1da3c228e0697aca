// Package minhash estimates the Jaccard similarity of sets from short sketches.
//
//	s := minhash.NewFast(128, 0)
//	a := s.Sketch(nil, elementsA)
//	b := s.Sketch(nil, elementsB)
//	j := s.Jaccard(a, b) // give or take minhash.StandardError(j, 128)
//
// A sketch holds a sample of its set that another set's sketch holds, too, as far as the
// sets agree. The variants differ in how they draw it, and so in cost and in error:
//
//   - [Independent]: k independent functions, the least value of each. The reference.
//   - [XORMasks]: one function and k masks. Cheaper, and worse on small sets.
//   - [BottomK]: one function, its k least values. Cannot be cut into bands.
//   - [Fast]: fast similarity sketching. One pass for large sets, and the least error.
//
// [Pack] keeps a few bits of each position for storage.
//
// Source: A. Broder, "On the Resemblance and Containment of Documents",
// SEQUENCES 1997 (https://doi.org/10.1109/SEQUEN.1997.666900).
package minhash

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Sketcher makes sketches of one variant, size and seed. It is immutable and safe for
// concurrent use. Only sketches of equal Sketchers can be compared.
type Sketcher interface {
	// Sketch appends the sketch of a set to dst and returns the extended slice. Elements
	// should be 64-bit hashes, but need not be: runs of numbers do as well. Equal ones
	// count once. It allocates only to grow dst.
	Sketch(dst, elements []uint64) []uint64
	// Jaccard estimates |A∩B| / |A∪B|, in [0, 1], from the sketches of two sets that are
	// not empty.
	Jaccard(a, b []uint64) float64
}

// A Variant is a way of drawing the sample.
type Variant uint8

// The variants, in the order of the package's comment.
const (
	VariantIndependent Variant = iota
	VariantXORMasks
	VariantBottomK
	VariantFast
)

var variantNames = []string{"independent", "xor-masks", "bottom-k", "fast"}

// Variants returns all variants.
func Variants() []Variant {
	return []Variant{VariantIndependent, VariantXORMasks, VariantBottomK, VariantFast}
}

// ParseVariant returns the variant called name.
func ParseVariant(name string) (Variant, error) {
	i := slices.Index(variantNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown variant of MinHash %q: want one of %s", name, strings.Join(variantNames, ", "))
	}
	return Variant(i), nil
}

// String returns the name that ParseVariant reads.
func (v Variant) String() string { return variantNames[v] }

// MarshalText returns the name that ParseVariant reads.
func (v Variant) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (v *Variant) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVariant(string(text))
	return err
}

// New returns a Sketcher of this variant with k positions, k in [1, MaxPositions].
func (v Variant) New(k int, seed uint64) Sketcher {
	switch v {
	case VariantIndependent:
		return NewIndependent(k, seed)
	case VariantXORMasks:
		return NewXORMasks(k, seed)
	case VariantBottomK:
		return NewBottomK(k, seed)
	default:
		return NewFast(k, seed)
	}
}

// MaxPositions is the largest number of positions of a sketch.
const MaxPositions = 1 << 14

func checkPositions(k int) {
	if k < 1 || k > MaxPositions {
		panic(fmt.Sprintf("minhash: %d positions, want 1 to %d", k, MaxPositions))
	}
}

// StandardError returns the standard deviation of an estimate from k positions where the
// similarity is j: √(j(1−j)/k), at most 1/(2√k).
func StandardError(j float64, k int) float64 { return math.Sqrt(j * (1 - j) / float64(k)) }

// Containment estimates |A∩B| / |A|, in [0, 1], from the Jaccard similarity of A and B and
// their sizes, sizeA > 0. Its error is that of the similarity times up to (|A|+|B|) / |A|,
// so that it says little where A is much the smaller set.
func Containment(jaccard float64, sizeA, sizeB int) float64 {
	both := jaccard / (1 + jaccard) * float64(sizeA+sizeB)
	return min(1, both/float64(sizeA))
}

// agreement is the estimate of the variants whose positions are drawn alike: the share of
// positions at which the sketches agree.
func agreement(a, b []uint64) float64 {
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

// mix is the bijection of 64 bits that splitMix ends with.
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
