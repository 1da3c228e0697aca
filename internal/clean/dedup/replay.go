package dedup

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
)

// A Replayed says what Replay has done. Its JSON form is the report.
type Replayed struct {
	V         int      `json:"v"` // 1
	Command   string   `json:"command"`
	Mode      string   `json:"mode"`
	Files     Files    `json:"files"`
	Documents int      `json:"documents"`
	Kept      int      `json:"kept"`
	Removed   int      `json:"removed"`
	Bad       int      `json:"bad"`      // documents that cannot be read, which stay as they are
	Warnings  []string `json:"warnings"` // what is odd about the list, a sentence each
}

// Replay writes the files of inputs to dir/kept without the documents that a list names, which Write has made and
// somebody may have edited: those that a line names are removed, and no others. It writes the lines that named a
// document to a list of its own, and the numbers to report.json. Of o it uses Corpus, Threads, Command, FS, and what
// is told. The error is that of Read, of rewrite.File, or that the list is none or is of other files.
func Replay(ctx context.Context, list string, inputs []string, dir string, o Options) (done Replayed, err error) {
	rows, c, err := findListed(ctx, list, inputs, o)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := Prepare(dir, []string{list}, c.Options); err != nil {
		return done, err
	}
	err = c.writeIn(dir, func() error {
		done, err = c.replay(ctx, rows)
		return err
	})
	return done, err
}

// findListed reads a list of removed documents, and returns it with a Collection that has found the files of inputs,
// and has read nothing. The caller closes that.
func findListed(ctx context.Context, list string, inputs []string, o Options) (*removalList, *Collection, error) {
	rows, err := readRemovals(ctx, list)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", list, err)
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Corpus.Context, o.Corpus.Raw = ctx, false
	c := newCollection(nil, inputs, o)
	if err = c.begin(); err == nil {
		if err = rows.takeSources(c.Files); err != nil {
			err = fmt.Errorf("%s: %w", list, err)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return rows, c, nil
}

// replay writes the files without the documents that rows name.
func (c *Collection) replay(ctx context.Context, rows *removalList) (done Replayed, err error) {
	for _, p := range c.Passes {
		for _, b := range p.Reader.Unread() {
			done.Bad++
			c.Options.TellBad(b)
		}
	}
	results := make([]rewrite.Result, 0, len(c.Files))
	err = c.remove(ctx, rows, 0, len(c.Files), func(r rewrite.Result) {
		done.Documents, done.Removed, done.Bad = done.Documents+r.Kept+r.Dropped, done.Removed+r.Dropped, done.Bad+r.Copied
		if r.Damage != nil {
			done.Bad++
		}
		results = append(results, r)
	})
	if err != nil {
		return done, err
	}
	if err := c.findLeftOut(ctx, func(file int) bool { return results[file].Path == "" && results[file].Dropped == 0 }); err != nil {
		return done, err
	}
	done.Files = c.filesOf(func(file int) bool {
		r := results[file]
		return r.Dropped > 0 && r.Kept == 0 && r.Copied == 0
	})
	if done.Warnings = rows.Warnings(); done.Documents == 0 && done.Bad == 0 {
		done.Warnings = append(done.Warnings, noDocuments)
	}
	used := c.writeFile(run.RemovedName, func(w *bufio.Writer) error {
		for line := range rows.used {
			_, _ = w.Write(append(line, '\n')) // the error comes at the end
		}
		return nil
	})
	return done, errors.Join(used, c.writeLeftOut(ctx), c.writeReplayed(&done))
}

// writeReplayed writes a report in JSON. What a list removes is not compared, so that there is no more to say.
func (c *Collection) writeReplayed(done *Replayed) error {
	done.V, done.Command, done.Mode = 1, c.Options.Command, "replay"
	done.Kept, done.Warnings = done.Documents-done.Removed, append([]string{}, done.Warnings...)
	return run.WriteReport(c.to, done, nil)
}

// remove writes the files from one before another without the documents that rows name, and calls take with what has
// become of each.
func (c *Collection) remove(ctx context.Context, rows *removalList, from, to int, take func(rewrite.Result)) error {
	c.Options.Next(run.Writing)
	done := 0
	work := func(ctx context.Context, i int) (rewrite.Result, error) {
		f := rows.File(c.Files[from+i].Path)
		return c.rewriteTo(ctx, from+i, nil, f.Decide, f.Check)
	}
	return parallel.Ordered(ctx, max(1, c.Options.Threads), to-from, work, func(r rewrite.Result) error {
		take(r)
		done++
		c.Options.DidParts(done, to-from)
		return nil
	})
}
