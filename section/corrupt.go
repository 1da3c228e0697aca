package section

import (
	"errors"
	"fmt"
	"unsafe"
)

// ErrCorrupt marks bytes that break a rule of docs/FORMAT.md. Every package whose structures are
// kept in section files reports damage by it.
var ErrCorrupt = errors.New("corrupt")

// A CorruptError says which rule of docs/FORMAT.md a file breaks, and where. It wraps ErrCorrupt.
type CorruptError struct {
	Section string // its name, or "header", "contents" or "footer"; "" if it is not known
	Offset  int64  // of the damage in the file, in bytes; -1 if it is not known
	Reason  string
}

// Error returns "corrupt: section tables.values at offset 192: " and the reason, without what is
// not known.
func (e *CorruptError) Error() string {
	switch {
	case e.Section == "":
		return fmt.Sprintf("%v: %s", ErrCorrupt, e.Reason)
	case e.Offset < 0:
		return fmt.Sprintf("%v: section %s: %s", ErrCorrupt, e.Section, e.Reason)
	}
	return fmt.Sprintf("%v: section %s at offset %d: %s", ErrCorrupt, e.Section, e.Offset, e.Reason)
}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

func corruptf(section string, offset uint64, format string, args ...any) error {
	return &CorruptError{section, int64(offset), fmt.Sprintf(format, args...)}
}

// Corruptf returns a CorruptError for byte at of the section called name. The offset is not known
// if the file has no such section.
func (f *File) Corruptf(name string, at uint64, format string, args ...any) error {
	if i, ok := f.places[name]; ok {
		return corruptf(name, f.entries[i].offset+at, format, args...)
	}
	return &CorruptError{name, -1, fmt.Sprintf(format, args...)}
}

// Corruptf returns a CorruptError for byte at of the section. A nil Guard knows neither name nor
// offset.
func (g *Guard) Corruptf(at uint64, format string, args ...any) error {
	if g == nil {
		return &CorruptError{"", -1, fmt.Sprintf(format, args...)}
	}
	return corruptf(g.name, g.offset+at, format, args...)
}

// Corruptf returns a CorruptError for element i of the section.
func (a *Array[T]) Corruptf(i uint64, format string, args ...any) error {
	var x T
	return a.Guard.Corruptf(i*uint64(unsafe.Sizeof(x)), format, args...)
}
