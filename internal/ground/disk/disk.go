// Package disk is the file system of everything that writes an index or a result.
//
// Files are created, written, synced, renamed and locked through an FS. So tests can make any operation fail, or cut
// the power after it, with package disktest. The program uses OS. A Root is the part of a file system below one
// directory, which nothing leaves.
package disk

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
)

// An FS is a file system. Its methods may be called from any goroutine.
//
// OS reads regular files only, and follows no symbolic link at the end of their paths (ErrIrregular, ErrLink). No
// method waits for a pipe or a device. The directories above a file may be links. Lock, ReadFile and MapOwn refuse a
// file with a second name (ErrNames). Files of a result have two names while the next run keeps them.
type FS interface {
	// Create makes a file at path, with the permissions 0666 less the mask of the user. It returns an
	// error if there is a file.
	Create(path string) (File, error)
	// CreateTemp makes a temporary file in dir, or in the directory of the system for temporary files if
	// dir is empty. It is removed when it is closed or the process ends. If the system cannot remove an
	// open file, it is removed only when it is closed.
	CreateTemp(dir string) (File, error)
	// ReadFile returns the contents of a file. It returns an error if there are more than most bytes.
	ReadFile(path string, most int64) ([]byte, error)
	// Map maps a file into memory. The caller closes the map.
	Map(path string) (*Mapped, error)
	// ReadDir returns the names in a directory in ascending order.
	ReadDir(dir string) ([]string, error)
	// Stat describes the file or directory at path.
	Stat(path string) (fs.FileInfo, error)
	// Mkdir makes a directory. It returns an error if there is a file or directory of that name.
	Mkdir(dir string) error
	// Rename gives a file another name, and replaces a file of that name.
	Rename(from, to string) error
	// Link gives a file a second name in another place: both are names of one file then, whose contents are not
	// copied. It returns an error if there is a file or directory of that name, or if the file system has one name
	// for each file only.
	Link(from, to string) error
	// Remove removes a file or an empty directory.
	Remove(path string) error
	// SyncFile makes the contents of a file durable that another process may have written.
	SyncFile(path string) error
	// SyncDir makes the names in a directory durable. It does nothing if the system cannot do that.
	SyncDir(dir string) error
	// Lock takes the lock of the file at path, and creates the file if it does not exist. It writes note,
	// a description of the holder, to the file. The error is a *LockedError if another process has the
	// lock.
	Lock(path, note string) (Lock, error)
	// Root opens a directory that must exist. Files are made in it with the permissions perm less the mask of the user,
	// and directories so that those who may read them may enter them. The caller closes it.
	Root(dir string, perm fs.FileMode) (Root, error)
}

// A File is a file open for writing.
type File interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
	io.Closer
	// Sync makes the contents durable.
	Sync() error
	// Map maps what has been written. An empty file has no contents.
	Map() (*Mapped, error)
}

// A Lock is held until it is closed. Its file stays.
type Lock interface {
	io.Closer
	// Held returns an ErrLockLost if the file has been removed or replaced since: then another process can take the
	// lock.
	Held() error
}

// ErrLockLost is the error of a lock that another process can take, since its file is gone.
var ErrLockLost = errors.New("the file of the lock was removed or replaced, so that another process may be writing")

// A LockedError is returned if another process holds a lock.
type LockedError struct {
	Path   string
	Holder string // the note of the holder, or ""
}

// Error names the holder.
func (e *LockedError) Error() string {
	return cmp.Or(e.Holder, "another process") + " holds the lock " + e.Path
}

// ErrUncertain is the class of errors after which it is unknown what a crash would leave: a sync has
// failed, or a rename may have been done. The writer must not go on.
var ErrUncertain = errors.New("it is uncertain what has reached the disk")

// MkdirAll makes a directory and the missing directories above it. It returns those that it has made, the innermost
// last, after an error, too. The error is errDangling if dir, or a directory above it, is a symbolic link to nothing.
func MkdirAll(fsys FS, dir string) (made []string, err error) {
	if info, err := fsys.Stat(dir); err == nil {
		if !info.IsDir() {
			return nil, &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a directory")}
		}
		return nil, nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = MkdirAll(fsys, parent); err != nil {
			return made, err
		}
	}
	if err := fsys.Mkdir(dir); err != nil {
		if errors.Is(err, fs.ErrExist) {
			if _, err := fsys.Stat(dir); err == nil { // another process made it first
				return made, nil
			}
			err = &fs.PathError{Op: "mkdir", Path: dir, Err: errDangling}
		}
		return made, err
	}
	return append(made, dir), nil
}
