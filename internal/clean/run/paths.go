package run

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
)

// Apart returns an error if a directory that is written to is one of inputs, or in one or around one.
func Apart(dir string, inputs []string) error {
	for _, input := range inputs {
		if overlap(dir, input) {
			return fmt.Errorf("%s would be read and written: name a directory apart from %s", dir, input)
		}
	}
	return nil
}

// overlap reports whether one of two files, objects or directories is the other one, or below it.
func overlap(a, b string) bool {
	if objects.Is(a) || objects.Is(b) {
		a, b = strings.TrimRight(a, "/")+"/", strings.TrimRight(b, "/")+"/"
		return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
	}
	a, b = resolved(a), resolved(b)
	return IsBelow(a, b) || IsBelow(b, a)
}

// Names returns the names of what is written of files, below the directory of what is kept. base is that of
// corpus.Options, and dirs are the directories among the inputs.
func Names(base string, dirs []string, files []corpus.File) ([]string, error) {
	return rewrite.Names(commonBase(base, dirs, files), files)
}

// commonBase returns the directory that names of outputs begin at: base, or the working directory if that is "", if
// all files are below it, and otherwise the directory that all are in. Objects alone have the longest of dirs, the
// directories among the inputs, that all are below, and otherwise the one that all are in; objects among files do not
// count.
func commonBase(base string, dirs []string, files []corpus.File) string {
	var below, stored []string // the directories of files, and objects
	for _, f := range files {
		if objects.Is(f.Path) {
			stored = append(stored, f.Path)
			continue
		}
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return base
		}
		below = append(below, filepath.Dir(path))
	}
	if len(below) == 0 && len(stored) > 0 {
		return commonDir(dirs, stored)
	}
	if base == "" {
		base, _ = os.Getwd() // or none
	}
	above := func(dir string) bool {
		return dir != "" && !slices.ContainsFunc(below, func(path string) bool { return !IsBelow(path, dir) })
	}
	if len(below) == 0 || above(base) {
		return base
	}
	common := below[0]
	for !above(common) && common != filepath.Dir(common) {
		common = filepath.Dir(common)
	}
	return common
}

// commonDir returns the longest of dirs, directories of a store, that all objects are below, or else the one that all
// are in.
func commonDir(dirs, stored []string) (common string) {
	above := func(dir string) bool {
		return !slices.ContainsFunc(stored, func(name string) bool { _, below := objects.Below(name, dir); return !below })
	}
	for _, dir := range dirs {
		if objects.Is(dir) && len(dir) > len(common) && above(dir) {
			common = dir
		}
	}
	if common != "" {
		return common
	}
	for dir := stored[0]; strings.Contains(objects.Local(dir), "/"); {
		dir = dir[:strings.LastIndexByte(dir, '/')]
		if above(dir) {
			return dir
		}
	}
	return "" // they are in several buckets
}

// IsBelow reports whether a directory is another one or below it.
func IsBelow(dir, other string) bool {
	rel, err := filepath.Rel(other, dir)
	return err == nil && filepath.IsLocal(rel)
}

// Readers returns who may read what is made of some files: nobody who may not read one of them.
func Readers(files []string) fs.FileMode {
	var readers disk.Readers
	for _, path := range files {
		objects.See(&readers, path)
	}
	return readers.Mode()
}

// Absolute returns an absolute path, or the path as it is if there is no working directory.
func Absolute(path string) string {
	if objects.Is(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// resolved returns an absolute path without symbolic links, as far as it exists.
func resolved(path string) string {
	path = Absolute(path)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}
