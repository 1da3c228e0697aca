package intake

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/disk"
)

// A Spool is standard input that can be read again: while it is read first, it is copied to a temporary file.
type Spool struct {
	in   io.Reader // what is left of standard input, or nil
	f    disk.File
	size int64 // of what the file has
	at   int64 // where the next Read begins
}

// NewSpool returns a Spool. Reading it fails when ctx is done.
func NewSpool(ctx context.Context, stdin io.Reader) (*Spool, error) {
	f, err := disk.OS.CreateTemp("")
	if err != nil {
		return nil, err
	}
	return &Spool{in: inputs.Interruptibly(ctx, stdin), f: f}, nil
}

func (s *Spool) Read(p []byte) (n int, err error) {
	if s.at < s.size || s.in == nil {
		n, err = s.f.ReadAt(p[:min(int64(len(p)), s.size-s.at)], s.at)
		if s.at += int64(n); n == 0 && len(p) > 0 && err == nil {
			err = io.EOF
		}
		return n, err
	}
	n, err = s.in.Read(p)
	if _, failed := s.f.Write(p[:n]); failed != nil {
		return 0, fmt.Errorf("standard input: %w", failed)
	}
	s.size += int64(n)
	s.at = s.size
	switch {
	case errors.Is(err, io.EOF):
		s.in = nil
	case err != nil:
		err = fmt.Errorf("standard input: %w", err)
	}
	return n, err
}

// Seek goes to the beginning, the only place that it knows. What is left of standard input is read first.
func (s *Spool) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	if s.in != nil {
		s.at = s.size
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{s}); err != nil {
			return 0, err
		}
	}
	s.at = 0
	return 0, nil
}

// Close removes the file.
func (s *Spool) Close() error { return s.f.Close() }

// IDs calls do with the ids that a list has, one a line. The list is a file, or standard input if the name is "-".
func IDs(ctx context.Context, name string, stdin io.Reader, do func(id []byte) error) error {
	from := stdin
	if name != "-" {
		f, err := inputs.OpenIrregular(ctx, name)
		if err != nil {
			if pe := (*os.PathError)(nil); errors.As(err, &pe) {
				err = fmt.Errorf("cannot read %s: %w", name, pe.Err)
			}
			return err
		}
		defer func() { _ = f.Close() }() // opened for reading: there is nothing to lose
		from = f
	}
	lines := bufio.NewReader(inputs.Interruptibly(ctx, from))
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		id := bytes.TrimRight(line, "\r\n")
		if n == 1 {
			id = bytes.TrimPrefix(id, []byte("\ufeff"))
		}
		if bytes.IndexByte(id, '\t') >= 0 {
			return fmt.Errorf("%s:%d: a tab: want one id a line, and nothing else", name, n)
		}
		if len(id) > 0 {
			if err := do(id); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}
