package lsh

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"simsearch/internal/ground/ints"
)

// A signature keeps eight bits of each position of a sketch. So eight positions are a number of 64 bits,
// and the key of a band is the bytes of its positions. Values that differ agree in these bits with
// probability 1/256, which the S-curve takes into account. A signature of 128 positions takes 128 bytes,
// and bands for any threshold can be cut from it later.

// Signatures are the signatures of the sets 0 to Len()-1, which may be in several slices. After the last
// Add they are safe for concurrent use.
type Signatures struct {
	positions int
	at        []*byte
}

// NewSignatures returns an empty list of signatures of the given number of positions, with room for n.
func NewSignatures(positions, n int) *Signatures {
	return &Signatures{positions, make([]*byte, 0, n)}
}

// Add adds signatures that follow each other without a gap. They are not copied, and must not change.
func (s *Signatures) Add(signatures []byte) {
	for ; len(signatures) >= s.positions; signatures = signatures[s.positions:] {
		s.at = append(s.at, &signatures[0])
	}
}

// Len returns the number of signatures.
func (s *Signatures) Len() int { return len(s.at) }

// Of returns the signature of set i.
func (s *Signatures) Of(i uint32) []byte { return unsafe.Slice(s.at[i], s.positions) }

// Key returns the key of band i of a signature, as Tables have it. The first position of the band
// is the highest byte of the key. i is in [0, b.Bands), and b.Rows is at most MaxRows.
func (b Bands) Key(signature []byte, i int) uint64 { return key(signature[i*b.Rows:], b.Rows) }

// key returns the first r positions of a band as a number. The first position is the highest byte, so that
// keys with the same first positions are neighbours. If r is more than MaxRows, it is a hash, which different
// positions may have by chance.
func key(band []byte, r int) (k uint64) {
	for at := 0; ; at += MaxRows {
		var p [MaxRows]byte
		copy(p[:], band[at:r])
		if k ^= binary.BigEndian.Uint64(p[:]); at+MaxRows >= r {
			return k
		}
		k = fold(k)
	}
}

func fold(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return (hi ^ lo) * 0x94d049bb133111eb
}

// sorted returns the keys of band i, in ascending order, and the set of each. Sets of equal keys ascend. If in is not
// nil, only keys that it accepts are there.
func (s *Signatures) sorted(b Bands, i int, in func(key uint64) bool) (keys []uint64, sets []uint32) {
	if in == nil {
		keys, sets = make([]uint64, 0, s.Len()), make([]uint32, 0, s.Len())
	}
	for set := range uint32(s.Len()) {
		if k := key(s.Of(set)[i*b.Rows:], b.Rows); in == nil || in(k) {
			keys, sets = append(keys, k), append(sets, set)
		}
	}
	ints.SortPairs(keys, sets)
	return keys, sets
}
