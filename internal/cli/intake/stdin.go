package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/disk"
)

// A Spool is standard input that can be read again: while it is read first, it is copied to a temporary file.
type Spool struct {
	from  io.Reader // standard input, copied to f, or what f has
	f     disk.File
	whole bool // f has all of it
}

// NewSpool returns a Spool. Reading it fails when ctx is done.
func NewSpool(ctx context.Context, stdin io.Reader) (*Spool, error) {
	f, err := disk.OS.CreateTemp("")
	if err != nil {
		return nil, err
	}
	return &Spool{from: io.TeeReader(inputs.Interruptibly(ctx, stdin), f), f: f}, nil
}

func (s *Spool) Read(p []byte) (n int, err error) {
	n, err = s.from.Read(p)
	if errors.Is(err, io.EOF) {
		s.whole = true
	} else if err != nil {
		err = fmt.Errorf("standard input: %w", err)
	}
	return n, err
}

// Seek goes to the beginning, the only place that it knows. What is left of standard input is read first.
func (s *Spool) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	if !s.whole {
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{s}); err != nil {
			return 0, err
		}
	}
	s.from = io.NewSectionReader(s.f, 0, math.MaxInt64)
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
	list, err := io.ReadAll(inputs.Interruptibly(ctx, from))
	if err != nil {
		return err
	}
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(list, []byte("\ufeff"))) {
		n++
		id := bytes.TrimRight(line, "\r\n")
		if bytes.IndexByte(id, '\t') >= 0 {
			return fmt.Errorf("%s:%d: a tab: want one id a line, and nothing else", name, n)
		}
		if len(id) > 0 {
			if err := do(id); err != nil {
				return err
			}
		}
	}
	return nil
}
