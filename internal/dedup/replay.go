package dedup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"simsearch/internal/collected"
	"simsearch/internal/corpus"
	"simsearch/internal/document"
	"simsearch/internal/inputs"
	"simsearch/internal/parallel"
	"simsearch/internal/rewrite"
)

// maxLine is the length in bytes of the longest line of a list.
const maxLine = 1 << 20

// A Replayed says what Replay has done. Its JSON form is the report.
type Replayed struct {
	V         int        `json:"v"` // 1
	Command   string     `json:"command"`
	Mode      string     `json:"mode"`
	Counted   FileCounts `json:"files"`
	Documents int        `json:"documents"`
	Kept      int        `json:"kept"`
	Removed   int        `json:"removed"`
	Bad       int        `json:"bad"`      // documents that cannot be read, which stay as they are
	Warnings  []string   `json:"warnings"` // what is odd about the list, a sentence each
	Files     Files      `json:"-"`
}

// Replay writes the files of inputs to dir/kept without the documents that a list names, which Write has made and
// somebody may have edited: those that a line names are removed, and no others. It writes the lines that named a
// document to a list of its own, and the numbers to report.json. Of o it uses Corpus, Threads, Command, FS, and what is told. The error is that of Read,
// of rewrite.File, or that the list is none or is of other files.
func Replay(ctx context.Context, list string, inputs []string, dir string, o collected.Options) (done Replayed, err error) {
	rows, err := readReplay(ctx, list)
	if err != nil {
		return done, fmt.Errorf("%s: %w", list, err)
	}
	found, err := collected.Find(ctx, inputs, o)
	if err != nil {
		return done, err
	}
	c := &output{Collection: found}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := collected.Prepare(dir, []string{list}, c.Options); err != nil {
		return done, err
	}
	err = c.WriteIn(dir, func() error {
		if err := rows.takeSources(c.Files); err != nil {
			return fmt.Errorf("%s: %w", list, err)
		}
		done, err = c.replay(ctx, rows)
		return err
	})
	return done, err
}

