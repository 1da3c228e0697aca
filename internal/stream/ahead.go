package stream

import (
	"io"
	"sync"
)

// An ahead reads from another reader on a goroutine of its own, a few buffers before they are asked for, so that a file is
// decompressed while what was read of it is worked on.
type ahead struct {
	full  chan part     // in order
	empty chan *[]byte  // to be filled
	stop  chan struct{} // closed by close
	ended sync.WaitGroup
	now   part
	rest  []byte // of now

	closed bool
}

// A part is what one Read has returned.
type part struct {
	buf *[]byte
	n   int
	err error
}

// aheadParts is how many buffers of BufferSize are read ahead.
const aheadParts = 3

// aheadFrom is the size in bytes of the smallest file that is worth a goroutine.
const aheadFrom = 64 << 10

var aheadBuffers = sync.Pool{New: func() any { b := make([]byte, BufferSize); return &b }}

// newAhead begins to read. close must be called.
func newAhead(from io.Reader) *ahead {
	a := &ahead{full: make(chan part, aheadParts), empty: make(chan *[]byte, aheadParts), stop: make(chan struct{})}
	for range aheadParts {
		a.empty <- aheadBuffers.Get().(*[]byte)
	}
	a.ended.Go(func() {
		for {
			select {
			case <-a.stop:
				return
			case buf := <-a.empty:
				n, err := readSome(from, *buf)
				a.full <- part{buf, n, err} // there is room for all buffers
				if err != nil {
					return
				}
			}
		}
	})
	return a
}

// readSome reads until p is full or there is an error.
func readSome(from io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		k, err = from.Read(p[n:])
		n += k
	}
	return n, err
}

// Read returns an error again and again.
func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.buf != nil {
			a.empty <- a.now.buf
		}
		a.now = <-a.full
		a.rest = (*a.now.buf)[:a.now.n]
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// close ends the reading. It waits for the Read that has begun.
func (a *ahead) close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	close(a.stop)
	a.ended.Wait()
	if a.now.buf != nil {
		aheadBuffers.Put(a.now.buf)
	}
	for len(a.full) > 0 {
		aheadBuffers.Put((<-a.full).buf)
	}
	for len(a.empty) > 0 {
		aheadBuffers.Put(<-a.empty)
	}
	return nil
}
