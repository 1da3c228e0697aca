package index

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"simsearch/analysis"
	"simsearch/section"
)

var (
	// ErrNoIndex is returned by Open where there is no index: the directory is
	// missing, empty or holds something else.
	ErrNoIndex = errors.New("no index")
	// ErrCorrupt marks an index whose bytes break a rule of docs/FORMAT.md. The
	// message names the file, and the section and offset where it can.
	ErrCorrupt = errors.New("corrupt index")
	// ErrVersion marks an index written by another version of the program.
	ErrVersion = errors.New("index of another version")
	// ErrSettings is returned where an index has other settings than those asked
	// for.
	ErrSettings = analysis.ErrSettings
	// ErrCriterion is returned by a search that the mode of the index does not offer.
	ErrCriterion = errors.New("no such search here")
	// ErrWidth is returned for a fingerprint with bits at or above those of the index, by whatever
	// takes one: it is near nothing, and equal to nothing, in a way that all searches agree on.
	ErrWidth = errors.New("fingerprint too wide")
	// ErrClosed is returned by an Index that has been closed.
	ErrClosed = errors.New("the index has been closed")
	// ErrLocked is returned by OpenWriter while another process writes the index.
	ErrLocked = errors.New("index is being written")
)

// An AbsentError is the ErrNoIndex of a directory that is missing or empty: an index can be made
// there.
type AbsentError struct {
	Dir string
	Why string // what is said of Dir
}

// Error names the directory.
func (e *AbsentError) Error() string { return fmt.Sprintf("%v: %s %s", ErrNoIndex, e.Dir, e.Why) }

// Unwrap returns ErrNoIndex.
func (e *AbsentError) Unwrap() error { return ErrNoIndex }

// fileError brings an error about a file of an index into one of our classes.
func fileError(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case isFault(path, err):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case errors.Is(err, section.ErrVersion):
		return fmt.Errorf("%w: %s: %w", ErrVersion, path, err)
	case errors.Is(err, section.ErrCorrupt), errors.Is(err, section.ErrForeign):
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, path, err)
	default:
		return err
	}
}

func corruptf(path, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrCorrupt, path, fmt.Sprintf(format, args...))
}

// checkWidth returns ErrWidth if a fingerprint has bits at or above those of the settings.
func checkWidth(s analysis.Settings, fp uint64) error {
	if fp>>s.Bits != 0 {
		return fmt.Errorf("%w: %016x has more than the %d bits of the index", ErrWidth, fp, s.Bits)
	}
	return nil
}

// mapError is the error of mapping a file that the manifest names: the index is corrupt if there is
// no such file, and not if the system, short of memory or rights, cannot map it now.
func mapError(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a file of the index cannot be opened: %w", err)
	}
	return fmt.Errorf("%w: the manifest names a file that cannot be opened: %w", ErrCorrupt, err)
}
