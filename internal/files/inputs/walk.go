package inputs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"simsearch/internal/ground/disk"
)

// walk adds the files of the directory root, and of those in it, that Options select.
func (f *Finder) walk(root string) error {
	defer Blocks()()
	base := filepath.Clean(root)
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // a link that is named is followed
	}
	var absolute string
	var git gitIgnore
	if f.o.GitIgnore {
		var err error
		if absolute, err = filepath.Abs(root); err != nil {
			return err
		}
		if err := git.start(absolute); err != nil {
			return openError(err)
		}
	}
	// enter is called for each directory that is not left out.
	enter := func(dir, name string) {
		if !f.o.GitIgnore {
			return
		}
		if err := git.enter(filepath.Join(absolute, name)); err != nil {
			path := filepath.ToSlash(filepath.Join(dir, ignoreName))
			f.Inputs = append(f.Inputs, Input{Path: path, Bad: err})
		}
	}
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if interrupted := f.interrupted(); interrupted != nil {
			return interrupted
		}
		name := nameBelow(base, p)
		switch {
		case err != nil && p == root:
			return openError(err)
		case err != nil:
			// Opening it as a file will fail again, and that error is reported.
			f.add(Input{Path: p})
			return nil
		case p == root:
			enter(p, "")
			return nil
		case f.leavesOut(filepath.ToSlash(name), d.IsDir()),
			f.o.GitIgnore && git.ignores(filepath.Join(absolute, name), d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() && isIndex(p):
			return fs.SkipDir
		case d.IsDir():
			enter(p, name)
		case d.Type().IsRegular():
			in := Input{Path: p}
			if info, err := d.Info(); err == nil {
				in.Size, in.Changed = info.Size(), disk.Changed(info)
				f.look(p, info)
			}
			f.add(in)
		case d.Type()&fs.ModeSymlink != 0:
			f.Passed = append(f.Passed, LeftOut{Path: filepath.ToSlash(p), Why: ErrLink})
		default:
			f.Passed = append(f.Passed, LeftOut{Path: filepath.ToSlash(p), Why: ErrIrregular})
		}
		return nil
	})
}

// leavesOut reports whether a file or directory is left out, by its path below a directory, with slashes.
func (f *Finder) leavesOut(below string, isDir bool) bool {
	return !f.o.Hidden && strings.HasPrefix(below[strings.LastIndexByte(below, '/')+1:], ".") ||
		f.selection.excludes(below, isDir) || !isDir && !f.selection.Includes(below)
}

// nameBelow returns the path from the directory base to p, which WalkDir has found in it.
func nameBelow(base, p string) string {
	if base == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, base), string(filepath.Separator))
}
