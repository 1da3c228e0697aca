package fingerprint

import (
	"crypto/md5"
	"encoding/binary"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/ints"
)

// A Hash is a function from the bytes of a feature to 64 uniform bits.
type Hash uint8

const (
	// Murmur3 is the first half (the low 64 bits) of MurmurHash3 x64-128 with seed 0.
	Murmur3 Hash = iota
	// FNV1a is 64-bit FNV-1a, for agreement with other systems. The last letters of a short feature hardly
	// affect its upper bits.
	FNV1a
	// MD5 is the last eight bytes of the MD5 digest, big-endian. The simhash package of Python uses the
	// same: the digest as a number, modulo 2^64.
	MD5
)

var hashNames = &ints.Names{Type: "Hash", What: "hash", All: []string{"murmur3", "fnv1a", "md5"}}

// String returns the name of h.
func (h Hash) String() string { return hashNames.String(uint8(h)) }

// Validate returns an error unless h is a known hash function.
func (h Hash) Validate() error { return hashNames.Validate(uint8(h)) }

// MarshalText returns the name of h. The error is always nil.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText sets h to the function called text. The error lists all names.
func (h *Hash) UnmarshalText(text []byte) error { return ints.ParseName(hashNames, h, text) }

// Sum returns the hash of a feature. It does not allocate, and does not keep b.
func (h Hash) Sum(b []byte) uint64 {
	switch h {
	case FNV1a:
		return fnv1a(b)
	case MD5:
		digest := md5.Sum(b)
		return binary.BigEndian.Uint64(digest[8:])
	default:
		return murmur3.Sum64(b)
	}
}

// fnv1a is FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). The one of the standard library would
// allocate its state.
func fnv1a(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
