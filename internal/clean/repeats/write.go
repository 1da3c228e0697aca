package repeats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
)

// fileOf returns the file of a document: the last one that begins at it or before, since some have no documents.
func (j *job) fileOf(doc uint32) int {
	next, _ := slices.BinarySearch(j.first, doc+1)
	return next - 1
}

// A writing is the last reading of the files, which are written. What is cut is listed then, since it is not known
// before which bytes it repeats.
type writing struct {
	*job
	wanted []uint64 // the rows that repeat a document: its number in the upper half, and the row in the lower one
	kept   []span   // of each row, the bytes that it repeats
}

// write writes the files, the list and the report.
func (j *job) write() (err error) {
	if err := errors.Join(j.rows.Map(), j.texts.Map()); err != nil {
		return err
	}
	w := &writing{job: j, wanted: make([]uint64, j.rows.Len()), kept: make([]span, j.rows.Len())}
	for i := range w.wanted {
		doc, _ := j.documentAt(j.row(i).source)
		w.wanted[i] = uint64(doc)<<32 | uint64(i)
	}
	ints.Sort(w.wanted, make([]uint64, len(w.wanted)))
	err = run.EachFile(j.Run, w.file, func(file int, s *Source) error {
		was := &j.report.Sources[file]
		was.Removed, was.Changed, was.CutBytes = s.Removed, s.Changed, s.CutBytes
		if s.lost != nil {
			const why = "what follows the damage is neither compared nor written"
			j.lost = append(j.lost, corpus.LeftOut{Path: was.Path, Why: fmt.Errorf("%s: %w", why, s.lost)})
			j.report.Warnings.Add("%s is damaged: %s.", was.Path, why)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = j.List(run.CutName, func(cut func(any) error) error {
		return j.List(run.RemovedName, func(removed func(any) error) error { return w.list(cut, removed) })
	})
	return cmp.Or(err, j.ListLeftOut(slices.Concat(j.Left, j.lost), len(j.Left)))
}

// A goneRow is a line of removed.jsonl: a document of which nothing is left.
type goneRow struct {
	ID       string `json:"id"`
	Passages int    `json:"passages"` // that are cut
	Source   string `json:"source"`
}

// file writes a file.
func (w *writing) file(ctx context.Context, file int) (s *Source, err error) {
	s = &Source{}
	d := &decider{writing: w, source: s, doc: w.first[file], end: w.first[file+1], words: new(sequences.Words)}
	d.next, _ = slices.BinarySearch(w.wanted, uint64(d.doc)<<32)
	if w.o.DryRun {
		err = w.Read(ctx, file, d.decide)
	} else {
		var is rewrite.Result
		is, err = w.Rewrite(ctx, file, d.decide)
		s.lost = is.Lost
	}
	if err == nil && d.doc != d.end {
		err = run.Changed(w.Files[file].Path)
	}
	return s, err
}

// A decider decides on the documents of a file.
type decider struct {
	*writing
	source   *Source
	doc, end uint32 // the next document, and that behind the last one
	next     int    // of the rows that are wanted
	words    *sequences.Words
	text     []byte
}

func (d *decider) decide(doc *document.Document) (is rewrite.Decision, err error) {
	if d.doc == d.end {
		return is, run.Changed(doc.Source)
	}
	number := d.doc
	d.doc++
	from := d.next
	for d.next < len(d.wanted) && uint32(d.wanted[d.next]>>32) == number {
		d.next++
	}
	if err := d.locate(number, doc.Text, d.wanted[from:d.next]); err != nil {
		return is, err
	}
	k, i := d.latest(number)
	if k == 0 {
		return is, nil
	}
	left := d.parts[k].staysAt(i)
	if left.digest != murmur3.Sum64(doc.Text) {
		return is, run.Changed(doc.Source)
	}
	if d.parts[k].size(i) == 0 {
		d.source.Removed++
		d.source.CutBytes += int64(len(doc.Text))
		return rewrite.Decision{Drop: true}, nil
	}
	d.text = sequences.Only(d.text[:0], doc.Text, left.parts)
	d.source.Changed++
	d.source.CutBytes += int64(len(doc.Text) - len(d.text))
	return rewrite.Decision{Replace: true, Text: d.text}, nil
}

// locate finds the bytes of a document that rows repeat.
func (d *decider) locate(doc uint32, whole []byte, wanted []uint64) error {
	part, parts := -1, []span(nil)
	var places [][2]int
	for _, key := range wanted {
		i := int(uint32(key))
		is := d.row(i)
		if k := partOf(is.source); k != part {
			part = k
			text := whole
			parts = []span{{0, len(whole)}}
			at, _ := d.parts[k].document(doc)
			if k > 0 {
				parts = d.parts[k].staysAt(at).parts
				if len(parts) > 0 && parts[len(parts)-1][1] > len(whole) {
					return d.changed(doc)
				}
				text = sequences.Only(nil, whole, parts)
			}
			if places = d.words.Places(text); len(places) != d.parts[k].size(at) {
				return d.changed(doc)
			}
		}
		_, word := d.documentAt(is.source)
		d.kept[i] = outer(parts, span{places[word][0], places[word+int(is.words)-1][1]})
	}
	return nil
}

// A cutRow is a line of cut.jsonl.
type cutRow struct {
	ID        string `json:"id"`
	Source    string `json:"source"`
	Start     uint64 `json:"start"`
	End       uint64 `json:"end"`
	Words     uint64 `json:"words"`
	Text      string `json:"text"`
	KeptID    string `json:"kept_id"`
	KeptStart int    `json:"kept_start"`
	KeptEnd   int    `json:"kept_end"`
}

// list writes what is cut, in the order of the documents, and of their texts, and which documents are removed.
func (w *writing) list(cut, removed func(any) error) error {
	var all []uint64 // the document of each row, and below that the row
	for _, p := range w.parts[1:] {
		for i, doc := range p.docs {
			for row := p.rows[i]; row < p.rows[i+1]; row++ {
				all = append(all, uint64(doc)<<32|uint64(row))
			}
		}
	}
	slices.Sort(all)
	for len(all) > 0 {
		doc := uint32(all[0] >> 32)
		var list []int
		for ; len(all) > 0 && uint32(all[0]>>32) == doc; all = all[1:] {
			list = append(list, int(uint32(all[0])))
		}
		id, source := escaped(w.ids.At(int(doc))), terminal.String.Text(w.Files[w.fileOf(doc)].Path)
		slices.SortStableFunc(list, func(a, b int) int { return int(w.row(a).start) - int(w.row(b).start) })
		if k, i := w.latest(doc); w.parts[k].size(i) == 0 {
			if err := removed(goneRow{id, len(list), source}); err != nil {
				return err
			}
		}
		for _, i := range list {
			is := w.row(i)
			kept, _ := w.documentAt(is.source)
			row := cutRow{
				ID: id, Source: source, Start: is.start, End: is.end, Words: is.words,
				Text: escaped(is.text), KeptID: escaped(w.ids.At(int(kept))), KeptStart: w.kept[i][0], KeptEnd: w.kept[i][1],
			}
			w.report.Cut++
			w.report.longest.Add(row)
			if err := cut(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// escaped returns a text as lists have it: bytes that JSON does not allow are escaped as terminal.String escapes them.
func escaped(text []byte) string { return terminal.String.Text(string(text)) }
