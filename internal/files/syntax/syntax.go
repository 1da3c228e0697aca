// Package syntax reads the records that files hold one after the other: values of JSON, rows of CSV, messages of
// mailboxes, and pages of crawls in WARC files, and the text of HTML. A record is known by its bytes, so that it can
// be found and written again as it stands.
//
// JSON is looked into without decoding it: a value is checked, its members are found, and strings become text. Memory
// is bounded by that of the value, whatever it holds.
package syntax

import (
	"errors"
	"io"
)

// ErrTooLong is returned for a record, or the text of one, that is longer than the limit of who reads it. The record
// is passed over.
var ErrTooLong = errors.New("the record is too long")

// maxHeader is the most bytes of the header of a message, of a part of one, of a record of a crawl, or of the HTTP
// message in it.
const maxHeader = 1 << 20

// A Source is what records are read from: a *bufio.Reader that counts.
type Source interface {
	io.Reader
	// ReadSlice reads up to and with delim, as bufio.Reader.ReadSlice does.
	ReadSlice(delim byte) ([]byte, error)
	// Peek, Discard and Buffered are those of bufio.Reader.
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
	// Offset returns the number of bytes that have been consumed.
	Offset() int64
}

// skipLineEnds moves behind at most so many bytes of line ends. It returns the error if nothing follows.
func skipLineEnds(from Source, most int) error {
	for ; most > 0; most-- {
		head, err := from.Peek(1)
		if len(head) == 0 {
			return err
		}
		if head[0] != '\r' && head[0] != '\n' {
			break
		}
		_, _ = from.Discard(1)
	}
	return nil
}
