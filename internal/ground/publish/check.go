package publish

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
)

// A ForeignError is returned for what is in a directory and not ours.
type ForeignError struct {
	Path string // of the file, the directory or the link
	Why  string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s %s: move it away, or name another directory", e.Path, e.Why)
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
	lists []*list // of the results, complete or being replaced
	// contents says that digests are compared, too, of files whose time is not the one of the list.
	contents bool
}

// checkAll is Check for a directory that is open. With contents, files are read.
func checkAll(path string, root disk.Root, o Options, contents bool) error {
	names, err := root.ReadDir(".")
	if err != nil || len(names) == 0 {
		return err
	}
	c := &checker{path: path, root: root, contents: contents}
	if info, err := root.Stat(WorkName); err == nil && !info.IsDir() {
		return c.foreign(WorkName, whyForeign)
	}
	directories := map[string]bool{}
	for _, name := range []string{ListName, filepath.Join(WorkName, ListName), filepath.Join(WorkName, oldName, ListName)} {
		l, err := readLines(c.root, c.path, name)
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		if err := l.checkCommand(path, name, o); err != nil {
			return err
		}
		c.lists = append(c.lists, l)
		maps.Copy(directories, l.dirs())
	}
	plan, err := readLines(c.root, c.path, filepath.Join(WorkName, planName))
	if err != nil {
		return err
	}
	if plan != nil && plan.By != o.By {
		return fmt.Errorf("%s is not empty: it has the unfinished result of another command; name another directory, or remove it", path)
	}
	if len(c.lists) == 0 && len(names) > 0 && !slices.Contains(names, WorkName) {
		return fmt.Errorf("%s is not empty: it has %s; name another directory, or remove it", path, terminal.Harmless(names[0]))
	}
	planned := plan.dirs()
	return walk(root, ".", func(name string, info fs.FileInfo) error {
		work, inWork := strings.CutPrefix(name, WorkName+"/")
		old, inOld := strings.CutPrefix(work, oldName+"/")
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			return c.foreign(name, whyLink)
		case info.IsDir() && (name == "." || name == WorkName || inWork && (work == oldName || planned[work]) || inOld &&
			directories[old] || !inWork && directories[name]):
			return nil
		case !info.Mode().IsRegular():
			return c.foreign(name, whyForeign)
		case inOld:
			return c.listed(name, old, info)
		case inWork && (work == lockName || work == planName || work == ListName || isTemporary(filepath.Base(work))):
			return nil
		case inWork && plan != nil && (o.isWork(work) || plan.has(work)):
			return nil
		case inWork:
			return c.foreign(name, whyForeign)
		}
		return c.listed(name, name, info)
	})
}

// checkCommand returns an error unless a list is of the same command.
func (l *list) checkCommand(path, name string, o Options) error {
	is := o.head()
	if l.By != is.By || !o.Anew && (l.Command != is.Command || l.Where != is.Where || o.Command == "" && name == ListName) {
		return fmt.Errorf("%s is not empty: it has the result of another command, %s: name another directory, or remove it%s", path,
			terminal.Harmless(l.Command), terminal.If(l.By == is.By && is.Command != "", "; what folders have may change between runs, and the inputs and flags may not"))
	}
	return nil
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
		if !c.contents || l.isAsWritten(e, info) {
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
