package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"simsearch/internal/atomicfile"
)

// spoolHolds is how many bytes a spool keeps in memory.
const spoolHolds = 4 << 20

// A spool is a long list of integers that is read from front to back: what is too much for memory lies in a temporary file. The zero value is empty.
type spool struct {
	dir     string
	held    []byte
	file    *os.File
	written int64 // bytes of the file
}

// add appends xs, eight bytes each, little-endian.
func (s *spool) add(xs []uint64) error {
	for _, x := range xs {
		s.held = binary.LittleEndian.AppendUint64(s.held, x)
	}
	if len(s.held) < spoolHolds {
		return nil
	}
	if s.file == nil {
		// Whoever next holds the lock of the index removes it, should we not come to it.
		f, err := os.CreateTemp(s.dir, atomicfile.TempPattern)
		if err != nil {
			return err
		}
		s.file = f
	}
	if _, err := s.file.WriteAt(s.held, s.written); err != nil {
		return err
	}
	s.written += int64(len(s.held))
	s.held = s.held[:0]
	return nil
}

// reader returns a reader of all that has been added. Nothing may be added while it is used.
func (s *spool) reader() io.Reader {
	held := bytes.NewReader(s.held)
	if s.file == nil {
		return held
	}
	return io.MultiReader(bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.written), 1<<20), held)
}

// close removes the file, if there is one.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	*s = spool{dir: s.dir}
	return err
}