// replay writes the files without the documents that rows name.
func (c *output) replay(ctx context.Context, rows *replayRows) (done Replayed, err error) {
	for _, p := range c.Passes {
		for _, b := range p.Reader.Unread() {
			if done.Bad++; c.Options.Bad != nil {
				c.Options.Bad(b)
			}
		}
	}
	c.Phase(collected.Writing)
	results := make([]rewrite.Result, 0, len(c.Files))
	work := func(ctx context.Context, i int) (rewrite.Result, error) {
		f := replayFile{rows: rows, path: c.Files[i].Path}
		return c.rewriteTo(ctx, i, f.decide, f.check)
	}
	err = parallel.Ordered(ctx, max(1, c.Options.Threads), len(c.Files), work, func(r rewrite.Result) error {
		done.Documents, done.Removed, done.Bad = done.Documents+r.Kept+r.Dropped, done.Removed+r.Dropped, done.Bad+r.Copied
		if r.Damage != nil {
			done.Bad++
		}
		results = append(results, r)
		c.Progress(len(results), len(c.Files))
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
	if done.Warnings = rows.warnings(); done.Documents == 0 && done.Bad == 0 {
		done.Warnings = append(done.Warnings, noDocuments)
	}
	used := c.writeFile(collected.RemovedName, func(w *bufio.Writer) error {
		for i := range rows.rows {
			if rows.rows[i].used {
				_, _ = w.Write(append(rows.rows[i].line, '\n')) // the error comes at the end
			}
		}
		return nil
	})
	return done, errors.Join(used, c.writeLeftOut(ctx), c.writeReplayed(&done))
}

// writeReplayed writes a report in JSON. What a list removes is not compared, so that there is no more to say.
func (c *output) writeReplayed(done *Replayed) error {
	done.V, done.Command, done.Mode, done.Counted = 1, escaped([]byte(c.Options.Command)), "replay", done.Files.report()
	done.Kept, done.Warnings = done.Documents-done.Removed, append([]string{}, done.Warnings...)
	return c.writeFile(collected.ReportName, func(w *bufio.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(done)
	})
}

// A replayRow is a line of a list that is replayed.
type replayRow struct {
	ID     string  `json:"id"`
	KeptID *string `json:"kept_id"`
	Source string  `json:"source"`
	Number uint32  `json:"number"`
	Part   *int    `json:"part"` // of a list of parts, which is no list of documents
	line   []byte
	read   bool // its source is read, or may be
	used   bool // it names a document; guarded by replayRows.mu
}

// A replayRows is the lines of a list.
type replayRows struct {
	rows   []replayRow
	of     map[[2]string][]int // by source, or "" for any, and id
	keptBy map[string]bool     // the ids of documents for which others are removed

	mu        sync.Mutex
	survivors map[string]bool // those of keptBy that stay; guarded by mu
}

func readReplay(ctx context.Context, path string) (*replayRows, error) {
	f, err := inputs.OpenIrregular(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &replayRows{of: map[[2]string][]int{}, keptBy: map[string]bool{}, survivors: map[string]bool{}}
	lines := bufio.NewScanner(inputs.Interruptibly(ctx, f))
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
			return nil, fmt.Errorf("line %d is about a part of a document: want a list of documents, such as %s", n, collected.RemovedName)
		}
		row.ID, row.Source = unescaped(row.ID), unescaped(row.Source)
		if row.KeptID != nil {
			*row.KeptID = unescaped(*row.KeptID)
			r.keptBy[*row.KeptID] = true
		}
		r.rows = append(r.rows, row)
	}
	return r, lines.Err()
}

// takeSources finds out which lines are of which files. A line without a source may be of any file. One whose source is no
// input is of none. It is an error if all are such.
func (r *replayRows) takeSources(files []corpus.File) error {
	known := map[string]string{"": ""}
	for _, f := range files {
		known[f.Path], known[collected.Absolute(f.Path)] = f.Path, f.Path
	}
	some := len(r.rows) == 0
	for i, row := range r.rows {
		source, ok := known[row.Source]
		if !ok {
			source, ok = known[collected.Absolute(row.Source)]
		}
		if ok {
			key := [2]string{source, row.ID}
			r.of[key], r.rows[i].read, some = append(r.of[key], i), true, true
		}
	}
	if !some {
		return fmt.Errorf("%s and the other sources are none of the files: name the files as they were named then, or leave source out of "+
			"the lines, which are then of any file", r.rows[0].Source)
	}
	return nil
}

// warnings says which lines name no document, and which documents were removed for one that is removed, too.
func (r *replayRows) warnings() (warnings []string) {
	removed := map[string]bool{}
	for i := range r.rows {
		if r.rows[i].used {
			removed[r.rows[i].ID] = true
		}
	}
	elsewhere, unknown, lost := 0, []*replayRow(nil), []*replayRow(nil)
	for i := range r.rows {
		switch row := &r.rows[i]; {
		case row.used && row.KeptID != nil && removed[*row.KeptID] && !r.survivors[*row.KeptID]:
			lost = append(lost, row)
		case row.used:
		case !row.read:
			elsewhere++
		default:
			unknown = append(unknown, row)
		}
	}
	if elsewhere > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d lines are of files that are not read.", elsewhere, len(r.rows)))
	}
	if len(unknown) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d lines name no document of the input, such as that of the id %q.", len(unknown),
			len(r.rows), unknown[0].ID))
	}
	if len(lost) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d documents are removed for one that is removed, too, such as %q for %q.", len(lost),
			lost[0].ID, *lost[0].KeptID))
	}
	return warnings
}

// A replayFile decides on the documents of one file.
type replayFile struct {
	rows   *replayRows
	path   string
	number uint32 // of documents so far
}

func (f *replayFile) decide(doc *document.Document) (d rewrite.Decision, err error) {
	f.number++
	id := string(doc.ID)
	f.rows.mu.Lock()
	defer f.rows.mu.Unlock()
	for _, source := range []string{f.path, ""} {
		for _, i := range f.rows.of[[2]string{source, id}] {
			if row := &f.rows.rows[i]; row.Number == 0 || source == "" || row.Number == f.number {
				d.Drop, row.used = true, true
			}
		}
	}
	if !d.Drop && f.rows.keptBy[id] {
		f.rows.survivors[id] = true
	}
	return d, nil
}

// check returns an error if a line names a document by its number, and another one has that number now.
func (f *replayFile) check() error {
	f.rows.mu.Lock()
	defer f.rows.mu.Unlock()
	for i := range f.rows.rows {
		row := &f.rows.rows[i]
		if row.Number > 0 && !row.used && collected.Absolute(row.Source) == collected.Absolute(f.path) {
			return fmt.Errorf("%s: document %d has not the id %q: %w since the list was made", f.path, row.Number, row.ID, rewrite.ErrChanged)
		}
	}
	return nil
}
