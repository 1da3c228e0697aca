package spill

import (
	"encoding/binary"
	"errors"
	"io"
)

// Holds is how many bytes a spool usually keeps in memory.
const Holds = 64 << 20

// chunk is how many bytes a spool of lists allocates at a time. Growing one slice would copy them.
const chunk = 1 << 20

// Lists are lists of integers that are read from front to back: bytes that are spooled, little-endian, eight an
// integer.
type Lists struct{ Bytes }

// Add appends a copy of xs in memory.
func (s *Lists) Add(xs []uint64) {
	last := len(s.held) - 1
	if last < 0 || cap(s.held[last])-len(s.held[last]) < 8*len(xs) {
		s.held = append(s.held, make([]byte, 0, max(chunk, 8*len(xs))))
		last++
	}
	at := len(s.held[last])
	s.held[last] = s.held[last][:at+8*len(xs)]
	for i, x := range xs {
		binary.LittleEndian.PutUint64(s.held[last][at+8*i:], x)
	}
	s.bytes += 8 * len(xs)
}

// ErrCut is returned if a temporary file has lost something.
var ErrCut = errors.New("a temporary file has been cut short")

// Scan calls do with lists of the given lengths, which are those that have been added, in order. A list is
// valid until do returns. Nothing may be added while Scan runs. Several goroutines may scan.
func (s *Lists) Scan(length func(i int) (n int, ok bool), do func(i int, xs []uint64) error) error {
	r := s.Reader()
	var b []byte
	var xs []uint64
	for i, left := 0, s.written+int64(s.bytes); left > 0; i++ {
		n, ok := length(i)
		if !ok || int64(8*n) > left {
			return ErrCut
		}
		if cap(b) < 8*n {
			b, xs = make([]byte, 8*n), make([]uint64, n)
		}
		b, xs = b[:8*n], xs[:n]
		if _, err := io.ReadFull(r, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return ErrCut
		} else if err != nil {
			return err
		}
		for j := range xs {
			xs[j] = binary.LittleEndian.Uint64(b[8*j:])
		}
		if err := do(i, xs); err != nil {
			return err
		}
		left -= int64(8 * n)
	}
	return nil
}
