package lsh

import (
	"encoding/binary"
	"unsafe"
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
// keys with the same first positions are neighbours. r is at most MaxRows.
func key(band []byte, r int) uint64 {
	var p [MaxRows]byte
	copy(p[:], band[:r])
	return binary.BigEndian.Uint64(p[:])
}
