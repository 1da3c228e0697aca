package segment

import (
	"encoding/binary"
	"errors"
	"io"
)

// spoolHolds is how many bytes a spool keeps in memory.
const spoolHolds = 64 << 20

// spoolChunk is how many bytes a spool of lists allocates at a time. Growing one slice would copy them.
const spoolChunk = 1 << 20

// A spool is a long list of lists of integers that is read from front to back: bytes that are spooled,
// little-endian, eight an integer.
type spool struct{ byteSpool }

// add appends a copy of xs in memory.
func (s *spool) add(xs []uint64) {
	last := len(s.held) - 1
	if last < 0 || cap(s.held[last])-len(s.held[last]) < 8*len(xs) {
		s.held = append(s.held, make([]byte, 0, max(spoolChunk, 8*len(xs))))
		last++
	}
	at := len(s.held[last])
	s.held[last] = s.held[last][:at+8*len(xs)]
	for i, x := range xs {
		binary.LittleEndian.PutUint64(s.held[last][at+8*i:], x)
	}
	s.bytes += 8 * len(xs)
}

// errCut is returned if a temporary file has lost something.
var errCut = errors.New("a temporary file has been cut short")

// scan calls do with lists of the given lengths, which are those that have been added, in order. A list is
// valid until do returns. Nothing may be added while scan runs. Several goroutines may scan.
func (s *spool) scan(length func(i int) (n int, ok bool), do func(i int, xs []uint64) error) error {
	r := s.reader()
	var b []byte
	var xs []uint64
	for i, left := 0, s.written+int64(s.bytes); left > 0; i++ {
		n, ok := length(i)
		if !ok || int64(8*n) > left {
			return errCut
		}
		if cap(b) < 8*n {
			b, xs = make([]byte, 8*n), make([]uint64, n)
		}
		b, xs = b[:8*n], xs[:n]
		if _, err := io.ReadFull(r, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errCut
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
