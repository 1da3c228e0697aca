package segment

import (
	"bufio"
	"bytes"
	"io"

	"simsearch/internal/disk"
)

// A byteSpool is bytes that are read from front to back. The part that exceeds its memory lies in a temporary
// file in dir.
type byteSpool struct {
	fs      disk.FS
	dir     string
	hold    int // bytes in memory; further bytes go to the file
	held    [][]byte
	bytes   int // in held
	file    disk.File
	written int64 // bytes in the file
}

// add appends b, which it keeps, in memory.
func (s *byteSpool) add(b []byte) {
	s.held = append(s.held, b)
	s.bytes += len(b)
}

// flush writes to the file what exceeds the memory. After an error nothing is lost, and flush can be called
// again.
func (s *byteSpool) flush() error {
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
	for len(s.held) > 0 {
		if _, err := s.file.WriteAt(s.held[0], s.written); err != nil {
			return err
		}
		s.written += int64(len(s.held[0]))
		s.bytes -= len(s.held[0])
		s.held = s.held[1:]
	}
	return nil
}

// reader returns a reader of everything that has been added. Nothing may be added while it is used.
func (s *byteSpool) reader() io.Reader {
	var parts []io.Reader
	if s.file != nil {
		parts = append(parts, bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.written), 1<<20))
	}
	for _, b := range s.held {
		parts = append(parts, bytes.NewReader(b))
	}
	return io.MultiReader(parts...)
}

// close removes the file, if there is one.
func (s *byteSpool) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	*s = byteSpool{fs: s.fs, dir: s.dir, hold: s.hold}
	return err
}
