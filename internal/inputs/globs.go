package inputs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A glob is a pattern of paths below a directory.
type glob struct {
	pattern  string
	dirsOnly bool
}

// newGlobs returns the globs that patterns stand for. A pattern without a slash stands for a name in
// any directory.
func newGlobs(patterns []string) ([]glob, error) {
	var globs []glob
	for _, p := range patterns {
		path := strings.TrimSuffix(p, "/")
		g := glob{pattern: path, dirsOnly: path != p}
		if strings.Contains(path, "/") {
			g.pattern = strings.TrimPrefix(strings.TrimPrefix(path, "."), "/")
			if strings.HasPrefix(path, ".") && !strings.HasPrefix(path, "./") {
				g.pattern = path // the name of the first directory begins with a dot
			}
		} else if path != "" && path != "." {
			g.pattern = "**/" + path
		}
		if g.pattern == "" || g.pattern == "." || !doublestar.ValidatePattern(g.pattern) {
			return nil, fmt.Errorf("%q is not a pattern of paths", p)
		}
		globs = append(globs, g)
	}
	return globs, nil
}

// match reports whether the glob is of a path, which has slashes.
func (g glob) match(path string, isDir bool) bool {
	return (isDir || !g.dirsOnly) && doublestar.MatchUnvalidated(g.pattern, path)
}

// A Selection says which files of a directory are selected.
type Selection struct {
	include, exclude []glob
}

// Select returns the selection of the files that a pattern of include matches, or all if include is
// empty, but for those that a pattern of exclude matches. A pattern is compared with the path below
// a directory, with slashes: * and ? stand for characters other than slashes, ** for any
// directories, [a-z] for one character of several, {a,b} for one of several texts. A pattern without
// a slash is compared with names in any directory. One that ends with a slash is for directories
// alone. A pattern of a directory holds for all that is in it. It is an error if one of them is no
// pattern.
func Select(include, exclude []string) (s Selection, err error) {
	if s.include, err = newGlobs(include); err != nil {
		return s, err
	}
	s.exclude, err = newGlobs(exclude)
	return s, err
}

// isAll reports whether all files are selected.
func (s *Selection) isAll() bool { return len(s.include) == 0 && len(s.exclude) == 0 }

// Excludes reports whether a file or directory is left out with all that is in it.
func (s *Selection) Excludes(path string, isDir bool) bool {
	return slices.ContainsFunc(s.exclude, func(g glob) bool { return g.match(path, isDir) })
}

// Includes reports whether a glob is of a file, or of a directory that the file is in.
func (s *Selection) Includes(path string) bool {
	if len(s.include) == 0 {
		return true
	}
	for _, g := range s.include {
		if g.match(path, false) {
			return true
		}
		for i, c := range path {
			if c == '/' && g.match(path[:i], true) {
				return true
			}
		}
	}
	return false
}
