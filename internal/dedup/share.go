package dedup

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/rewrite"
)

// WriteLists writes the lists of what is removed and of clusters to a directory, and no other file. Of a Collection that other processes
// have read, it takes the facts from it.
func (d *Decisions) WriteLists(ctx context.Context, to disk.FS) error {
	d.c.to = to
	if _, err := d.writeClusters(ctx); err != nil {
		return err
	}
	wantFacts(d)
	return d.writeRemoved(ctx)
}

// ReplayShare writes a share of the files of inputs, o.Share, without the documents that a list names, as Replay does: to the directory
// kept of dir, where other processes write the other files. Each file appears complete or not at all. bad is told of files that
// cannot be written as they should. The error is that of Replay.
func ReplayShare(ctx context.Context, list string, inputs []string, dir string, o Options, bad func(corpus.LeftOut)) (removed int, err error) {
	c, err := find(ctx, inputs, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	to, err := c.Options.FS.Root(dir, c.Readers())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	c.to = to
	rows, err := readRemovals(ctx, list)
	if err == nil {
		err = rows.takeSources(c.Files)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", list, err)
	}
	from, end := c.SharedFiles()
	err = c.remove(ctx, rows, from, end, func(r rewrite.Result) { removed += r.Dropped })
	for _, f := range c.damage {
		bad(f)
	}
	return removed, err
}
