// Package disk is the file system as everything that writes an index sees it.
//
// All creating, writing, syncing, renaming and locking of an index goes through an FS, so that
// tests can make any single operation fail, or cut the power after it; package disktest does both.
// The program uses OS.
package disk

import (
	"errors"
	"io"
	"io/fs"

	"simsearch/internal/mmap"
)

// An FS is a file system. Its methods may be called from any goroutine.
type FS interface {
	// Create makes a file at path, where none may be, with the permissions 0666 less the
	// user's mask.
	Create(path string) (File, error)
	// CreateTemp makes a file without a lasting name in dir, or in the system's directory for
	// temporary files if dir is empty. It is gone when it is closed or the process ends. (Where
	// the system cannot remove an open file, it is gone when it is closed.)
	CreateTemp(dir string) (File, error)
	// ReadFile returns the contents of a file.
	ReadFile(path string) ([]byte, error)
	// Map maps a file into memory.
	Map(path string) (*mmap.File, error)
	// ReadDir returns the names in a directory in ascending order.
	ReadDir(dir string) ([]string, error)
	// Stat describes what path names.
	Stat(path string) (fs.FileInfo, error)
	// Mkdir makes a directory, where nothing may be.
	Mkdir(dir string) error
	// Rename gives a file another name, replacing the file that has it.
	Rename(from, to string) error
	// Remove removes a file or an empty directory.
	Remove(path string) error
	// SyncDir makes the names in a directory durable. It does nothing on systems that cannot.
	SyncDir(dir string) error
	// Lock takes the lock that the file at path stands for, which it creates if need be. note
	// says in the file what holds the lock. The error is a *LockedError if it is taken.
	Lock(path, note string) (Lock, error)
}

// A File is a file open for writing.
type File interface {
	io.Writer
	io.WriterAt
	io.ReaderAt
	io.Closer
	// Sync makes the contents durable.
	Sync() error
	// Map maps what has been written; a file of no bytes has no contents.
	Map() (*mmap.File, error)
}

// A Lock is held until it is closed; its file stays.
type Lock interface{ io.Closer }

// A LockedError says that another process holds a lock.
type LockedError struct {
	Path   string
	Holder string // what it has noted, or ""
}

// Error names the holder.
func (e *LockedError) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another process"
	}
	return holder + " holds the lock " + e.Path
}

// ErrUncertain marks an error after which nobody can say what a crash would leave: a sync has
// failed, or a rename may or may not have been done. Whatever wrote must not go on.
var ErrUncertain = errors.New("it is uncertain what has reached the disk")

// MkdirAll makes a directory and those above it that are missing, and returns those that it has
// made, the innermost last. After an error they are there all the same.
func MkdirAll(fsys FS, dir string) (made []string, err error) {
	if info, err := fsys.Stat(dir); err == nil {
		if !info.IsDir() {
			return nil, &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a directory")}
		}
		return nil, nil
	}
	if parent := parentOf(dir); parent != dir {
		if made, err = MkdirAll(fsys, parent); err != nil {
			return made, err
		}
	}
	if err := fsys.Mkdir(dir); err != nil {
		if errors.Is(err, fs.ErrExist) { // another process was quicker
			return made, nil
		}
		return made, err
	}
	return append(made, dir), nil
}
