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

// readers counts the searches that read the maps of an index, so that Close can leave the unmapping
// to the last of them.
type readers struct {
	running  atomic.Int64 // the number of readers, plus closedMark once closed
	closed   atomic.Bool
	unmapped sync.Once
	unmap    func() error
}

const closedMark = -1 << 62

// hold reports whether the maps may be read until release. If not, the index has been closed.
func (r *readers) hold() bool {
	if r.running.Add(1) > 0 {
		return true
	}
	r.release()
	return false
}

func (r *readers) release() {
	if r.running.Add(-1) == closedMark {
		_ = r.end() // no caller is left to return the error to
	}
}

// close lets in no more readers. It unmaps if there are none. Otherwise the last reader does.
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

// reading calls do, which reads the maps. The error is that of do, ErrClosed, or ErrCorrupt if a
// segment cannot be read because it was truncated.
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

// faultError turns the fault of a segment into an error of this package.
func (ix *Snapshot) faultError(err error) error {
	var fault *mmap.FaultError
	if errors.As(err, &fault) && slices.ContainsFunc(ix.segments, func(s *segment.Segment) bool { return s.Path() == fault.Path }) {
		return section.InFile(fault.Path, err)
	}
	return err
}

// Unchanged reports an ErrCorrupt that names the file if a segment was written to or truncated
// since the index was opened. What has been read from that segment since may be wrong, even though
// it was checked when it was first used. Segments that were replaced or removed count as unchanged.
func (ix *Snapshot) Unchanged() error {
	for _, s := range ix.segments {
		if err := s.Unchanged(); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	return nil
}
