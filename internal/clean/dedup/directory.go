package dedup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/ground/publish"
	"simsearch/internal/index"
)

// ErrBusy is returned if another run writes to the directory.
var ErrBusy = publish.ErrBusy

// Names of what Write makes in its directory.
const (
	ClustersName = "clusters.jsonl"
	StateDir     = "state"       // what the next run of the same command goes on from
	reviewName   = "review.html" // a page on which a person says whether removals are right
)

// Directory returns how the directory of a result of a command is made.
func Directory(command string) publish.Options {
	where, _ := os.Getwd() // or none
	return publish.Options{By: "dedup", Command: command, Where: where, Work: []string{partPattern}}
}

func (o *Options) result() publish.Options {
	is := Directory(o.Command)
	is.FS = o.FS
	return is
}

// Prepare returns an error if Write with o could not write to a directory. There must be none, or it must be empty,
// or have what the same command has written, finished or not, and nothing else. It must not be one of inputs, nor in
// one or around one: they would be read and written at the same time.
func Prepare(dir string, inputs []string, o Options) error {
	if err := run.Apart(dir, inputs); err != nil {
		return err
	}
	return publish.Check(dir, o.result())
}

// openResult takes the directory of the result, and says which files it is going to have.
func (c *Collection) openResult(dir string) (err error) {
	if err := Prepare(dir, c.paths(), c.Options); err != nil {
		return err
	}
	if _, err := c.Options.FS.Stat(filepath.Join(dir, publish.ListName)); err == nil && len(c.Files) == c.Refs {
		return fmt.Errorf("no file is found in the input, and %s has a result, which stays: is the disk of the input there?", dir)
	}
	o := c.Options.result()
	o.Perm = c.Readers()
	if c.Dir, err = publish.Open(dir, o); err != nil {
		return err
	}
	c.to = c.Dir
	names := []string{run.RemovedName, ClustersName, run.CutName, run.LeftOutName, run.ReportName, run.PageName, reviewName, stateName}
	for i := range mostStored + 1 {
		names = append(names, storedName(i+1))
	}
	for i := range c.names {
		names = append(names, filepath.ToSlash(c.keptPath(i)))
	}
	return c.Dir.Plan(names)
}

// Readers returns the permissions of what is made of the files: who may not read one of them may not read that.
func (c *Collection) Readers() fs.FileMode {
	paths := c.paths()
	for i := c.Refs - len(c.Indexes); i < c.Refs; i++ {
		paths[i] = filepath.Join(paths[i], index.ManifestName)
	}
	return run.Readers(paths)
}

// keptPath returns the path below the result of what is kept of file i, not counting the reference.
func (c *Collection) keptPath(i int) string {
	return filepath.Join(run.KeptName, filepath.FromSlash(c.names[i]))
}

// writeIn calls write when the directory of the result is ready, and makes what it has written the result.
func (c *Collection) writeIn(dir string, write func() error) error {
	if c.Dir == nil {
		if err := c.openResult(dir); err != nil {
			return err
		}
		if err := c.Dir.Clear(); err != nil {
			return err
		}
	}
	if err := write(); err != nil {
		if errors.Is(err, rewrite.ErrChanged) { // what was decided is of no use
			err = errors.Join(err, c.Dir.Clear())
		}
		return err
	}
	if c.stored != nil { // some systems move no file that is open
		if err := c.stored.Close(); err != nil {
			return err
		}
	}
	return c.Dir.Commit()
}
