package disk

import (
	"sync"
	"sync/atomic"
)

// MapReaders counts the calls that read maps, so that closing leaves the unmapping to the last of them. It
// is safe for concurrent use.
type MapReaders struct {
	running  atomic.Int64 // the number of readers, plus closedMark once closed
	closed   atomic.Bool
	unmapped sync.Once
	// Unmap unmaps. It is called once, and set before the first reader comes.
	Unmap func() error
}

const closedMark = -1 << 62

// Hold reports whether the maps may be read until Release. If not, Close has been called.
func (r *MapReaders) Hold() bool {
	if r.running.Add(1) > 0 {
		return true
	}
	r.Release()
	return false
}

// Release ends what Hold began.
func (r *MapReaders) Release() {
	if r.running.Add(-1) == closedMark {
		_ = r.end() // no caller is left to return the error to
	}
}

// Close lets in no more readers. It unmaps if there are none, and returns the error. Otherwise the last
// reader does.
func (r *MapReaders) Close() error {
	if r.closed.CompareAndSwap(false, true) && r.running.Add(closedMark) == closedMark {
		return r.end()
	}
	return nil
}

func (r *MapReaders) end() (err error) {
	r.unmapped.Do(func() { err = r.Unmap() })
	return err
}
