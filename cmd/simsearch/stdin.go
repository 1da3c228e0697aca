package main

import (
	"context"
	"io"
)

// An interruptible is a reader whose Read ends when its context does, even while
// nothing arrives, as from a terminal. It must not be used by several goroutines at
// once.
type interruptible struct {
	ctx     context.Context
	from    io.Reader
	pending chan struct{} // a read under way closes it; nil if there is none
	buf     []byte        // what that read fills
	rest    []byte        // what it has read and nobody has taken
	err     error
}

func (r *interruptible) Read(p []byte) (int, error) {
	// While a read is under way, rest and err are its own.
	if r.pending != nil || len(r.rest) == 0 && r.err == nil {
		if r.pending == nil {
			if len(r.buf) < len(p) {
				r.buf = make([]byte, len(p))
			}
			r.pending = make(chan struct{})
			go func(done chan<- struct{}) {
				n, err := r.from.Read(r.buf)
				r.rest, r.err = r.buf[:n], err
				close(done)
			}(r.pending)
		}
		select {
		case <-r.pending:
			r.pending = nil
		case <-r.ctx.Done():
			return 0, context.Cause(r.ctx) // the read goes on; nobody waits for it
		}
	}
	n := copy(p, r.rest)
	if r.rest = r.rest[n:]; n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, r.err
}
