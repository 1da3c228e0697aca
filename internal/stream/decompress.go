package stream

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxExpansion is the largest allowed ratio of the length of a text to the length of its file.
	// gzip reaches 1,032, but only for one repeated byte.
	maxExpansion = 1000
	// freeExpansion is the number of bytes that any file may decompress to, whatever its own size.
	freeExpansion = 256 << 20
)

// An expansionReader fails if a file decompresses to much more than its own size.
type expansionReader struct {
	from io.Reader // what decompresses raw
	raw  *rawReader
	n    int64
}

func (e *expansionReader) Read(p []byte) (int, error) {
	if err := context.Cause(e.raw.o.Context); err != nil {
		return 0, err
	}
	n, err := e.from.Read(p)
	if e.n += int64(n); e.n > freeExpansion && e.n/maxExpansion > e.raw.n {
		return 0, fmt.Errorf("it decompresses to more than %d times its size: what follows is left out; decompress it to a file first if that is right", maxExpansion)
	}
	return n, err
}

// ErrWindow marks a file that needs a larger zstd window than Options.Window.
var ErrWindow = errors.New("it takes a window")

// A windowReader turns the errors of too large a zstd window into ErrWindow.
type windowReader struct {
	from io.Reader
	most int64
}

func (w *windowReader) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = fmt.Errorf("%w of more than %d MiB to decompress", ErrWindow, w.most>>20)
	}
	return n, err
}
