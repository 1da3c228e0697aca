package disk

import (
	"errors"
	"fmt"
	"os"
)

// A Mapped is the contents of a file. It is a copy on systems without memory maps.
type Mapped struct {
	path  string
	info  os.FileInfo // as of its opening; nil if it has always been in memory
	data  []byte
	unmap func([]byte) error
}

// MapFile maps a regular file from its beginning. It does not close f. The caller may close f
// while the file is mapped. The file may be renamed or removed then. It must not be
// written to or truncated, which Unchanged and Guarded detect.
func MapFile(f *os.File) (*Mapped, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: errors.New("not a regular file")}
	}
	if info.Size() == 0 {
		return &Mapped{path: f.Name(), info: info}, nil
	}
	m, err := MapPart(f, 0, info.Size())
	if err == nil {
		m.info = info
	}
	return m, err
}

// MapPart is MapFile of size bytes from an offset on, which the file must have; size is not 0. Unchanged does not
// detect changes.
func MapPart(f *os.File, at, size int64) (*Mapped, error) {
	if int64(int(size)) != size {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: fmt.Errorf("%d bytes do not fit this machine's addresses", size)}
	}
	m, err := open(f, at, int(size))
	if err != nil {
		return nil, err
	}
	m.path = f.Name()
	mapped.Store(m, m.data)
	return m, nil
}

// MappedBytes returns a Mapped of data, which it keeps. path is its name in errors. Nobody may write to data any
// more, so that the Mapped is Unchanged. Slices of Data stay valid after Close.
func MappedBytes(path string, data []byte) *Mapped { return &Mapped{path: path, data: data} }

// Data returns the contents, which are valid until Close and must not be written to.
func (f *Mapped) Data() []byte { return f.data }

// MapOwn maps a file that nobody else may write to, as FS.Map does. It returns ErrNames if the file has a second name.
func MapOwn(fsys FS, path string) (*Mapped, error) {
	m, err := fsys.Map(path)
	if err != nil || m.info == nil || oneName(m.info) == nil {
		return m, err
	}
	return nil, errors.Join(&os.PathError{Op: "open", Path: path, Err: ErrNames}, m.Close())
}

// An Access is how a part of a map is going to be read.
type Access int

// Maps are InOrder if nobody says otherwise.
const (
	InOrder  Access = iota // one page after the other, so that the system reads ahead
	AtRandom               // few pages, here and there, so that it reads these only
	Whole                  // all of it, soon
	Done                   // none of it for now: it takes no memory of this process until it is read again
	Soon                   // all of it, soon, but its file stays as it was
)

// Expect tells the system how p, a part of Data, is going to be read. What is read does not depend on it.
func (f *Mapped) Expect(p []byte, a Access) {
	if f.unmap != nil && len(p) > 0 {
		advise(p, a)
	}
}

// Close unmaps the file. All slices of Data become invalid. A second Close does nothing, and so does that of a nil f.
func (f *Mapped) Close() error {
	if f == nil || f.data == nil {
		return nil
	}
	mapped.Delete(f)
	data := f.data
	f.data = nil
	if f.unmap == nil {
		return nil
	}
	return f.unmap(data)
}

// ErrChanged is returned for a file that was written to or truncated while it was mapped.
var ErrChanged = errors.New("the file was changed while it was open")

// Unchanged returns ErrChanged if the size of the file, or the time of its last change, is not that of its
// opening. It returns nil if another file, or none, has the name now: renaming, removing or replacing the
// file does not change what is mapped.
func (f *Mapped) Unchanged() error {
	if f.info == nil {
		return nil
	}
	now, err := os.Stat(f.path)
	if err != nil || !os.SameFile(now, f.info) {
		return nil
	}
	if now.Size() != f.info.Size() {
		return fmt.Errorf("%s: %w: it has %d bytes, and had %d", f.path, ErrChanged, now.Size(), f.info.Size())
	}
	if !now.ModTime().Equal(f.info.ModTime()) {
		return fmt.Errorf("%s: %w: it was written to at %v", f.path, ErrChanged, now.ModTime())
	}
	return nil
}
