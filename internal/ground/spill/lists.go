package spill

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Holds is how many bytes a spool usually keeps in memory.
const Holds = 64 << 20

// A spool of lists first allocates leastChunk bytes, then twice as many as before, up to chunk at a time. Growing one
// slice would copy them.
const leastChunk, chunk = 1 << 12, 1 << 20

// Lists are lists of integers that are read from front to back: bytes that are spooled, little-endian, eight an
// integer.
type Lists struct{ Bytes }

// Add appends a copy of xs in memory.
func (s *Lists) Add(xs []uint64) {
	room := s.room(8 * len(xs))
	for i, x := range xs {
		binary.LittleEndian.PutUint64(room[8*i:], x)
	}
}

// ErrCut is returned if a temporary file has lost something.
var ErrCut = errors.New("a temporary file has been cut short")

// Scan calls do with lists of the given lengths, which are those that have been added, in order. A list is
// valid until do returns. Nothing may be added while Scan runs. Several goroutines may scan.
func (s *Lists) Scan(length func(i int) (n int, ok bool), do func(i int, xs []uint64) error) error {
	bytes := func(i int) (int, bool) {
		n, ok := length(i)
		return 8 * n, ok
	}
	var xs []uint64
	return s.Bytes.Scan(bytes, func(i int, b []byte) error {
		xs = slices.Grow(xs[:0], len(b)/8)[:len(b)/8]
		for j := range xs {
			xs[j] = binary.LittleEndian.Uint64(b[8*j:])
		}
		return do(i, xs)
	})
}
