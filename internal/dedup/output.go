package dedup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"simsearch/internal/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/index"
	"simsearch/internal/outdir"
	"simsearch/internal/rewrite"
	"simsearch/internal/terminal"
)

// An output is the directory of a result, and what is known of files that it does not have in whole.
type output struct {
	documents
	dir     *outdir.Dir      // from its opening on
	leftOut []corpus.LeftOut // when all is decided
	damage  []corpus.LeftOut // guarded by mu
}

// ErrBusy is returned if another run writes to the directory.
var ErrBusy = outdir.ErrBusy

// Names of what Write makes in its directory.
const (
	KeptName     = "kept"
	RemovedName  = "removed.jsonl"
	ClustersName = "clusters.jsonl"
)

// result returns how the directory of a result is made.
func (o *Options) result() outdir.Options {
	where, _ := os.Getwd() // or none
	return outdir.Options{By: "dedup", Command: o.Command, Where: escaped([]byte(where)), Work: []string{partPattern}, FS: o.FS}
}

// Prepare returns an error if Write with o could not write to a directory. There must be none, or it must be empty, or have
// what the same command has written, finished or not, and nothing else. It must not be one of inputs, nor in one or
// around one: they would be read and written at the same time.
func Prepare(dir string, inputs []string, o Options) error {
	for _, input := range inputs {
		if isBelow(resolved(dir), resolved(input)) || isBelow(resolved(input), resolved(dir)) {
			return fmt.Errorf("%s would be read and written: name a directory apart from %s", dir, input)
		}
	}
	return outdir.Check(dir, o.result())
}

// openResult takes the directory of the result, and says which files it is going to have.
func (c *output) openResult(dir string) (err error) {
	if err := Prepare(dir, c.paths(), c.o); err != nil {
		return err
	}
	if _, err := c.o.FS.Stat(filepath.Join(dir, outdir.ListName)); err == nil && len(c.files) == c.refs {
		return fmt.Errorf("no file is found in the input, and %s has a result, which stays: is the disk of the input there?", dir)
	}
	o := c.o.result()
	o.Perm = c.readers()
	if c.dir, err = outdir.Open(dir, o); err != nil {
		return err
	}
	names := []string{RemovedName, ClustersName, CutName, LeftOutName, ReportName, PageName, StateName}
	for i := range c.names {
		names = append(names, filepath.ToSlash(c.keptPath(i)))
	}
	return c.dir.Plan(names)
}

// readers returns the permissions of what is made of the files: who may not read one of them may not read that.
func (c *output) readers() fs.FileMode {
	var r disk.Readers
	for i, f := range c.files {
		if c.isIndex(i) {
			r.See(filepath.Join(f.Path, index.ManifestName))
			continue
		}
		r.See(f.Path)
	}
	return r.Mode()
}

// keptPath returns the path below the result of what is kept of file i, not counting the reference.
func (c *output) keptPath(i int) string {
	return filepath.Join(KeptName, filepath.FromSlash(c.names[i]))
}

// writeIn calls write when the directory of the result is ready, and makes what it has written the result.
func (c *output) writeIn(dir string, write func() error) error {
	if c.dir == nil {
		if err := c.openResult(dir); err != nil {
			return err
		}
		if err := c.dir.Clear(); err != nil {
			return err
		}
	}
	if err := write(); err != nil {
		if errors.Is(err, rewrite.ErrChanged) { // what was decided is of no use
			err = errors.Join(err, c.dir.Clear())
		}
		return err
	}
	return c.dir.Commit()
}

// leave gives up the directory of the result. If nothing is there that another run could use, it is as it was.
func (c *output) leave() error {
	if c.dir == nil {
		return nil
	}
	err := c.dir.Close()
	c.dir = nil
	return err
}

// rows writes lines of JSON to a file, which appears complete or not at all.
func (c *output) rows(ctx context.Context, path string, write func(row func(any) error) error) error {
	return c.writeFile(path, func(w *bufio.Writer) error {
		to := json.NewEncoder(w)
		to.SetEscapeHTML(false)
		return write(func(row any) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return to.Encode(row)
		})
	})
}

// writeFile writes a file of the result, which appears complete or not at all.
func (c *output) writeFile(path string, write func(w *bufio.Writer) error) error {
	file, err := disk.CreateAtomic(c.dir, path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<16)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	if err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// A reporter writes a report.
type reporter interface {
	WriteJSON(w io.Writer) error
	WriteHTML(w io.Writer) error
}

// writeReport writes a report as JSON and as a page.
func (c *output) writeReport(r reporter) error {
	return errors.Join(
		c.writeFile(ReportName, func(w *bufio.Writer) error { return r.WriteJSON(w) }),
		c.writeFile(PageName, func(w *bufio.Writer) error { return r.WriteHTML(w) }),
	)
}

func (c *output) rewriteOptions(ctx context.Context) rewrite.Options {
	o := rewrite.Options{Corpus: c.o.Corpus}
	if c.dir != nil {
		o.FS = c.dir
	}
	o.Corpus.Context, o.Corpus.FilesFrom = ctx, nil
	if c.o.Annotate {
		o.Fields = c.o.annotations()
	}
	return o
}

// rewriteTo writes what is kept of a file, and calls finish. A file that cannot be written again is copied as it is.
func (c *output) rewriteTo(ctx context.Context, file int, decide rewrite.Decider, finish func() error) (rewrite.Result, error) {
	f, to, o := c.files[file], "copy", c.rewriteOptions(ctx)
	if c.o.DryRun {
		o.FS, o.Fields = disk.NewMemory(), nil
	} else {
		to = c.keptPath(file - c.refs)
	}
	r, err := rewrite.File(f, to, o, decide)
	switch {
	case errors.Is(err, rewrite.ErrDamaged) && c.o.DryRun:
		return r, nil
	case errors.Is(err, rewrite.ErrDamaged):
		c.damaged(f.Path, fmt.Errorf("it is copied as it is, with all of its documents, since it cannot be written without some: %w", err))
		return r, rewrite.Copy(f, to, o)
	case err != nil:
		return r, err
	case r.Lost != nil:
		c.damaged(f.Path, endLost(r.Lost))
	}
	return r, finish()
}

func endLost(why error) error {
	return fmt.Errorf("what follows the damage is neither compared nor written: %w", why)
}

// stream writes standard input to w as decide says.
func (c *output) stream(ctx context.Context, w io.Writer, decide rewrite.Decider, finish func() error) error {
	c.phase(Writing)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := rewrite.Stream(out, c.rewriteOptions(ctx), decide); err != nil {
		return err
	}
	if err := finish(); err != nil {
		return err
	}
	return out.Flush()
}

// escaped returns an id or a path as lists have it: bytes that JSON does not allow are escaped as terminal.String escapes them.
func escaped(text []byte) string { return string(terminal.String.AppendText(nil, text)) }

// unescaped returns what escaped was given.
func unescaped(text string) string { return string(terminal.String.AppendID(nil, []byte(text))) }
