package section

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"simsearch/internal/ground/disk"
)

// ErrCorrupt is the class of errors of bytes that break a rule of internal/ground/section/FORMAT.md. All packages
// that keep data in section files return it for damage.
var ErrCorrupt = errors.New("corrupt")

// A CorruptError describes which rule of internal/ground/section/FORMAT.md a file breaks, and where. It wraps
// ErrCorrupt.
type CorruptError struct {
	File    string // its path; "" if it is not known, as where the bytes are all there is
	Section string // its name, or "header", "contents" or "footer"; "" if it is not known
	Offset  int64  // of the damage in the file, in bytes; -1 if it is not known
	Reason  string
}

// Error returns "corrupt: idx/000001.seg: section tables.values at offset 192: " and the reason,
// without what is not known.
func (e *CorruptError) Error() string {
	text := ErrCorrupt.Error() + ": "
	if e.File != "" {
		text += e.File + ": "
	}
	switch {
	case e.Section == "":
		return text + e.Reason
	case e.Offset < 0:
		return fmt.Sprintf("%ssection %s: %s", text, e.Section, e.Reason)
	}
	return fmt.Sprintf("%ssection %s at offset %d: %s", text, e.Section, e.Offset, e.Reason)
}

// Damage makes a CorruptError a disk.Damage.
func (*CorruptError) Damage() {}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

func corruptf(section string, offset uint64, format string, args ...any) error {
	return &CorruptError{Section: section, Offset: int64(offset), Reason: fmt.Sprintf(format, args...)}
}

// DamageOf is disk.Guarded for what returns no error.
func DamageOf(do func()) error {
	return disk.Guarded(func() error {
		do()
		return nil
	})
}

// InFile names the file at path in an error about its bytes. A *CorruptError without a file gets
// the path. A file that is not a section file is ErrCorrupt, and so is a map that can no longer be
// read. ErrVersion stays ErrVersion. Other errors stay as they are.
func InFile(path string, err error) error {
	if err == nil { // before anything is allocated
		return nil
	}
	var corrupt *CorruptError
	var fault *disk.FaultError
	switch {
	case errors.As(err, &corrupt):
		if corrupt.File != "" {
			return err
		}
		named := *corrupt
		named.File = path
		return &named
	case errors.As(err, &fault) && fault.Path == path && !errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case errors.Is(err, ErrForeign), errors.Is(err, ErrCorrupt) && fault == nil:
		return &CorruptError{File: path, Offset: -1, Reason: reason(err)}
	case errors.Is(err, ErrVersion):
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// reason returns what an error says without the name of its class.
func reason(err error) string { return strings.TrimPrefix(err.Error(), ErrCorrupt.Error()+": ") }

// Corruptf returns a CorruptError for byte at of the section called name. The offset is not known
// if the file has no such section.
func (f *File) Corruptf(name string, at uint64, format string, args ...any) error {
	if f.Has(name) {
		return f.named[name].Corruptf(at, format, args...)
	}
	return &CorruptError{f.path, name, -1, fmt.Sprintf(format, args...)}
}

// Corruptf returns a CorruptError about byte at of the section. For a nil Guard, section and offset are
// not known.
func (g *Guard) Corruptf(at uint64, format string, args ...any) error {
	if g == nil {
		return &CorruptError{Offset: -1, Reason: fmt.Sprintf(format, args...)}
	}
	return &CorruptError{g.file.path, g.name, int64(g.offset + at), fmt.Sprintf(format, args...)}
}

// Corruptf returns a CorruptError about element i of the section.
func (a *Array[T]) Corruptf(i uint64, format string, args ...any) error {
	var x T
	return a.Guard.Corruptf(i*uint64(unsafe.Sizeof(x)), format, args...)
}
