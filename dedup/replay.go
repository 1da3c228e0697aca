package dedup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/dedupreport"
	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/internal/rewrite"
	"simsearch/internal/stream"
)

// maxLine is the length in bytes of the longest line of a list.
const maxLine = 1 << 20

// A Replayed says what Replay has done.
type Replayed struct {
	Documents, Removed int
	Bad                int // documents that cannot be read, which stay as they are
	Files              Files
	// Warnings say what is odd about the list, a sentence each.
	Warnings []string
}

// Replay writes the files of inputs to dir/kept without the documents that a list names, which Write has made and
// somebody may have edited: those that a line names are removed, and no others. It writes the lines that named a
// document to a list of its own, and the numbers to report.json. Of o it uses Corpus, Threads, Command, FS, and what is told. The error is that of Read,
// of rewrite.File, or that the list is none or is of other files.
func Replay(ctx context.Context, list string, inputs []string, dir string, o Options) (done Replayed, err error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	rows, err := readReplay(ctx, list)
	if err != nil {
		return done, fmt.Errorf("%s: %w", list, err)
	}
	o.Corpus.Context, o.Corpus.Raw = ctx, false
	c := newCollection(nil, inputs, o)
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.find(ctx); err != nil {
		return done, err
	}
	if err := Prepare(dir, []string{list}, o); err != nil {
		return done, err
	}
	err = c.writeIn(dir, func() error {
		done, err = c.replay(ctx, list, rows)
		return err
	})
	return done, err
}

