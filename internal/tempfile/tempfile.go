// Package tempfile makes temporary files that a killed process does not leave behind.
package tempfile

import (
	"errors"
	"os"
)

// A File is a temporary file. It has lost its name already where the system lets an open
// file be removed, as Unix does: the system frees its room when the process ends, however it
// ends. Elsewhere Close removes it.
type File struct {
	*os.File
	named bool
}

// Create makes a temporary file for reading and writing in dir, or in the system's directory for
// temporary files if dir is empty. Its name is pattern with a random string in place of the
// last *, as os.CreateTemp has it. The error is of the file system.
func Create(dir, pattern string) (*File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return &File{f, os.Remove(f.Name()) != nil}, nil
}

// Close closes the file, and removes it where that has not been possible before. The error is
// of the file system.
func (f *File) Close() error {
	err := f.File.Close()
	if f.named {
		f.named = false
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
