package outdir

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/disk"
	"simsearch/internal/idtext"
)

// A ForeignError is returned for what is in a directory and not ours.
type ForeignError struct {
	Path string // of the file, the directory or the link
	Why  string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s %s: move it away, or name another directory", e.Path, e.Why)
}

func (d *Dir) foreign(name string) error {
	return &ForeignError{filepath.Join(d.path, filepath.FromSlash(name)), whyForeign}
}

const (
	whyForeign = "was not written by simsearch"
	whyLink    = "is a symbolic link, which is not followed"
	whyChanged = "was changed since simsearch has written it"
)

// A checker says of each file of a directory whether it is ours.
type checker struct {
	path  string
	root  disk.Root
	o     Options
	lists []*list // of the results, complete or being replaced
	plan  *list   // of what is in WorkName, or nil
	dirs  map[string]bool
	// contents says that digests are compared, too.
	contents bool
}

// checkAll is Check for a directory that is open. With contents, files are read.
func checkAll(path string, root disk.Root, o Options, contents bool) error {
	names, err := root.ReadDir(".")
	if err != nil || len(names) == 0 {
		return err
	}
	c := &checker{path: path, root: root, o: o, contents: contents, dirs: map[string]bool{}}
	if info, err := root.Stat(WorkName); err == nil && !info.IsDir() {
		return c.foreign(WorkName, whyForeign)
	}
	for _, name := range []string{ListName, filepath.Join(WorkName, ListName), filepath.Join(WorkName, oldName, ListName)} {
		l, err := readLines(root, name)
		if err != nil {
			return fmt.Errorf("%s: %w: move it away, or name another directory", path, err)
		}
		if l == nil {
			continue
		}
		if l.By != o.By || !o.Anew && (l.Command != o.Command || l.Where != o.Where || o.Command == "" && name == ListName) {
			return fmt.Errorf("%s is not empty: it has the result of another command, %s: name another directory, or remove it", path, idtext.Harmless(l.Command))
		}
		c.lists = append(c.lists, l)
		for dir := range dirs(l.files) {
			c.dirs[dir] = true
		}
	}
	if c.plan, err = readLines(root, filepath.Join(WorkName, planName)); err != nil {
		return fmt.Errorf("%s: %w: move it away, or name another directory", path, err)
	}
	if c.plan != nil && c.plan.By != o.By {
		return fmt.Errorf("%s is not empty: it has the unfinished result of another command; name another directory, or remove it", path)
	}
	names = slices.DeleteFunc(names, o.isEdited)
	if len(c.lists) == 0 && len(names) > 0 && !slices.Contains(names, WorkName) {
		return fmt.Errorf("%s is not empty: it has %s; name another directory, or remove it", path, idtext.Harmless(names[0]))
	}
	planned := map[string]bool{}
	if c.plan != nil {
		planned = dirs(c.plan.files)
	}
	return walk(root, ".", func(name string, info fs.FileInfo) error {
		work, inWork := strings.CutPrefix(name, WorkName+"/")
		old, inOld := strings.CutPrefix(work, oldName+"/")
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return c.foreign(name, whyLink)
		case info.IsDir() && (name == "." || name == WorkName || inWork && (work == oldName || planned[work]) || inOld && c.dirs[old] || !inWork && c.dirs[name]):
			return nil
		case !info.Mode().IsRegular():
			return c.foreign(name, whyForeign)
		case o.isEdited(name):
			return nil
		case inOld:
			return c.listed(name, old, info)
		case inWork && (work == lockName || work == planName || work == ListName || isTemporary(filepath.Base(work))):
			return nil
		case inWork && c.plan != nil && (c.o.isWork(work) || c.plan.files[work].Name != ""):
			return nil
		case inWork:
			return c.foreign(name, whyForeign)
		}
		return c.listed(name, name, info)
	})
}

func (c *checker) foreign(name, why string) error {
	return &ForeignError{filepath.Join(c.path, filepath.FromSlash(name)), why}
}

// listed returns an error if a file is not the one that a list has under a name.
func (c *checker) listed(at, name string, info fs.FileInfo) error {
	if name == ListName {
		return nil
	}
	why, digest := whyForeign, ""
	for _, l := range c.lists {
		e, ok := l.files[name]
		if !ok {
			continue
		}
		why = whyChanged
		if info.Size() != e.Bytes {
			continue
		}
		if !c.contents {
			return nil
		}
		if digest == "" {
			var err error
			if digest, err = digestIn(c.root, at); err != nil {
				return err
			}
		}
		if digest == e.Digest {
			return nil
		}
	}
	return c.foreign(at, why)
}

func (o Options) isEdited(name string) bool { return slices.Contains(o.Edited, name) }
