package corpus

import (
	"errors"
	"fmt"

	"simsearch/internal/progress"
)

const (
	// defaultMaxDocument is the largest document in bytes if nothing else is said.
	defaultMaxDocument = 64_000_000
	// perByte is how many bytes of memory there should be for each of a document. Its analysis takes
	// 70 at most, where all of its 5-grams of characters are distinct; the rest is for what is
	// kept, or learnt, of the documents before.
	perByte = 120
	// leastMaxDocument is what a limit of memory leaves a document in any case.
	leastMaxDocument = 1_000_000
)

const (
	// maxWindow is the largest window of zstd that is accepted, as by the program zstd: its
	// level 22 takes as much, and only --long=28 and above take more.
	maxWindow = 128 << 20
	// leastWindow is the window that every zstd decoder should have, by RFC 8878.
	leastWindow = 8 << 20
)

// maxID is the largest id in bytes.
const maxID = 64 << 10

// limits bound what is held in memory of a file.
type limits struct {
	document   int64 // bytes of a document
	window     int64 // bytes of the window of zstd
	fromMemory bool  // Options.Memory has set document
}

func newLimits(o Options) (limits, error) {
	if o.MaxDocument < 0 || o.Memory < 0 {
		return limits{}, fmt.Errorf("corpus: MaxDocument %d and Memory %d: want 0 or more bytes", o.MaxDocument, o.Memory)
	}
	l := limits{document: o.MaxDocument, window: maxWindow}
	if l.document == 0 {
		l.document = defaultMaxDocument
	}
	if o.Memory > 0 {
		l.window = min(l.window, max(leastWindow, o.Memory/4))
		if fits := max(leastMaxDocument, o.Memory/perByte); o.MaxDocument == 0 && fits < l.document {
			l.document, l.fromMemory = fits, true
		}
	}
	return l, nil
}

// ErrTooLong marks a document that is longer than Options.MaxDocument.
var ErrTooLong = errors.New("longer than")

// tooLong is the error of a document that is longer than the limit.
func (l limits) tooLong() error {
	because := ""
	if l.fromMemory {
		because = ", which is what the limit of memory leaves for a document"
	}
	return fmt.Errorf("%w %s%s: left out", ErrTooLong, progress.Bytes(l.document), because)
}
