package corpus

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"simsearch/internal/globs"
	"simsearch/internal/ignorefiles"
)

// walk adds the files of the directory root, and of those in it, that Options select.
func (r *Reader) walk(root string) error {
	base := filepath.Clean(root)
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // a link that is named is followed
	}
	var absolute string
	var git ignorefiles.Files
	if r.o.GitIgnore {
		var err error
		if absolute, err = filepath.Abs(root); err != nil {
			return err
		}
		if err := git.Start(absolute); err != nil {
			return openError(err)
		}
	}
	// enter is called for each directory that is not left out.
	enter := func(dir, name string) {
		if !r.o.GitIgnore {
			return
		}
		if err := git.Enter(filepath.Join(absolute, name)); err != nil {
			path := filepath.ToSlash(filepath.Join(dir, ignorefiles.Name))
			r.inputs = append(r.inputs, input{path: path, bad: bad(path, 0, err)})
		}
	}
	// leftOut reports whether a file or directory is left out.
	leftOut := func(name string, isDir bool) bool {
		slashed := filepath.ToSlash(name)
		return r.selection.Excludes(slashed, isDir) || !isDir && !r.selection.Includes(slashed) ||
			r.o.GitIgnore && git.Ignores(filepath.Join(absolute, name), isDir)
	}
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if interrupted := r.interrupted(); interrupted != nil {
			return interrupted
		}
		var name string // below root
		if !r.selection.IsAll() || r.o.GitIgnore {
			name = nameBelow(base, p)
		}
		switch {
		case err != nil && p == root:
			return openError(err)
		case err != nil:
			// Opening it as a file will fail again, and that error is reported.
			r.add(input{path: p})
			return nil
		case p == root:
			enter(p, "")
			return nil
		case !r.o.Hidden && strings.HasPrefix(d.Name(), "."), name != "" && leftOut(name, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() && isIndex(p):
			return fs.SkipDir
		case d.IsDir():
			enter(p, name)
		case d.Type().IsRegular():
			var size int64
			if info, err := d.Info(); err == nil {
				size = info.Size()
			}
			r.add(input{path: p, size: size})
		}
		return nil
	})
}

// nameBelow returns the path from the directory base to p, which WalkDir has found in it.
func nameBelow(base, p string) string {
	if base == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, base), string(filepath.Separator))
}

// CheckPatterns returns an error if one of Options.Include or Exclude is no pattern.
func CheckPatterns(patterns []string) error {
	_, err := globs.New(patterns, nil)
	return err
}
