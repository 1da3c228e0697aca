package inputs

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/ground/objects"
)

// A Namer gives files the names that stand in ids. An object has its own. A file has one name, by whatever path it is
// given: the path from the base if the file is below it, else the absolute path. Symbolic links below the base have
// names of their own.
type Namer struct {
	dirs []string // the names of the working directory, absolute
	// base is the names of the directory that names begin at, absolute.
	base []string
}

// NewNamer returns a Namer for a base. "" is the working directory.
func NewNamer(base string) Namer {
	var n Namer
	if dir, err := os.Getwd(); err == nil {
		n.dirs = namesOf(dir)
	}
	if n.base = n.dirs; base == "" {
		return n
	}
	n.base = namesOf(n.Absolute(base))
	// The working directory may have a name with links in it, and so has the base then.
	if len(n.dirs) < 2 {
		return n
	}
	if rest, ok := strings.CutPrefix(n.dirs[1], n.base[len(n.base)-1]); ok {
		if linked, ok := strings.CutSuffix(n.dirs[0], rest); ok {
			n.base = append(n.base, linked)
		}
	}
	return n
}

// namesOf returns the absolute path dir, and what it is without symbolic links if that differs.
func namesOf(dir string) []string {
	names := []string{dir}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil && resolved != dir {
		names = append(names, resolved)
	}
	return names
}

// Name returns the name of the file that path leads to, with slashes. That of standard input is -.
func (n Namer) Name(path string) string {
	if path == "-" || objects.Is(path) {
		return path
	}
	path = n.below(path)
	if path == "-" {
		return "./-" // - is standard input
	}
	return filepath.ToSlash(path)
}

// below returns the path from the base to a file, or the absolute path if the file is not below.
func (n Namer) below(path string) string {
	absolute := n.Absolute(path)
	if absolute == "" {
		return filepath.Clean(path)
	}
	for _, dir := range n.base {
		if rest, ok := below(dir, absolute); ok && rest != "" {
			return rest
		}
	}
	return absolute
}

// Path returns a path to the file of a name that Name has returned.
func (n Namer) Path(name string) string {
	path := filepath.FromSlash(name)
	if objects.Is(name) || filepath.IsAbs(path) || len(n.base) == 0 {
		return path
	}
	return filepath.Join(n.base[0], path)
}

// IsBelow reports whether the file of a name that Name has returned is in the directory dir, or below it.
func (n Namer) IsBelow(name, dir string) bool {
	if objects.Is(name) || objects.Is(dir) {
		_, below := objects.Below(name, dir)
		return below
	}
	root := cmp.Or(n.Absolute(dir), filepath.Clean(dir))
	isBelow := func(path string) bool {
		rest, ok := below(root, path)
		return ok && rest != ""
	}
	path := filepath.FromSlash(name)
	if filepath.IsAbs(path) || len(n.base) == 0 {
		return isBelow(path)
	}
	return slices.ContainsFunc(n.base, func(base string) bool { return isBelow(filepath.Join(base, path)) })
}

// Absolute returns an absolute path to the file that path leads to, or "" if the working directory is
// not known. Two dots behind a symbolic link lead to where the system finds them. Other links stay.
func (n Namer) Absolute(path string) string {
	if objects.Is(path) {
		return path
	}
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
