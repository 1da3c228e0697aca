package inputs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"simsearch/internal/ground/disk"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/git-pkgs/gitignore"
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

// excludes reports whether a file or directory is left out with all that is in it.
func (s *Selection) excludes(path string, isDir bool) bool {
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

// ignoreName is the name of the files.
const ignoreName = ".gitignore"

// maxIgnore is the size in bytes of the largest .gitignore file that is read.
const maxIgnore = 1 << 20

// gitIgnore knows the .gitignore files that hold for the directory that a walk is in: its own, and
// those of the directories around it, up to the one that has the repository. The settings of the
// user and of the repository (.git/info/exclude) are not read.
type gitIgnore struct {
	levels []level // outermost first
}

// A level is the .gitignore file of one directory.
type level struct {
	dir     string // absolute
	matcher *gitignore.Matcher
}

// start reads the files of the directories around dir, which is absolute. If they leave dir itself
// out, they do not count, since dir was asked for.
func (g *gitIgnore) start(dir string) error {
	around := []string{dir} // and the directories around it, up to the one that has the repository
	for {
		at := around[len(around)-1]
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(at)
		if parent == at {
			return nil
		}
		around = append(around, parent)
	}
	for i := len(around) - 1; i > 0; i-- {
		if err := g.enter(around[i]); err != nil {
			return err
		}
		if g.ignores(around[i-1], true) {
			g.levels = nil
			return nil
		}
	}
	return nil
}

// enter reads the file of dir, if it has one, and forgets those of directories that dir is not in.
func (g *gitIgnore) enter(dir string) error {
	g.leave(dir)
	patterns, err := disk.ReadNamed(filepath.Join(dir, ignoreName), maxIgnore)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrIrregular) {
		return nil
	}
	if err != nil {
		return err
	}
	matcher := &gitignore.Matcher{}
	matcher.AddPatterns(patterns, "")
	g.levels = append(g.levels, level{dir, matcher})
	return nil
}

// leave forgets the files of directories that path is not in.
func (g *gitIgnore) leave(path string) {
	for len(g.levels) > 0 {
		if _, ok := below(g.levels[len(g.levels)-1].dir, path); ok {
			return
		}
		g.levels = g.levels[:len(g.levels)-1]
	}
}

// ignores reports whether a path, which is absolute, is left out. The innermost file that has a
// pattern of the path decides.
func (g *gitIgnore) ignores(path string, isDir bool) bool {
	g.leave(path)
	for i := len(g.levels) - 1; i >= 0; i-- {
		name, ok := below(g.levels[i].dir, path)
		if !ok || name == "" {
			continue
		}
		if isDir {
			name += "/"
		}
		if found := g.levels[i].matcher.MatchDetail(name); found.Matched {
			return found.Ignored
		}
	}
	return false
}

// below returns the path with slashes from dir to path, and whether path is dir or below it.
func below(dir, path string) (string, bool) {
	if dir == path {
		return "", true
	}
	separator := string(filepath.Separator)
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, separator)+separator)
	return filepath.ToSlash(rest), ok
}
