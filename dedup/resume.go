package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/terminal"
	"simsearch/section"
)

// errAnew is returned if documents that an interrupted run has read have changed, though their file seems to be as it was.
var errAnew = errors.New("a file has changed")

// open prepares Options.State, takes its lock, and takes up what an interrupted run has left there. The files are known,
// and nothing has been read.
func (c *Collection) open(ctx context.Context) (err error) {
	dir := c.o.State
	if err := Prepare(dir, c.o.Command, c.paths()); err != nil {
		return err
	}
	if c.run, err = c.about(); err != nil {
		return err
	}
	if c.made, err = disk.MkdirAll(c.o.FS, dir); err != nil {
		return err
	}
	for _, made := range c.made {
		if err := c.o.FS.SyncDir(filepath.Dir(made)); err != nil {
			return err
		}
	}
	unfinished, err := c.exists(filepath.Join(dir, unfinishedName))
	if err != nil {
		return err
	}
	if c.mark, err = lock(c.o.FS, dir); err != nil {
		return err
	}
	if err := c.o.FS.SyncDir(dir); err != nil { // so that no crash leaves files here without the mark
		return err
	}
	c.journal = newJournal(c)
	c.sets = c.journal
	if unfinished {
		if err := removeTemporary(c.o.FS, dir); err != nil {
			return err
		}
		on, err := c.resume(ctx)
		if on || err != nil {
			return err
		}
	}
	return clearResult(c.o.FS, dir)
}

// removeTemporary removes the files that a process has not finished in dir, and in the directories of documents there.
func removeTemporary(fsys disk.FS, dir string) error {
	sweep := func(dir string, names []string) error {
		for _, name := range names {
			if temporary, _ := filepath.Match(disk.TempPattern, name); temporary {
				if err := fsys.Remove(filepath.Join(dir, name)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(sweep(dir, names), eachDirectory(fsys, filepath.Join(dir, KeptName), sweep), eachDirectory(fsys, filepath.Join(dir, AsideName), sweep))
}

// eachDirectory calls do with dir, if there is one, and with the directories in it, and their names.
func eachDirectory(fsys disk.FS, dir string, do func(dir string, names []string) error) error {
	names, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := fsys.Stat(path)
		if err == nil && info.IsDir() {
			err = eachDirectory(fsys, path, do)
		}
		if err != nil {
			return err
		}
	}
	return do(dir, names)
}

// resume takes up what an interrupted run has left. It returns false if that is nothing of use.
func (c *Collection) resume(ctx context.Context) (on bool, err error) {
	why := ""
	data, err := c.o.FS.ReadFile(filepath.Join(c.o.State, StateName))
	if err == nil {
		f, s, err := parseState(data)
		if err == nil {
			if why = c.run.differs(&s.Run); why == "" && !s.Glued {
				c.decided, err = c.restore(f, &s)
			}
		}
		if err == nil && c.decided != nil {
			if err := removeParts(c.o.FS, c.o.State, 0); err != nil {
				return false, err
			}
			c.tell(fmt.Sprintf("%s has an interrupted run of this command, which goes on: what to remove is decided", c.o.State))
			return true, nil
		}
		if err != nil && !isDamage(err) {
			return false, err
		}
		if err != nil {
			why = "what it has left is damaged"
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	data, err = c.o.FS.ReadFile(filepath.Join(c.o.State, readingName))
	if err == nil && why == "" {
		var was about
		f, err := section.Parse(data)
		if err == nil {
			err = readAbout(f, &was)
		}
		if err == nil {
			why = c.run.differs(&was)
		}
		if err == nil && why == "" {
			if err := c.journal.load(ctx); err != nil || len(c.journal.parts) > 0 {
				if err == nil {
					c.tell(fmt.Sprintf("%s has an interrupted run of this command, which goes on: %s read", c.o.State, terminal.Plural(len(c.of), "document")))
				}
				return true, err
			}
		}
		if err != nil && !isDamage(err) {
			return false, err
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if why != "" {
		c.tell(fmt.Sprintf("%s has an interrupted run, and %s: all begins anew", c.o.State, why))
	}
	return false, nil
}

// GoesOn reports whether dir has something of an unfinished run, which the same run would go on with.
func GoesOn(dir string) bool {
	has := func(name string) bool { _, err := disk.OS.Stat(filepath.Join(dir, name)); return err == nil }
	return has(unfinishedName) && (has(StateName) || has(partName(1)))
}

// isDamage reports whether err is about bytes that a crash may have left.
func isDamage(err error) bool {
	return errors.Is(err, section.ErrCorrupt) || errors.Is(err, section.ErrForeign) || errors.Is(err, section.ErrVersion) || errors.Is(err, mmap.ErrFault)
}

func (c *Collection) tell(what string) {
	if c.o.Tell != nil {
		c.o.Tell(what)
	}
}

// leave gives up the lock of Options.State. If nothing is there that another run could use, the directory is as it was.
func (c *Collection) leave() error {
	if c.mark == nil {
		return nil
	}
	err := c.mark.Close()
	c.mark = nil
	if c.o.State == "" {
		return err
	}
	names, failed := c.o.FS.ReadDir(c.o.State)
	if failed != nil || len(names) != 1 || names[0] != unfinishedName {
		return err
	}
	err = errors.Join(err, c.o.FS.Remove(filepath.Join(c.o.State, unfinishedName)))
	for i := len(c.made) - 1; i >= 0 && err == nil; i-- {
		if c.o.FS.Remove(c.made[i]) != nil {
			break // something is in it
		}
	}
	return err
}

// writtenFiles returns which files that are not of the reference an interrupted run of the same decisions has written.
func (c *Collection) writtenFiles(dir string) (written []bool, err error) {
	written = make([]bool, len(c.files)-c.refs)
	if c.decided == nil || c.o.DryRun {
		return written, nil
	}
	for i := range written {
		written[i], err = c.exists(c.outputPath(dir, KeptName, i))
		if err == nil && written[i] && c.o.KeepRemoved && c.decided.removesFrom(c.refs+i) { // a crash may have left either
			written[i], err = c.exists(c.outputPath(dir, AsideName, i))
		}
		if err != nil {
			return nil, err
		}
	}
	return written, nil
}

// removesFrom reports whether some document of a file is removed.
func (d *Decisions) removesFrom(file int) bool {
	for doc := d.c.starts[file]; doc < d.c.starts[file+1]; doc++ {
		if d.kept[doc] != doc {
			return true
		}
	}
	return false
}

func (c *Collection) outputPath(dir, of string, i int) string {
	return filepath.Join(dir, of, filepath.FromSlash(c.names[i]))
}
