package dedup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/terminal"
)

// rowsAtOnce is of how many things one goroutine writes rows at a time.
const rowsAtOnce = 1 << 8

// writeRows writes lines of JSON about n things to a file, which appears complete or not at all. of calls row with
// those of thing i; several goroutines call it.
func (c *Collection) writeRows(
	ctx context.Context, path string, n int, of func(ctx context.Context, i int, row func(any) error) error,
) error {
	write := func(ctx context.Context, part int) (*bytes.Buffer, error) {
		lines := &bytes.Buffer{}
		to := json.NewEncoder(lines)
		to.SetEscapeHTML(false)
		for i := part * rowsAtOnce; i < min(n, (part+1)*rowsAtOnce); i++ {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := of(ctx, i, to.Encode); err != nil {
				return nil, err
			}
		}
		return lines, nil
	}
	return c.writeFile(path, func(w *bufio.Writer) error {
		done := 0
		return parallel.Ordered(ctx, c.Options.Threads, (n+rowsAtOnce-1)/rowsAtOnce, write, func(lines *bytes.Buffer) error {
			done += rowsAtOnce
			c.Options.DidParts(min(done, n), n)
			_, err := w.Write(lines.Bytes())
			return err
		})
	})
}

// writeFile writes a file of the result, which appears complete or not at all.
func (c *Collection) writeFile(path string, write func(w *bufio.Writer) error) error {
	return disk.WriteAtomicBy(c.to, path, write)
}

func (c *Collection) rewriteOptions(ctx context.Context) rewrite.Options {
	o := rewrite.Options{Corpus: c.Options.Corpus, FS: c.to}
	o.Corpus.Context, o.Corpus.FilesFrom = ctx, nil
	if c.Options.Annotate {
		o.Fields = annotations(&c.Options)
	}
	return o
}

// rewriteTo writes what is kept of a file, and calls finish. together, if not nil, is that of rewrite.Options. A file
// that cannot be written again is copied as it is.
func (c *Collection) rewriteTo(ctx context.Context, file int, together func() int, decide rewrite.Decider, finish func() error) (rewrite.Result, error) {
	f, to, o := c.Files[file], "copy", c.rewriteOptions(ctx)
	if o.Together = together; c.Options.DryRun {
		o.FS, o.Fields = disk.NewMemory(), nil
	} else {
		to = c.keptPath(file - c.Refs)
	}
	r, err := rewrite.File(f, to, o, decide)
	switch {
	case errors.Is(err, rewrite.ErrDamaged) && c.Options.DryRun:
		return r, nil
	case errors.Is(err, rewrite.ErrDamaged):
		c.damaged(f.Path, fmt.Errorf("it is copied as it is, with all of its documents, since it cannot be written without some: %w", err))
		return r, rewrite.Copy(f, to, o)
	case err != nil:
		return r, err
	case r.Lost != nil:
		c.damaged(f.Path, fmt.Errorf("what follows the damage is neither compared nor written: %w", r.Lost))
	}
	return r, finish()
}

// escaped returns an id or a path as lists have it: bytes that JSON does not allow are escaped as terminal.String
// escapes them.
func escaped[T string | []byte](text T) string { return terminal.String.Text(string(text)) }
