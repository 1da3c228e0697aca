package segment

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"simsearch/internal/disk"
)

// spoolHolds is how many bytes a spool keeps in memory.
const spoolHolds = 4 << 20

// A spool is a long list of integers that is read from front to back. The part that exceeds its
// memory lies in a temporary file in dir.
type spool struct {
	fs      disk.FS
	dir     string
	hold    int // bytes in memory; further bytes go to the file
	held    []byte
	file    disk.File
	written int64 // bytes in the file
}

// add appends xs in memory, little-endian, eight bytes each.
func (s *spool) add(xs []uint64) {
	for _, x := range xs {
		s.held = binary.LittleEndian.AppendUint64(s.held, x)
	}
}

// flush writes to the file what exceeds the memory. After an error nothing is lost, and flush can
// be called again.
func (s *spool) flush() error {
	if len(s.held) < s.hold {
		return nil
	}
	if s.file == nil {
		f, err := s.fs.CreateTemp(s.dir)
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

// reader returns a reader of everything that has been added. Nothing may be added while it is used.
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
	err := s.file.Close()
	*s = spool{fs: s.fs, dir: s.dir, hold: s.hold}
	return err
}
