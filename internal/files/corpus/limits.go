package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
)

const (
	// defaultMaxDocument is the size in bytes of the largest document by default.
	defaultMaxDocument = 64_000_000
	// perByte is the number of bytes of memory to allow for each byte of a document. The analysis
	// takes at most 70, if all 5-grams of characters are distinct. The rest is for what is kept or
	// learnt from earlier documents.
	perByte = 120
	// leastMaxDocument is the smallest limit that follows from Options.Memory.
	leastMaxDocument = 1_000_000
	// perPictureByte is the same for the file of a picture, of which nothing is kept.
	perPictureByte = 8
	// perPixel is the number of bytes of memory to allow for each pixel of a picture, and leastPixels the smallest
	// limit that follows from Options.Memory.
	perPixel    = 24
	leastPixels = 4 << 20
)

const (
	// maxWindow is the largest window of zstd or xz that is accepted, in bytes. The program zstd has the
	// same limit: its level 22 uses such a window, and only --long=28 and above need a larger one.
	maxWindow = 128 << 20
	// leastWindow is the window size that every zstd decoder should support, according to RFC 8878.
	leastWindow = 8 << 20
)

// maxID is the size of the longest id in bytes.
const maxID = 64 << 10

// limits bound how much of a file is held in memory.
type limits struct {
	document   int64 // size of a document in bytes
	window     int64 // size of the zstd window in bytes
	fromMemory bool  // document follows from Options.Memory, or from its default
	pixels     int   // of a picture
}

func newLimits(o Options) (limits, error) {
	if o.MaxDocument < 0 || o.Memory < 0 {
		return limits{}, fmt.Errorf("corpus: MaxDocument %d and Memory %d: want 0 or more bytes", o.MaxDocument, o.Memory)
	}
	l := limits{document: cmp.Or(o.MaxDocument, defaultMaxDocument), window: maxWindow, pixels: imagehash.MaxPixels}
	memory := spill.MemoryOr(o.Memory)
	l.pixels = int(min(int64(l.pixels), max(leastPixels, memory/perPixel)))
	l.window = min(l.window, max(leastWindow, memory/4))
	per := int64(perByte)
	if o.Format == Image {
		per = perPictureByte
	}
	if fits := max(leastMaxDocument, memory/per); fits < l.document {
		l.document, l.fromMemory = fits, true
	}
	return l, nil
}

// ErrTooLong marks a document that is longer than Options.MaxDocument.
var ErrTooLong = errors.New("longer than")

// ErrMemory marks a document that is longer than what Options.Memory leaves for one. It is an ErrTooLong, too.
var ErrMemory = errors.New("which is what the limit of memory leaves for a document")

// tooLong returns the error for a document that is longer than the limit.
func (l limits) tooLong() error {
	if l.fromMemory {
		return fmt.Errorf("%w %s, %w: left out", ErrTooLong, terminal.Bytes(l.document), ErrMemory)
	}
	return fmt.Errorf("%w %s: left out", ErrTooLong, terminal.Bytes(l.document))
}

// checkSize returns the error of tooLong if a text that was read grows beyond the limit when it is normalised.
func (l limits) checkSize(text []byte) error {
	if normalisedExceeds(text, l.document) {
		return fmt.Errorf("normalised, it is %w", l.tooLong())
	}
	return nil
}

// readAll appends all of a file that is a document to buf. The error is that of the file, or that of tooLong.
func (l limits) readAll(s *inputs.Stream, buf []byte) ([]byte, error) {
	if s.Size > l.document+int64(len(byteOrderMark)) {
		return nil, l.tooLong()
	}
	b := bytes.NewBuffer(buf)
	_, err := b.ReadFrom(io.LimitReader(s, l.document+1))
	if err == nil && int64(b.Len()) > l.document {
		err = l.tooLong()
	}
	return b.Bytes(), err
}

// ErrWindow marks a file that needs a larger window of zstd or xz than Options.Memory allows.
var ErrWindow = inputs.ErrWindow
