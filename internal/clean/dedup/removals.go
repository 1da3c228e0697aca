package dedup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/terminal"
)

// maxLine is the length in bytes of the longest line.
const maxLine = 1 << 20

// A removal is a line of a list.
type removal struct {
	ID     string  `json:"id"`
	KeptID *string `json:"kept_id"`
	Source string  `json:"source"`
	Number uint32  `json:"number"`
	Part   *int    `json:"part"` // of a list of parts, which is no list of documents
	line   []byte
	read   bool // its source is read, or may be
	used   bool // it names a document; guarded by List.mu
}

// A List is the lines of a list of removed documents, which somebody may have edited. Files may be decided on in
// several goroutines.
type removalList struct {
	rows   []removal
	of     map[[2]string][]int // by source, or "" for any, and id
	keptBy map[string]bool     // the ids of documents for which others are removed

	mu        sync.Mutex
	survivors map[string]bool // those of keptBy that stay; guarded by mu
}

// Read reads a list of removed documents, as dedup writes it. An error names the line.
func readRemovals(ctx context.Context, path string) (*removalList, error) {
	f, err := inputs.OpenIrregular(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &removalList{of: map[[2]string][]int{}, keptBy: map[string]bool{}, survivors: map[string]bool{}}
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
		row := removal{line: bytes.Clone(line)}
		if err := json.Unmarshal(line, &row); err != nil || row.ID == "" {
			return nil, fmt.Errorf("line %d: want an object with an id, such as {\"id\":\"a\"}", n)
		}
		if row.Part != nil {
			return nil, fmt.Errorf("line %d is about a part of a document: want a list of documents, such as %s", n, run.RemovedName)
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

func unescaped(text string) string { return string(terminal.String.AppendID(nil, []byte(text))) }

// takeSources finds out which lines are of which files. A line without a source may be of any file. One whose source
// is no input is of none. It is an error if all are such.
func (l *removalList) takeSources(files []corpus.File) error {
	known := map[string]string{"": ""}
	for _, f := range files {
		known[f.Path], known[run.Absolute(f.Path)] = f.Path, f.Path
	}
	some := len(l.rows) == 0
	for i, row := range l.rows {
		source, ok := known[row.Source]
		if !ok {
			source, ok = known[run.Absolute(row.Source)]
		}
		if ok {
			key := [2]string{source, row.ID}
			l.of[key], l.rows[i].read, some = append(l.of[key], i), true, true
		}
	}
	if !some {
		return fmt.Errorf("%s and the other sources are none of the files: name the files as they were named then, or leave source out of "+
			"the lines, which are then of any file", l.rows[0].Source)
	}
	return nil
}

// File returns what decides on the documents of the file of a path.
func (l *removalList) File(path string) *removalFile { return &removalFile{list: l, path: path} }

// used yields the lines that name a document, without their line ends. All files have been decided on.
func (l *removalList) used(yield func(line []byte) bool) {
	for i := range l.rows {
		if l.rows[i].used && !yield(l.rows[i].line) {
			return
		}
	}
}

// Warnings says which lines name no document, and which documents were removed for one that is removed, too.
func (l *removalList) Warnings() (warnings []string) {
	removed := map[string]bool{}
	for i := range l.rows {
		if l.rows[i].used {
			removed[l.rows[i].ID] = true
		}
	}
	elsewhere, unknown, lost := 0, []*removal(nil), []*removal(nil)
	for i := range l.rows {
		switch row := &l.rows[i]; {
		case row.used && row.KeptID != nil && removed[*row.KeptID] && !l.survivors[*row.KeptID]:
			lost = append(lost, row)
		case row.used:
		case !row.read:
			elsewhere++
		default:
			unknown = append(unknown, row)
		}
	}
	if elsewhere > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d lines are of files that are not read.", elsewhere, len(l.rows)))
	}
	if len(unknown) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d lines name no document of the input, such as that of the id %q.", len(unknown),
			len(l.rows), unknown[0].ID))
	}
	if len(lost) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d documents are removed for one that is removed, too, such as %q for %q.", len(lost),
			lost[0].ID, *lost[0].KeptID))
	}
	return warnings
}

// A File decides on the documents of one file, in order.
type removalFile struct {
	list   *removalList
	path   string
	number uint32 // of documents so far
}

// Decide says whether the next document is removed.
func (f *removalFile) Decide(doc *document.Document) (d rewrite.Decision, err error) {
	f.number++
	id := string(doc.ID)
	f.list.mu.Lock()
	defer f.list.mu.Unlock()
	for _, source := range []string{f.path, ""} {
		for _, i := range f.list.of[[2]string{source, id}] {
			if row := &f.list.rows[i]; row.Number == 0 || source == "" || row.Number == f.number {
				d.Drop, row.used = true, true
			}
		}
	}
	if !d.Drop && f.list.keptBy[id] {
		f.list.survivors[id] = true
	}
	return d, nil
}

// Check returns an error if a line names a document by its number, and another one has that number now.
func (f *removalFile) Check() error {
	f.list.mu.Lock()
	defer f.list.mu.Unlock()
	for i := range f.list.rows {
		row := &f.list.rows[i]
		if row.Number > 0 && !row.used && run.Absolute(row.Source) == run.Absolute(f.path) {
			return fmt.Errorf("%s: document %d has not the id %q: %w since the list was made", f.path, row.Number, row.ID, rewrite.ErrChanged)
		}
	}
	return nil
}
