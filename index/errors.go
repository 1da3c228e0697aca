package index

import (
	"errors"
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/store"
	"simsearch/section"
)

var (
	// ErrNoIndex is returned by Open if there is no index: the directory is missing, is empty or
	// holds something else.
	ErrNoIndex = store.ErrNoIndex
	// ErrCorrupt marks an index whose bytes break a rule of docs/FORMAT.md. The error is a
	// *section.CorruptError. It names the file, and also the section and the offset if these are
	// known.
	ErrCorrupt = section.ErrCorrupt
	// ErrVersion marks an index written by another version of the program.
	ErrVersion = section.ErrVersion
	// ErrSettings is returned if the settings of an index differ from those asked for.
	ErrSettings = analysis.ErrSettings
	// ErrNoSearch is returned by a search if the mode of the index does not offer it, or if an
	// option is out of range.
	ErrNoSearch = errors.New("no such search here")
	// ErrWidth is returned by every function that takes a fingerprint, if the fingerprint has bits
	// above the width of the index. Searches could not agree on the neighbours of such a
	// fingerprint.
	ErrWidth = errors.New("fingerprint too wide")
	// ErrClosed is returned by the methods of a Snapshot that has been closed.
	ErrClosed = errors.New("the index has been closed")
	// ErrKind is returned for a text that comes to an index of fingerprints, and the other way round.
	ErrKind = store.ErrKind
	// ErrLocked is returned by OpenWriter while another process is writing the index.
	ErrLocked = store.ErrLocked
)

// An AbsentError is the ErrNoIndex of a directory Dir that is missing or empty. An index can be made in that
// directory. Why is what its message says of Dir.
type AbsentError = store.AbsentError

// checkWidth returns ErrWidth if fp has bits above the width of the settings.
func checkWidth(s analysis.Settings, fp uint64) error {
	if fp>>s.Bits != 0 {
		return fmt.Errorf("%w: %016x has more than the %d bits of the index", ErrWidth, fp, s.Bits)
	}
	return nil
}

// corruptf returns an ErrCorrupt about the file at path.
func corruptf(path, format string, args ...any) error {
	return &section.CorruptError{File: path, Offset: -1, Reason: fmt.Sprintf(format, args...)}
}
