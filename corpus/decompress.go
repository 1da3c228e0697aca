package corpus

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// maxExpansion is how many times as long as its file a text may be: gzip can make it 1,032
	// times, but of one repeated byte.
	maxExpansion = 1000
	// freeExpansion is how many bytes a file may decompress to whatever its own size.
	freeExpansion = 256 << 20
)

// An expansionReader ends what decompresses to absurdly more than was read.
type expansionReader struct {
	from io.Reader // what decompresses raw
	raw  *countingReader
	n    int64
}

func (e *expansionReader) Read(p []byte) (int, error) {
	if err := e.raw.r.interrupted(); err != nil {
		return 0, err
	}
	n, err := e.from.Read(p)
	if e.n += int64(n); e.n > freeExpansion && e.n/maxExpansion > e.raw.n {
		return 0, fmt.Errorf("it decompresses to more than %d times its size: what follows is left out; decompress it to a file first if that is right", maxExpansion)
	}
	return n, err
}

// ErrWindow marks a file that was compressed with a window larger than Options.Memory allows.
var ErrWindow = errors.New("it takes a window")

// A windowReader says what to do about a window of zstd that is too large.
type windowReader struct {
	from io.Reader
	path string
	most int64
}

func (w *windowReader) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = fmt.Errorf("%w of more than %d MiB to decompress", ErrWindow, w.most>>20)
	}
	return n, err
}
