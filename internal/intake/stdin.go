package intake

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"simsearch/internal/disk"
	"simsearch/internal/inputs"
)

// Spool copies standard input to a temporary file, from which it can be read twice. It returns the size, too.
func Spool(ctx context.Context, stdin io.Reader) (f disk.File, size int64, err error) {
	if f, err = disk.OS.CreateTemp(""); err != nil {
		return nil, 0, err
	}
	if size, err = io.Copy(f, inputs.Interruptibly(ctx, stdin)); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("standard input: %w", err), f.Close())
	}
	return f, size, nil
}

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
