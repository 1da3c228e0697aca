package corpus

import (
	"os"
	"path/filepath"
	"strings"
)

// A namer gives files the names that stand in ids. A file has one name, whether its path is given
// relative or absolute: the path from the working directory if the file is below it, else the
// absolute path. Symbolic links on the way have names of their own.
type namer struct {
	dirs []string // the names of the working directory, absolute
}

func newNamer() namer {
	var n namer
	dir, err := os.Getwd()
	if err != nil {
		return n // paths are only cleaned
	}
	n.dirs = append(n.dirs, dir)
	if resolved, err := filepath.EvalSymlinks(dir); err == nil && resolved != dir {
		n.dirs = append(n.dirs, resolved)
	}
	return n
}

// name returns the name of the file that path leads to, with slashes.
func (n namer) name(path string) string {
	path = filepath.Clean(path)
	if path == "-" {
		return "./-" // - is standard input
	}
	if !filepath.IsLocal(path) { // else it is below the working directory
		path = n.outside(path)
	}
	return filepath.ToSlash(path)
}

// outside is name for a path that is absolute or begins with two dots.
func (n namer) outside(path string) string {
	if len(n.dirs) == 0 {
		return path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(n.dirs[0], path)
	}
	for _, dir := range n.dirs {
		below := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
		if rest, ok := strings.CutPrefix(path, below); ok {
			return rest
		}
	}
	return path
}

// absolute returns an absolute path to the file that path leads to, or "" if the working directory is
// not known. Two dots behind a symbolic link lead to where the system finds them. Other links stay.
func (n namer) absolute(path string) string {
	const parent = ".." + string(filepath.Separator)
	below := filepath.FromSlash(path)
	for strings.HasPrefix(below, parent) {
		below = below[len(parent):]
	}
	if strings.Contains(below, parent) {
		dir, file := filepath.Split(path)
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			path = filepath.Join(resolved, file)
		}
	}
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case len(n.dirs) == 0:
		return ""
	case strings.HasPrefix(path, ".."):
		return filepath.Join(n.dirs[len(n.dirs)-1], path) // the parent of a link is not that of its target
	}
	return filepath.Join(n.dirs[0], path)
}
