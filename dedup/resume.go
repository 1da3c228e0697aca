package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/outdir"
	"simsearch/internal/terminal"
	"simsearch/section"
)

// errAnew is returned if documents that an interrupted run has read have changed, though their file seems to be as it was.
var errAnew = errors.New("a file has changed")

// open prepares Options.State, and takes up what an interrupted run has left there. The files are known, and nothing has
// been read.
func (c *Collection) open(ctx context.Context) (err error) {
	if c.run, err = c.about(); err != nil {
		return err
	}
	if err := c.openResult(c.o.State); err != nil {
		return err
	}
	c.journal = newJournal(c)
	c.sets = c.journal
	if !c.dir.Resumed() {
		return nil
	}
	if on, err := c.resume(ctx); on || err != nil {
		return err
	}
	return c.dir.Clear()
}

// resume takes up what an interrupted run has left. It returns false if that is nothing of use.
func (c *Collection) resume(ctx context.Context) (on bool, err error) {
	why := ""
	data, err := c.dir.ReadFile(StateName)
	if err == nil {
		f, s, err := parseState(data)
		if err == nil {
			if why = c.run.differs(&s.Run); why == "" && !s.Glued {
				c.decided, err = c.restore(f, &s)
			}
		}
		if err == nil && c.decided != nil {
			if err := removeParts(c.dir, 0); err != nil {
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
	data, err = c.dir.ReadFile(readingName)
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
	has := func(name string) bool {
		_, err := disk.OS.Stat(filepath.Join(dir, outdir.WorkName, name))
		return err == nil
	}
	return has(StateName) || has(partName(1))
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

// writtenFiles returns which files that are not of the reference an interrupted run of the same decisions has written.
func (c *Collection) writtenFiles() (written []bool, err error) {
	written = make([]bool, len(c.files)-c.refs)
	if c.decided == nil || c.o.DryRun {
		return written, nil
	}
	for i := range written {
		_, err := c.dir.Stat(c.keptPath(i))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		written[i] = err == nil
	}
	return written, nil
}
