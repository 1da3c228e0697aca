package rewrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"simsearch/corpus"
	"simsearch/internal/charset"
)

// A copier copies parts of the file, decompressed and in UTF-8, to the output, which it writes as the file is.
type copier struct {
	ctx   context.Context
	from  io.Reader
	at    int64 // of the next byte of from
	out   io.WriteCloser
	close func() error // of from
	buf   []byte
	lost  error // why what follows in the file could not be copied, or nil
}

// lostTo returns why something at the end of the file could not be copied, or nil.
func (c *copier) lostTo() error { return c.lost }

// parts are memory for what is copied at a time. There may be many small files.
var parts = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// copyTo copies up to offset end.
func (c *copier) copyTo(end int64) error { return c.pass(end, c.out) }

// skipTo passes over what is before offset end.
func (c *copier) skipTo(end int64) error { return c.pass(end, io.Discard) }

// pass writes what is before offset end to w.
func (c *copier) pass(end int64, w io.Writer) error {
	if end < c.at {
		return fmt.Errorf("rewrite: a place at %d, behind %d", end, c.at)
	}
	part := parts.Get().(*[256 << 10]byte)
	defer parts.Put(part)
	for c.at < end {
		if err := context.Cause(c.ctx); err != nil {
			return err
		}
		n, err := c.from.Read(part[:min(int64(len(part)), end-c.at)])
		c.at += int64(n)
		if err := write(w, part[:n]); err != nil {
			return err
		}
		if err != nil && c.at < end {
			return ended(err)
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

// ended returns ErrChanged for the end of a file that has been longer.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it is shorter", ErrChanged)
	}
	return err
}

// take returns what is before offset end. It is valid until the next call.
func (c *copier) take(end int64) ([]byte, error) {
	n := int(end - c.at)
	c.buf = slices.Grow(c.buf[:0], n)[:n]
	k, err := io.ReadFull(c.from, c.buf)
	c.at += int64(k)
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return nil, ended(err)
	}
	return c.buf, nil
}

// rest copies all that is left, and ends the output. If damaged is set, reading may fail on the way.
func (c *copier) rest(damaged bool) error {
	part := parts.Get().(*[256 << 10]byte)
	defer parts.Put(part)
	for {
		if err := context.Cause(c.ctx); err != nil {
			return err
		}
		n, err := c.from.Read(part[:])
		c.at += int64(n)
		if err := write(c.out, part[:n]); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) || err != nil && damaged {
			if !errors.Is(err, io.EOF) {
				c.lost = err
			}
			return c.out.Close()
		}
		if err != nil {
			return err
		}
	}
}

// context returns the context of the options, which may have none.
func (w *rewriting) context() context.Context {
	if ctx := w.o.Corpus.Context; ctx != nil {
		return ctx
	}
	return context.Background()
}

// charsetOf returns the charset of the file that r reads, as far as r has come, which is always further than a copier.
func charsetOf(r *corpus.Reader) func() charset.Charset {
	return func() charset.Charset {
		c, _ := charset.Parse(r.Charset()) // it is one
		return c
	}
}

// newCopier opens the file that r reads, and the output.
func (w *rewriting) newCopier(r *corpus.Reader) (*copier, error) {
	ctx := w.context()
	packing, err := packingOf(w.file.Path)
	if err != nil {
		return nil, err
	}
	c := &copier{ctx: ctx, from: w.from, close: func() error { return nil }}
	to, err := w.output()
	if err != nil {
		return nil, err
	}
	if w.file.Path == corpus.Stdin.Path {
		c.out = unpacked{to}
	} else {
		if c.out, err = packing.writer(to); err != nil {
			return nil, err
		}
		from, err := packing.open(w.file.Path, ctx, c.out)
		if err != nil {
			return nil, err
		}
		c.from, c.close = from, from.Close
	}
	c.from, c.out = charset.Follow(c.from, charsetOf(r)), charset.NewWriter(c.out, charsetOf(r))
	return c, nil
}
