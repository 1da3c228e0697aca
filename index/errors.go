package index

import (
	"errors"
	"fmt"

	"simsearch/analysis"
	"simsearch/section"
)

var (
	// ErrNoIndex is returned by Open where there is no index: the directory is
	// missing, empty or holds something else.
	ErrNoIndex = errors.New("no index")
	// ErrCorrupt marks an index whose bytes break a rule of docs/FORMAT.md. The error is a
	// *section.CorruptError that names the file, and the section and offset where these are known.
	ErrCorrupt = section.ErrCorrupt
	// ErrVersion marks an index written by another version of the program.
	ErrVersion = section.ErrVersion
	// ErrSettings is returned where an index has other settings than those asked
	// for.
	ErrSettings = analysis.ErrSettings
	// ErrNoSearch is returned by a search that the mode of the index does not offer, or whose options are
	// out of range.
	ErrNoSearch = errors.New("no such search here")
	// ErrWidth is returned for a fingerprint with bits at or above those of the index, by whatever
	// takes one: it is near nothing, and equal to nothing, in a way that all searches agree on.
	ErrWidth = errors.New("fingerprint too wide")
	// ErrClosed is returned by a Snapshot that has been closed.
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

// checkWidth returns ErrWidth if a fingerprint has bits at or above those of the settings.
func checkWidth(s analysis.Settings, fp uint64) error {
	if fp>>s.Bits != 0 {
		return fmt.Errorf("%w: %016x has more than the %d bits of the index", ErrWidth, fp, s.Bits)
	}
	return nil
}

// corruptf returns an ErrCorrupt about a file.
func corruptf(path, format string, args ...any) error {
	return &section.CorruptError{File: path, Offset: -1, Reason: fmt.Sprintf(format, args...)}
}
