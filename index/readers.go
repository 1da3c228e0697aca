package index

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"simsearch/internal/mmap"
	"simsearch/internal/segment"
	"simsearch/section"
)

// readers count the searches that read the maps of an index, so that Close unmaps them when the last of
// these has ended, and not before.
type readers struct {
	running  atomic.Int64 // and closedMark, once it is closed
	closed   atomic.Bool
	unmapped sync.Once
	unmap    func() error
}

const closedMark = -1 << 62

// hold reports whether the maps may be read until release; else the index has been closed.
func (r *readers) hold() bool {
	if r.running.Add(1) > 0 {
		return true
	}
	r.release()
	return false
}

func (r *readers) release() {
	if r.running.Add(-1) == closedMark {
		_ = r.end() // there is nobody left to tell
	}
}

// close lets no more readers in. It unmaps if there are none; else the last one does.
func (r *readers) close() error {
	if r.closed.CompareAndSwap(false, true) && r.running.Add(closedMark) == closedMark {
		return r.end()
	}
	return nil
}

func (r *readers) end() (err error) {
	r.unmapped.Do(func() { err = r.unmap() })
	return err
}

// reading calls do, which reads the maps. Its error is that of do; ErrClosed; or ErrCorrupt where a
// segment can no longer be read since it was cut short.
func (ix *Snapshot) reading(do func() error) error {
	if !ix.readers.hold() {
		return ErrClosed
	}
	defer ix.readers.release()
	err := mmap.Guarded(do)
	if err != nil {
		err = ix.faultError(err)
	}
	return err
}

// faultError brings the fault of a segment into one of our classes.
func (ix *Snapshot) faultError(err error) error {
	var fault *mmap.FaultError
	if errors.As(err, &fault) && slices.ContainsFunc(ix.segments, func(s *segment.Segment) bool { return s.Path() == fault.Path }) {
		return section.InFile(fault.Path, err)
	}
	return err
}

// Unchanged reports an ErrCorrupt that names the file if a segment was written to or truncated
// since the index was opened. What has been read from it then may be wrong, though it was checked
// when it was first used. Segments that were replaced or removed have not changed.
func (ix *Snapshot) Unchanged() error {
	for _, s := range ix.segments {
		if err := s.Unchanged(); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	return nil
}
