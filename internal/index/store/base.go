package store

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The base of an index
//
// A document whose record has no id is named by the path of its file. That path begins at the base of
// the index: the working directory of the command that made it. A file outside of the base has its
// absolute path. So a file has one id, from whatever directory and by whatever path the index is
// added to; and no other file has this id.
//
// Three other ways were weighed:
//
//   - Paths from the working directory of each command. The same file is two documents if an index is
//     added to from two directories. Two files, such as a/README and b/README, have one id if the
//     index is added to from a and from b, and the second is refused, or passed over as known.
//   - Ids as before, and the index compares absolute paths. That ends the first, but not the second,
//     and each document needs its path beside its id.
//   - Absolute paths always. Ids are long, tell where somebody lives, and change if a project moves.
//
// A base in which the index lies is stored as the path from the index, such as "..": then a project
// that moves with its index, or is a copy on another machine, keeps its ids. Any other base is stored
// as an absolute path. An index that is moved alone takes such a relative base with it, as .git takes
// its work tree: files that it has are then new ones.
//
// Symbolic links are resolved on the way to the index and to the base, and not below the base: a file
// and a link to it are two documents.

// SetBase makes dir, a path, the base of the index in the directory index, which must exist. It does
// nothing if there is no absolute path to them.
func (m *Manifest) SetBase(index, dir string) {
	at, missing := resolve(index)
	base, err := resolve(dir)
	if missing != nil || err != nil {
		return
	}
	m.Base = filepath.ToSlash(base)
	if up, err := filepath.Rel(at, base); err == nil && isUp(up) {
		m.Base = filepath.ToSlash(up)
	}
}

// BaseFor returns the absolute path of the base of the index in the directory index, or "" if the
// index has none.
func (m *Manifest) BaseFor(index string) (string, error) {
	if m.Base == "" || isAbsolute(m.Base) {
		return filepath.FromSlash(m.Base), nil
	}
	at, err := resolve(index)
	return filepath.Join(at, filepath.FromSlash(m.Base)), err
}

// resolve returns the absolute path of a directory without symbolic links.
func resolve(dir string) (string, error) {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// isUp reports whether a relative path is to a directory above, or to the same.
func isUp(path string) bool {
	return strings.Trim(path, "."+string(os.PathSeparator)) == "" && !strings.Contains(path, "...")
}

// isAbsolute reports whether a path with slashes is absolute, here or, as /home/ann is on Windows, where the index
// was made.
func isAbsolute(s string) bool { return path.IsAbs(s) || filepath.IsAbs(filepath.FromSlash(s)) }
