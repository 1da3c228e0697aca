package lsh

import (
	"encoding/binary"
	"unsafe"
)

// Signatures are those of the sets 0 to Len()-1, wherever they lie. They are safe for
// concurrent use once all are added.
type Signatures struct {
	positions int
	at        []*byte
}

// NewSignatures returns no signatures yet, of so many positions each, with room for n.
func NewSignatures(positions, n int) *Signatures {
	return &Signatures{positions, make([]*byte, 0, n)}
}

// Add adds signatures that lie one behind the other. They are referred to, not copied.
func (s *Signatures) Add(signatures []byte) {
	for ; len(signatures) >= s.positions; signatures = signatures[s.positions:] {
		s.at = append(s.at, &signatures[0])
	}
}

// Len returns the number of signatures.
func (s *Signatures) Len() int { return len(s.at) }

// Of returns the signature of set i.
func (s *Signatures) Of(i uint32) []byte { return unsafe.Slice(s.at[i], s.positions) }

// Key returns the key of band i, in [0, Bands), of a signature, as Tables hold it: the positions
// of the band, the first as the highest byte. Rows must be at most MaxRows.
func (b Bands) Key(signature []byte, i int) uint64 { return key(signature[i*b.Rows:], b.Rows) }

// maxRows is how many rows the key of a stored band has room for.
const maxRows = 8

// key returns the r first positions of a band, r at most maxRows, as a number: the first
// position is its highest byte, so that all keys that begin alike are neighbours.
func key(band []byte, r int) uint64 {
	var p [maxRows]byte
	copy(p[:], band[:r])
	return binary.BigEndian.Uint64(p[:])
}
