package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// anyone is the permissions of a file that holds no secret, before the mask of the user takes some away.
const anyone fs.FileMode = 0o666

// A Readers is who may read what is made of the files that it has seen: everyone who may read each of them. The zero
// value has seen none, and excludes nobody.
//
// It goes by the permissions of regular files for their group and for others. It does not look at the directories
// above them, at lists of access control, or at which group they belong to.
type Readers struct {
	excluded fs.FileMode
	last     string // the path that was seen last: documents of one file come one after the other
}

// See takes in the file at path. One that cannot be looked at, or is no regular file, changes nothing.
func (r *Readers) See(path string) {
	if path == "" || path == r.last {
		return
	}
	r.last = path
	if info, err := os.Stat(path); err == nil {
		r.SeeMode(info.Mode())
	}
}

// SeeMode is See for a file whose mode is known.
func (r *Readers) SeeMode(mode fs.FileMode) {
	if !mode.IsRegular() {
		return
	}
	for _, group := range []fs.FileMode{0o060, 0o006} {
		if mode&group&0o444 == 0 {
			r.excluded |= group
		}
	}
}

// Mode returns the permissions of a file for these readers, before the mask of the user: 0666, or less.
func (r *Readers) Mode() fs.FileMode { return anyone &^ r.excluded }

// errDangling is the error of a symbolic link where a directory is wanted, if the link leads to nothing.
var errDangling = errors.New("it is a symbolic link to something that does not exist")

// CanBeDir returns an error unless there is a directory at path, or nothing, so that MkdirAll can make it. The error
// says that a file is in the way, at path or above it, or is errDangling.
func CanBeDir(path string) error {
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && info.IsDir():
			return nil
		case err == nil && at == path:
			return errors.New("want a directory, and that is a file")
		case err == nil:
			return fmt.Errorf("%s is a file, and no directory", at)
		}
		if _, err := os.Lstat(at); err == nil && at == path {
			return errDangling
		} else if err == nil {
			return fmt.Errorf("%s: %w", at, errDangling)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}
