// Package spill says how much memory to use, and keeps what exceeds it in temporary files: long lists that are read
// from front to back, and integers that are sorted.
package spill

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"simsearch/internal/ground/disk"
)

// Bytes are bytes that are read from front to back.
type Bytes struct {
	fs      disk.FS
	dir     string
	hold    int
	held    [][]byte
	bytes   int // in held
	file    disk.File
	written int64 // bytes in the file
	mapped  *disk.Mapped
}

// NewBytes returns an empty spool that holds about hold bytes in memory. Its file will be in dir, or in the
// directory of the system for temporary files if dir is empty.
func NewBytes(fsys disk.FS, dir string, hold int) Bytes { return Bytes{fs: fsys, dir: dir, hold: hold} }

// Add appends b, which it keeps, in memory.
func (s *Bytes) Add(b []byte) {
	s.held = append(s.held, b)
	s.bytes += len(b)
}

// Append appends a copy of b, in memory.
func (s *Bytes) Append(b []byte) { copy(s.room(len(b)), b) }

// room returns room for n bytes behind all that has been appended.
func (s *Bytes) room(n int) []byte {
	last := len(s.held) - 1
	if last < 0 || cap(s.held[last])-len(s.held[last]) < n {
		size := leastChunk
		if last >= 0 {
			size = min(chunk, 2*cap(s.held[last]))
		}
		s.held = append(s.held, make([]byte, 0, max(size, n)))
		last++
	}
	at := len(s.held[last])
	s.held[last] = s.held[last][:at+n]
	s.bytes += n
	return s.held[last][at:]
}

// Flush writes to the file what exceeds the memory. After an error nothing is lost, and Flush can be called
// again.
func (s *Bytes) Flush() error {
	if s.bytes < s.hold {
		return nil
	}
	return s.flush()
}

// flush writes all to the file.
func (s *Bytes) flush() error {
	if s.file == nil {
		f, err := s.fs.CreateTemp(s.dir)
		if err != nil {
			return err
		}
		s.file = f
	}
	for len(s.held) > 0 {
		if _, err := s.file.WriteAt(s.held[0], s.written); err != nil {
			return err
		}
		s.written += int64(len(s.held[0]))
		s.bytes -= len(s.held[0])
		s.held[0] = nil // the list may live on
		s.held = s.held[1:]
	}
	return nil
}

// InFile reports whether there is a file.
func (s *Bytes) InFile() bool { return s.file != nil }

// Reader returns a reader of everything that has been added. Nothing may be added while it is used.
func (s *Bytes) Reader() io.Reader {
	var parts []io.Reader
	if s.file != nil {
		parts = append(parts, bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.written), 1<<20))
	}
	for _, b := range s.held {
		parts = append(parts, bytes.NewReader(b))
	}
	return io.MultiReader(parts...)
}

// Scan calls do with parts of the given lengths, one after the other, which are all that has been added. A part is
// valid until do returns. Nothing may be added while Scan runs. Several goroutines may scan.
func (s *Bytes) Scan(length func(i int) (n int, ok bool), do func(i int, b []byte) error) error {
	r := s.Reader()
	var b []byte
	for i, left := 0, s.written+int64(s.bytes); left > 0; i++ {
		n, ok := length(i)
		if !ok || int64(n) > left {
			return ErrCut
		}
		b = slices.Grow(b[:0], n)[:n]
		if _, err := io.ReadFull(r, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return ErrCut
		} else if err != nil {
			return err
		}
		if err := do(i, b); err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

// At returns n bytes from one on that lies in memory. They have been added together, and there is no file.
func (s *Bytes) At(at, n int) []byte {
	i := 0
	for ; at >= len(s.held[i]); i++ {
		at -= len(s.held[i])
	}
	return s.held[i][at : at+n]
}

// Map returns everything that has been added, in memory or as a mapped file. It is valid until Close, or until the
// next Map.
func (s *Bytes) Map() ([]byte, error) {
	if s.file == nil {
		if len(s.held) != 1 {
			s.held = [][]byte{bytes.Join(s.held, nil)}
		}
		return s.held[0], nil
	}
	err := errors.Join(s.flush(), s.mapped.Close())
	if err == nil {
		s.mapped, err = s.file.Map()
	}
	if err != nil {
		return nil, err
	}
	return s.mapped.Data(), nil
}

// Another returns empty bytes that would lie where s lies.
func (s *Bytes) Another() Bytes { return NewBytes(s.fs, s.dir, s.hold) }

// Close removes the file, if there is one.
func (s *Bytes) Close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.mapped.Close(), s.file.Close())
	*s = s.Another()
	return err
}