// replay writes the files without the documents that rows, those of a list, name.
func (c *Collection) replay(ctx context.Context, list string, rows *replayRows) (done Replayed, err error) {
	o := c.o
	if err := rows.takeSources(c.files); err != nil {
		return done, fmt.Errorf("%s: %w", list, err)
	}
	for _, p := range c.passes {
		for _, b := range p.r.Unread() {
			if done.Bad++; o.Bad != nil {
				o.Bad(b)
			}
		}
	}
	c.phase(Writing)
	replay := func(ctx context.Context, i int) (_ *replayFile, err error) {
		f := &replayFile{rows: rows, path: c.files[i].Path, used: map[int]bool{}, survivors: map[string]bool{}}
		f.result, err = c.rewriteTo(ctx, i, f.decide, f.check)
		return f, err
	}
	used, survivors, files := map[int]bool{}, map[string]bool{}, 0
	results := make([]rewrite.Result, 0, len(c.files))
	err = parallel.Ordered(ctx, max(1, o.Threads), len(c.files), replay, func(f *replayFile) error {
		for row := range f.used {
			used[row] = true
		}
		for id := range f.survivors {
			survivors[id] = true
		}
		done.Documents, done.Removed, done.Bad = done.Documents+int(f.number), done.Removed+f.result.Dropped, done.Bad+f.result.Copied
		if f.result.Damage != nil {
			done.Bad++
		}
		results = append(results, f.result)
		if files++; o.Progress != nil {
			o.Progress(int64(files), int64(len(c.files)))
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	c.leftOut, err = c.findLeftOut(ctx, func(file int) bool { return results[file].Path == "" && results[file].Dropped == 0 })
	if err != nil {
		return done, err
	}
	done.Files = c.filesOf(func(file int) bool {
		r := results[file]
		return r.Dropped > 0 && r.Kept == 0 && r.Copied == 0
	})
	if err := errors.Join(rows.write(c.dir, RemovedName, used), c.writeLeftOut(ctx)); err != nil {
		return done, err
	}
	done.Warnings = rows.warnings(used, survivors)
	if done.Documents == 0 && done.Bad == 0 {
		done.Warnings = append(done.Warnings, noDocuments)
	}
	return done, c.writeReplayed(done)
}

// writeReplayed writes a report in JSON.
func (c *Collection) writeReplayed(done Replayed) error {
	file, err := disk.CreateAtomic(c.dir, ReportName)
	if err != nil {
		return err
	}
	e := json.NewEncoder(file)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err = e.Encode(replayReport{
		V: 1, Command: escaped([]byte(c.o.Command)), Mode: "replay", Files: done.Files.report(), Documents: done.Documents, Kept: done.Documents - done.Removed,
		Removed: done.Removed, Bad: done.Bad, Warnings: append([]string{}, done.Warnings...),
	})
	if err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// A replayReport is the report on a replay: what a list removes is not compared, so that there is no more to say.
type replayReport struct {
	V         int               `json:"v"`
	Command   string            `json:"command"`
	Mode      string            `json:"mode"`
	Files     dedupreport.Files `json:"files"`
	Documents int               `json:"documents"`
	Kept      int               `json:"kept"`
	Removed   int               `json:"removed"`
	Bad       int               `json:"bad"`
	Warnings  []string          `json:"warnings"`
}

// A replayRow is a line of a list that is replayed.
type replayRow struct {
	ID     string  `json:"id"`
	KeptID *string `json:"kept_id"`
	Source string  `json:"source"`
	Number uint32  `json:"number"`
	Part   *int    `json:"part"` // of a list of parts, which is no list of documents
	line   []byte
}

// A replayRows is the lines of a list.
type replayRows struct {
	rows   []replayRow
	of     map[[2]string][]int // by source, or "" for any, and id
	keptBy map[string]bool     // the ids of documents for which others are removed

	read      []bool // of each line: its source is read, or may be
	elsewhere int    // the other lines
}

func readReplay(ctx context.Context, path string) (*replayRows, error) {
	f, err := stream.OpenIrregular(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &replayRows{of: map[[2]string][]int{}, keptBy: map[string]bool{}}
	lines := bufio.NewScanner(stream.Interruptibly(ctx, f))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		row := replayRow{line: bytes.Clone(line)}
		if err := json.Unmarshal(line, &row); err != nil || row.ID == "" {
			return nil, fmt.Errorf("line %d: want an object with an id, such as {\"id\":\"a\"}", n)
		}
		if row.Part != nil {
			return nil, fmt.Errorf("line %d is about a part of a document: want a list of documents, such as %s", n, RemovedName)
		}
		row.ID, row.Source = unescaped(row.ID), unescaped(row.Source)
		if row.KeptID != nil {
			*row.KeptID = unescaped(*row.KeptID)
			r.keptBy[*row.KeptID] = true
		}
		r.rows = append(r.rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// takeSources finds out which lines are of which files. A line without a source may be of any file. One whose source is no
// input is of none. It is an error if all are such.
func (r *replayRows) takeSources(files []corpus.File) error {
	r.read = make([]bool, len(r.rows))
	known := map[string]string{}
	for _, f := range files {
		known[f.Path] = f.Path
		known[absolute(f.Path)] = f.Path
	}
	for i, row := range r.rows {
		source, ok := known[row.Source]
		if !ok && row.Source != "" {
			if source, ok = known[absolute(row.Source)]; !ok {
				r.elsewhere++
				continue
			}
		}
		key := [2]string{source, row.ID}
		r.of[key], r.read[i] = append(r.of[key], i), true
	}
	if r.elsewhere == len(r.rows) && r.elsewhere > 0 {
		return fmt.Errorf("%s and the other sources are none of the files: name the files as they were named then, or leave source out of the lines, which are then of any file", r.rows[0].Source)
	}
	return nil
}

// write writes the lines that have been used.
func (r *replayRows) write(fsys disk.FS, path string, used map[int]bool) error {
	file, err := disk.CreateAtomic(fsys, path)
	if err != nil {
		return err
	}
	for i, row := range r.rows {
		if !used[i] {
			continue
		}
		if _, err = file.Write(append(row.line, '\n')); err != nil {
			file.Abort()
			return err
		}
	}
	return file.Commit()
}

// warnings says which lines name no document, and which documents were removed for one that is removed, too.
func (r *replayRows) warnings(used map[int]bool, survivors map[string]bool) (warnings []string) {
	unknown, lost := 0, 0
	var firstUnknown, firstLost *replayRow
	removed := map[string]bool{}
	for i := range r.rows {
		if used[i] {
			removed[r.rows[i].ID] = true
		} else if unknown++; firstUnknown == nil && r.read[i] {
			firstUnknown = &r.rows[i]
		}
	}
	for i := range r.rows {
		row := &r.rows[i]
		if used[i] && row.KeptID != nil && removed[*row.KeptID] && !survivors[*row.KeptID] {
			if lost++; lost == 1 {
				firstLost = row
			}
		}
	}
	if r.elsewhere > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d lines are of files that are not read.", r.elsewhere, len(r.rows)))
	}
	if unknown -= r.elsewhere; unknown > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d lines name no document of the input, such as that of the id %q.", unknown, len(r.rows), firstUnknown.ID))
	}
	if lost > 0 {
		warnings = append(warnings, fmt.Sprintf("%d documents are removed for one that is removed, too, such as %q for %q.", lost, firstLost.ID, *firstLost.KeptID))
	}
	return warnings
}

// A replayFile decides on the documents of one file.
type replayFile struct {
	rows      *replayRows
	path      string
	number    uint32 // of documents so far
	used      map[int]bool
	survivors map[string]bool // those that stay of the ids for which others are removed
	result    rewrite.Result
}

func (f *replayFile) decide(doc *document.Document) (d rewrite.Decision, err error) {
	f.number++
	id := string(doc.ID)
	for _, source := range []string{f.path, ""} {
		for _, i := range f.rows.of[[2]string{source, id}] {
			if n := f.rows.rows[i].Number; n == 0 || source == "" || n == f.number {
				d.Drop, f.used[i] = true, true
			}
		}
	}
	if !d.Drop && f.rows.keptBy[id] {
		f.survivors[id] = true
	}
	return d, nil
}

// check returns an error if a line names a document by its number, and another one has that number now.
func (f *replayFile) check() error {
	for i, row := range f.rows.rows {
		if row.Number > 0 && !f.used[i] && absolute(row.Source) == absolute(f.path) {
			return fmt.Errorf("%s: document %d has not the id %q: %w since the list was made", f.path, row.Number, row.ID, rewrite.ErrChanged)
		}
	}
	return nil
}

// repeatedIDs returns the ids of removed documents of a file that other documents there have, too.
func (d *Decisions) repeatedIDs(file int) map[string]bool {
	c := d.c
	again := map[string]bool{}
	for doc := c.starts[file]; doc < c.starts[file+1]; doc++ {
		if d.kept[doc] != doc {
			id := string(c.id(doc))
			_, known := again[id]
			again[id] = known
		}
	}
	if len(again) == 0 {
		return nil
	}
	for doc := c.starts[file]; doc < c.starts[file+1]; doc++ {
		if d.kept[doc] == doc {
			if _, removed := again[string(c.id(doc))]; removed {
				again[string(c.id(doc))] = true
			}
		}
	}
	return again
}
