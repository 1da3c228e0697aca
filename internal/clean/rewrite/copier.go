package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/objects"
)

// A copier copies parts of the file, decompressed and in UTF-8, to the output, which it writes as the file is.
type copier struct {
	ctx    context.Context
	from   io.Reader
	at     int64 // of the next byte of from
	unread error // why from could not be read on, or nil
	out    io.WriteCloser
	file   objects.File // the file itself, or nil if that is compressed
	close  func() error // of from
	taken  bytes.Buffer
}

// toTheEnd is an offset behind all others.
const toTheEnd = 1 << 62

// pieces are memory for what is copied at a time. There may be many small files.
var pieces = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// copyTo copies up to offset end.
func (c *copier) copyTo(end int64) error { return c.pass(end, c.out) }

// skipTo passes over what is before offset end.
func (c *copier) skipTo(end int64) error { return c.pass(end, io.Discard) }

// take returns what is before offset end. It is valid until the next call.
func (c *copier) take(end int64) ([]byte, error) {
	c.taken.Reset()
	err := c.pass(end, &c.taken)
	return c.taken.Bytes(), err
}

// pass writes what is before offset end to w. The error is ErrChanged if the file ends before.
func (c *copier) pass(end int64, w io.Writer) error {
	if end < c.at {
		return fmt.Errorf("rewrite: a place at %d, behind %d", end, c.at)
	}
	piece := pieces.Get().(*[256 << 10]byte)
	defer pieces.Put(piece)
	for c.at < end {
		if err := context.Cause(c.ctx); err != nil {
			return err
		}
		n, err := c.from.Read(piece[:min(int64(len(piece)), end-c.at)])
		c.at += int64(n)
		if err := write(w, piece[:n]); err != nil {
			return err
		}
		if err != nil && c.at < end {
			c.unread = err
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("%w: it is shorter", ErrChanged)
			}
			return err
		}
	}
	return nil
}

// write writes p, unless it is empty: a pipe would wait for a reader of nothing.
func write(w io.Writer, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	_, err := w.Write(p)
	return err
}

// rest copies all that is left, and ends the output. If damaged is set, reading may fail on the way; the error is
// lost then.
func (c *copier) rest(damaged bool) (lost, err error) {
	err = c.pass(toTheEnd, c.out)
	switch {
	case errors.Is(c.unread, io.EOF):
	case c.unread != nil && damaged:
		lost = c.unread
	default:
		return nil, err
	}
	return lost, c.out.Close()
}

// newCopier opens the file that r reads, and the output.
func (w *rewriting) newCopier(r *corpus.Reader) (*copier, error) {
	c := &copier{ctx: w.o.Corpus.Context, from: w.from, close: func() error { return nil }}
	to, err := w.output()
	if err != nil {
		return nil, err
	}
	if w.from != nil {
		c.out = unpacked{to}
	} else {
		// Where a member of gzip ends, it ends that of the output, too: crawls have one for each record, so that a
		// record can be read alone.
		var packed io.WriteCloser
		member := func() error { return packed.(*members).end() }
		from, err := inputs.Open(w.file.Path, false, inputs.StreamOptions{Context: c.ctx, Window: maxWindow, Member: member})
		if err != nil {
			return nil, err
		}
		if packed, err = compressor(from.Packing, to); err != nil {
			return nil, errors.Join(err, from.Close())
		}
		c.from, c.file, c.out, c.close = from, from.File(), packed, from.Close
	}
	// The reader has come further than a copier, so that it knows the charset.
	c.from, c.out = inputs.Follow(c.from, r.Charset), inputs.NewWriter(c.out, r.Charset)
	return c, nil
}
