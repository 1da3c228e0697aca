package index

import (
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/mmap"
	"simsearch/internal/segment"
	"simsearch/section"
)

// reading calls do, which reads the maps. The error is that of do, ErrClosed, or ErrCorrupt if a
// segment cannot be read because it was truncated.
func (ix *Snapshot) reading(do func() error) error {
	if !ix.readers.Hold() {
		return ErrClosed
	}
	defer ix.readers.Release()
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
