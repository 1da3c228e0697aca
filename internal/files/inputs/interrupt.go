package inputs

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// blocked is the number of calls of the system that may block for ever.
var blocked atomic.Int64

// Blocks notes that a call of the system begins that no context ends, such as reading a file of a network that is
// gone. It returns what is called when the call has ended.
func Blocks() (ended func()) {
	blocked.Add(1)
	return func() { blocked.Add(-1) }
}

// Stuck reports whether such a call is under way for so long. It returns earlier if there is none. All of them must
// end soon when they can, as after an interrupt.
func Stuck(most time.Duration) bool {
	for end := time.Now().Add(most); blocked.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return true
		}
	}
	return false
}

// OpenIrregular opens a pipe or a device for reading. Opening a pipe blocks until another process
// opens it for writing; OpenIrregular returns earlier if ctx is done.
func OpenIrregular(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened)
	go func() {
		f, err := os.Open(path)
		select {
		case done <- opened{f, err}:
		case <-ctx.Done():
			if err == nil {
				_ = f.Close() // the caller has gone
			}
		}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Interruptibly returns a reader of from. Its Read returns the cause of ctx when ctx is done, even if no data
// arrives, as from a terminal. It must not be used by several goroutines at once.
func Interruptibly(ctx context.Context, from io.Reader) io.Reader {
	if ctx.Done() == nil {
		return from
	}
	return &interruptible{ctx: ctx, from: from}
}

// An interruptible is the reader that Interruptibly returns.
type interruptible struct {
	ctx     context.Context
	from    io.Reader
	pending chan struct{} // closed by the read in progress; nil if there is none
	buf     []byte        // filled by that read
	rest    []byte        // read, but not yet returned
	err     error
}

func (r *interruptible) Read(p []byte) (int, error) {
	// While a read is in progress, rest and err belong to it.
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
			return 0, context.Cause(r.ctx) // the read continues, and its result is not used
		}
	}
	n := copy(p, r.rest)
	if r.rest = r.rest[n:]; n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, r.err
}
