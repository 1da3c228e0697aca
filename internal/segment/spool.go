package segment

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"simsearch/internal/disk"
)

// spoolHolds is how many bytes a spool keeps in memory.
const spoolHolds = 64 << 20

// spoolChunk is how many integers a spool allocates at a time. Growing one slice would copy them.
const spoolChunk = 1 << 17

// A spool is a long list of lists of integers that is read from front to back. The part that exceeds its
// memory lies in a temporary file in dir, little-endian, eight bytes an integer.
type spool struct {
	fs      disk.FS
	dir     string
	hold    int // bytes in memory; further bytes go to the file
	held    [][]uint64
	bytes   int // in held
	file    disk.File
	written int64 // bytes in the file
}

// add appends a copy of xs, which is not empty, in memory. xs is not divided among chunks.
func (s *spool) add(xs []uint64) {
	last := len(s.held) - 1
	if last < 0 || cap(s.held[last])-len(s.held[last]) < len(xs) {
		s.held = append(s.held, make([]uint64, 0, max(spoolChunk, len(xs))))
		last++
	}
	s.held[last] = append(s.held[last], xs...)
	s.bytes += 8 * len(xs)
}

// flush writes to the file what exceeds the memory. After an error nothing is lost, and flush can
// be called again.
func (s *spool) flush() error {
	if s.bytes < s.hold {
		return nil
	}
	if s.file == nil {
		f, err := s.fs.CreateTemp(s.dir)
		if err != nil {
			return err
		}
		s.file = f
	}
	var b []byte
	for len(s.held) > 0 {
		b = b[:0]
		for _, x := range s.held[0] {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		if _, err := s.file.WriteAt(b, s.written); err != nil {
			return err
		}
		s.written += int64(len(b))
		s.bytes -= len(b)
		s.held = s.held[1:]
	}
	return nil
}

// errCut is returned if the temporary file has lost something.
var errCut = errors.New("the temporary file of features has been cut short")

// scan calls do with lists of the given lengths, which are those that have been added, in order. A list is
// valid until do returns. Nothing may be added while scan runs. Several goroutines may scan.
func (s *spool) scan(length func(i int) (n int, ok bool), do func(i int, xs []uint64) error) error {
	i := 0
	if s.file != nil {
		r := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.written), 1<<20)
		var b []byte
		var xs []uint64
		for left := s.written; left > 0; i++ {
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
	}
	for _, chunk := range s.held {
		for len(chunk) > 0 {
			n, ok := length(i)
			if !ok || n > len(chunk) {
				return errCut
			}
			if err := do(i, chunk[:n:n]); err != nil {
				return err
			}
			chunk = chunk[n:]
			i++
		}
	}
	return nil
}

// close removes the file, if there is one.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	*s = spool{fs: s.fs, dir: s.dir, hold: s.hold}
	return err
}
