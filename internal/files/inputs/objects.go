package inputs

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/ground/objects"
)

// Objects that are left out, since no file of a result could have their names. Each is read if it has another name.
var (
	errSlash = errors.New("an object whose name ends with a slash, which is read only if it has another name")
	errDir   = errors.New("an object whose name is that of a directory of others, too, which is read only if it has another name")
	errPath  = errors.New("an object whose name can be that of no file below a directory, which is read only if it has another name")
	errAgain = errors.New("an object whose name leads to the file of another one, which is read only if it has another name")
)

// maxFileName is the most bytes of a name in a directory, on most file systems.
const maxFileName = 255

// canBeFile reports whether a file below a directory can have a name.
func canBeFile(below string) bool {
	return filepath.IsLocal(filepath.FromSlash(path.Clean(below))) &&
		!slices.ContainsFunc(strings.Split(below, "/"), func(part string) bool { return len(part) > maxFileName })
}

// withoutClashes returns the objects below the directory called name without those that could not be files there
// beside the others.
func (f *Finder) withoutClashes(name string, found []Input) []Input {
	is, dirs := map[string]string{}, map[string]bool{}
	clean := func(in Input) string {
		below, _ := objects.Below(in.Path, name)
		return path.Clean(below)
	}
	for _, in := range found {
		at := clean(in)
		if as, again := is[at]; !again || len(in.Path) < len(as) { // the shortest one is written as it is meant
			is[at] = in.Path
		}
		for dir := path.Dir(at); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	return slices.DeleteFunc(found, func(in Input) bool {
		var why error
		switch at := clean(in); {
		case dirs[at]:
			why = errDir
		case is[at] != in.Path:
			why = errAgain
		default:
			return false
		}
		f.Passed = append(f.Passed, LeftOut{Path: in.Path, Why: why})
		return true
	})
}

// findObjects adds the object called name, or the objects that are below it, as if they were the files of a directory.
func (f *Finder) findObjects(name string) error {
	info, err := objects.Look(f.o.Context, name)
	if err != nil {
		return err
	}
	f.look(name, info)
	if !info.IsDir() {
		f.add(Input{Path: name, Size: info.Size(), Changed: info.ModTime(), Named: true})
		return nil
	}
	if f.o.GitIgnore {
		return fmt.Errorf("--skip gitignore goes by files of directories, and not by objects, such as those of %s: leave one of them out, or name files by --include '!GLOB'", name)
	}
	f.Dirs = append(f.Dirs, name)
	var found []Input
	err = objects.List(f.o.Context, name, func(o *objects.Info) error {
		below, _ := objects.Below(o.Object, name)
		switch {
		case !f.takes(below):
		case strings.HasSuffix(below, "/"):
			f.Passed = append(f.Passed, LeftOut{Path: o.Object, Why: errSlash})
		case !canBeFile(below):
			f.Passed = append(f.Passed, LeftOut{Path: o.Object, Why: errPath})
		default:
			found = append(found, Input{Path: o.Object, Size: o.Size(), Changed: o.ModTime()})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if found, err = f.withoutIndexes(name, found); err != nil {
		return err
	}
	found = f.withoutClashes(name, found)
	// A directory lists what is in another one before names that are longer than its own.
	slices.SortStableFunc(found, func(a, b Input) int {
		return cmp.Compare(strings.ReplaceAll(a.Path, "/", "\x00"), strings.ReplaceAll(b.Path, "/", "\x00"))
	})
	for _, in := range found {
		f.add(in)
	}
	if len(found) == 0 {
		f.Empty = append(f.Empty, name)
	}
	return nil
}

// withoutIndexes returns the objects that are not files of an index below the directory called name. It is an error
// if that is one itself.
func (f *Finder) withoutIndexes(name string, found []Input) ([]Input, error) {
	for _, in := range slices.Clone(found) {
		dir, ok := strings.CutSuffix(in.Path, "/"+manifestName)
		if !ok {
			continue
		}
		o, err := objects.Open(f.o.Context, in.Path)
		if err != nil {
			return nil, err
		}
		is := beginsManifest(o)
		if err := o.Close(); err != nil {
			return nil, err
		}
		switch {
		case is && dir == strings.TrimSuffix(name, "/"):
			return nil, isAnIndex(name)
		case is:
			found = slices.DeleteFunc(found, func(other Input) bool { return strings.HasPrefix(other.Path, dir+"/") })
		}
	}
	return found, nil
}

// takes reports whether walk would add a file of this name below a directory.
func (f *Finder) takes(below string) bool {
	for i, c := range below + "/" {
		if c == '/' && f.leavesOut(below[:i], i < len(below)) {
			return false
		}
	}
	return true
}
