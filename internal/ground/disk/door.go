package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Files of an index, of a state and of a lock are opened by an FS, and other small files that somebody has named by
// Open and ReadNamed. Both go through this file. Whatever lies at a path, opening it does not wait, and only a
// regular file is read.

var (
	// ErrIrregular is the class of errors of a pipe, a device or a directory where a file is wanted.
	ErrIrregular = errors.New("it is no regular file")
	// ErrNames is the class of errors of a file of ours that has a second name: who writes to that name changes it.
	ErrNames = errors.New("it has a second name (a hard link) elsewhere: copy the file, and put the copy in its place")
)

// Open opens a file that somebody has named for reading, also if the name is a symbolic link. The caller closes it.
// It returns ErrIrregular for anything but a regular file.
func Open(path string) (*os.File, error) { return openRegular(path, nil) }

// ReadNamed returns the contents of a file that somebody has named, as Open opens it. More than most bytes are an
// error.
func ReadNamed(path string, most int64) ([]byte, error) { return readNamed(path, most, nil) }

// maxSecret is the most bytes that ReadSecret reads.
const maxSecret = 1 << 20

// ReadSecret is ReadNamed for a file of tokens. It returns ErrNames if the file has a second name, by which others may
// read or change it.
func ReadSecret(path string) ([]byte, error) { return readNamed(path, maxSecret, oneName) }

func readNamed(path string, most int64, check func(info fs.FileInfo) error) ([]byte, error) {
	f, err := openRegular(path, check)
	if err != nil {
		return nil, err
	}
	text, err := readAtMost(f, most)
	return text, errors.Join(err, f.Close())
}

// Follow returns the path of the file that a path leads to by symbolic links, or path itself if there is none.
func Follow(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

// openRegular opens a file that exists, and returns ErrIrregular if it is not a regular one. check may refuse it for
// another reason.
func openRegular(path string, check func(info fs.FileInfo) error) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, notFollowed(err)
	}
	return regular(f, path, check)
}

// regular returns f if it is a regular file that passes check, which may be nil. Otherwise, it closes f.
func regular(f *os.File, path string, check func(info fs.FileInfo) error) (*os.File, error) {
	info, err := f.Stat()
	if err == nil {
		if err = isRegular(info); err == nil && check != nil {
			err = check(info)
		}
		if err == nil {
			return f, nil
		}
		err = &fs.PathError{Op: "open", Path: path, Err: err}
	}
	_ = f.Close() // the other error says more
	return nil, err
}

func isRegular(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return ErrIrregular
	}
	return nil
}

// oneName returns ErrNames for a file with several names.
func oneName(info fs.FileInfo) error {
	if namesOf(info) > 1 {
		return ErrNames
	}
	return nil
}

// notFollowed says of the error of the system for a symbolic link at the end of a path what it means.
func notFollowed(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) && errors.Is(err, syscall.ELOOP) {
		return &fs.PathError{Op: e.Op, Path: e.Path, Err: ErrLink}
	}
	return err
}

// readAtMost returns what a file has. More than most bytes are an error, and are not read.
func readAtMost(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) == most { // a file may grow meanwhile
		if n, _ := f.Read(make([]byte, 1)); n > 0 {
			return nil, tooLarge(f.Name(), most)
		}
	}
	return text, nil
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has more than the %d bytes that a file of this kind may have", most)}
}
