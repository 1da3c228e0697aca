// Package fingerprint makes Charikar SimHash fingerprints of 64 or 32 bits from
// the hashes of features.
//
//	hashes := []uint64{fingerprint.Murmur3.Sum(word1), fingerprint.Murmur3.Sum(word2)}
//	fp, ok := fingerprint.Unit(hashes, 64) // ok is false for a document without features
//	text := fingerprint.Format(fp, 64)     // 16 hexadecimal digits
//
// A feature has a hash h and a weight w > 0. V[j] is the sum of w over the features that have bit j of h
// set, less the sum over the other features. Bit j of the fingerprint is 1 if and only if V[j] >= 0, so
// that a tie gives 1. Bit 0 is the least significant one of hash and fingerprint. A fingerprint of 32
// bits is the lower half of that of 64 bits. Sums are sums of integers, so that neither the order of
// features nor the processor matters.
//
// Source: M. Charikar, "Similarity Estimation Techniques from Rounding Algorithms",
// STOC 2002, section 3 (https://doi.org/10.1145/509907.509965).
package fingerprint

import (
	"fmt"
	"math"
	"strconv"
)

// CheckBits returns an error unless bits is a width of fingerprints, 64 or 32.
func CheckBits(bits int) error {
	if bits != 64 && bits != 32 {
		return fmt.Errorf("unknown width of %d bits: want 64 or 32", bits)
	}
	return nil
}

// Format returns the text form of a fingerprint: bits/4 lower-case hexadecimal
// digits, the most significant first.
func Format(fp uint64, bits int) string {
	const digits = "0123456789abcdef"
	var text []byte
	for shift := bits - 4; shift >= 0; shift -= 4 {
		text = append(text, digits[fp>>shift&15])
	}
	return string(text)
}

// Parse parses the text form of a fingerprint of bits bits. It accepts upper-case digits, too. The error
// names the text.
func Parse(text string, bits int) (uint64, error) {
	if len(text) == bits/4 && text[0] != '+' && text[0] != '-' {
		if fp, err := strconv.ParseUint(text, 16, bits); err == nil {
			return fp, nil
		}
	}
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return 0, fmt.Errorf("%q is not a fingerprint: want %d hexadecimal digits", text, bits/4)
}

// Similarity returns the share of equal bits of fingerprints at distance d: 1 - d/bits, in [0, 1].
func Similarity(d, bits int) float64 { return 1 - float64(d)/float64(bits) }

// Cosine estimates the cosine of the angle θ between two weighted feature vectors, from the distance d
// of their fingerprints. A bit differs with probability θ/π, so that π·d/bits estimates θ. The estimate
// is cos(π·d/bits), in [-1, 1].
func Cosine(d, bits int) float64 { return math.Cos(math.Pi * float64(d) / float64(bits)) }
