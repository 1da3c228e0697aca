package dedup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/internal/parts"
	"simsearch/internal/rewrite"
	"simsearch/internal/spill"
)

// CutName is the name of the list of parts that are cut, which Cut makes in its directory.
const CutName = "cut.jsonl"

// write writes files, lists and report.
func (p *cuts) write(ctx context.Context, dir string) (r CutResult, err error) {
	p.phase(Writing)
	err = p.writeIn(dir, func() error {
		r, err = p.writeAll(ctx)
		return err
	})
	return r, err
}

func (p *cuts) writeAll(ctx context.Context) (r CutResult, err error) {
	list, err := disk.CreateAtomic(p.dir, CutName)
	if err != nil {
		return r, err
	}
	defer func() {
		if err != nil {
			list.Abort()
		}
	}()
	if err := p.findDamage(ctx, func(int) bool { return p.o.DryRun }); err != nil {
		return r, err
	}
	texts := p.wantTexts()
	// Of the reference, only texts for the report are read.
	work := func(ctx context.Context, file int) (*cutter, error) {
		t := p.cutter(file, texts)
		return t, t.run(ctx)
	}
	r = p.result()
	done := 0
	err = parallel.Ordered(ctx, p.o.Threads, len(p.files), work, func(t *cutter) error {
		_, err := io.Copy(list, t.rows.Reader())
		if t.file >= p.refs {
			r.add(t.source)
		}
		if done++; p.o.Progress != nil {
			p.o.Progress(int64(p.starts[done]), int64(len(p.lengths)))
		}
		return errors.Join(err, t.rows.Close())
	})
	if err != nil {
		return r, err
	}
	if err := list.Commit(); err != nil {
		return r, err
	}
	r.Files = p.filesOf(func(file int) bool {
		s := r.Sources[file-p.refs]
		return s.Documents > 0 && s.Removed == s.Documents && s.Bad == 0
	})
	if err := errors.Join(p.writeRemoved(ctx), p.writeLeftOut(ctx)); err != nil {
		return r, err
	}
	return r, p.writeReport(p.report(r, texts))
}

// stream writes standard input to w.
func (p *cuts) stream(ctx context.Context, w io.Writer) (r CutResult, err error) {
	t := p.cutter(p.refs, nil)
	r = p.result()
	err = p.Collection.stream(ctx, w, t.decide, t.finish)
	r.add(t.source)
	return r, err
}

// result returns the result before anything is written.
func (p *cuts) result() CutResult {
	r := CutResult{By: p.o.By, Mode: p.o.mode()}
	for _, length := range p.lengths[p.starts[p.refs]:] {
		r.Bytes += int64(length)
	}
	return r
}

// A cutter takes the parts that are cut out of the documents of a file.
type cutter struct {
	follower
	p      *cuts
	pairs  func() (pair, error)
	texts  *textsOf // to which texts are shown; nil if there is no report and no list
	list   []parts.Part
	text   []byte
	buffer bytes.Buffer
	rows   spill.Bytes // of the list of parts that are cut
	source CutSource
}

// rowsHeld is how many bytes of rows of a file are held in memory.
const rowsHeld = 1 << 20

func (p *cuts) cutter(file int, texts *textsOf) *cutter {
	from, to := p.spans.first(p.starts[file]), p.spans.first(p.starts[file+1])
	short := p.spans.short.count(from, to)
	return &cutter{
		follower: p.follow(file), p: p, pairs: p.pairsOf(file), texts: texts, rows: spill.NewBytes(p.o.FS, p.o.Temp, rowsHeld),
		source: CutSource{
			Path: p.files[file].Path, Documents: int(p.starts[file+1] - p.starts[file]), Bad: p.bad[file],
			Parts: p.spans.long.count(from, to) + short, Short: short,
		},
	}
}

// run writes the file, or reads it if it is not to be written.
func (t *cutter) run(ctx context.Context) (err error) {
	p := t.p
	defer func() {
		if err != nil {
			err = errors.Join(err, t.rows.Close())
		}
	}()
	switch {
	case t.file < p.refs && len(t.texts.between(p.spans.first(p.starts[t.file]), p.spans.first(p.starts[t.file+1]))) == 0:
		return nil
	case t.file < p.refs || p.o.DryRun:
		err = t.read(ctx, func(at uint32, doc *document.Document) error {
			_, err := t.cutOut(at, doc)
			return err
		})
		return errors.Join(err, t.flush())
	}
	return p.rewriteFile(ctx, t.file, t.decide, t.finish)
}

// decide decides on the next document. The error is rewrite.ErrChanged if it is not the one that was read before.
func (t *cutter) decide(doc *document.Document) (d rewrite.Decision, err error) {
	at, err := t.document(doc)
	if err != nil {
		return d, err
	}
	return t.cutOut(at, doc)
}

// cutOut cuts a document.
func (t *cutter) cutOut(at uint32, doc *document.Document) (d rewrite.Decision, err error) {
	p := t.p
	from, to := p.spans.of(at)
	t.list = parts.Split(t.list[:0], doc.Text, p.o.By)
	if uint32(len(t.list)) != to-from {
		return d, t.changed()
	}
	for _, part := range t.texts.between(from, to) {
		is := t.list[part-from]
		t.texts.see(part, doc.Text[is.Start:is.End])
	}
	if p.cut.count(from, to) == 0 {
		return d, nil
	}
	isCut := func(i int) bool { return p.cut.has(from + uint32(i)) }
	for i, part := range t.list {
		if isCut(i) {
			if err := t.row(doc, i, doc.Text[part.Start:part.End]); err != nil {
				return d, err
			}
		}
	}
	if p.removed.has(at) {
		t.source.Removed++
		t.source.CutBytes += int64(len(doc.Text))
		return rewrite.Decision{Drop: true}, nil
	}
	t.text = parts.Remove(t.text[:0], doc.Text, t.list, isCut)
	t.source.Changed++
	if len(t.text) < len(doc.Text)/2 {
		t.source.Halved++
	}
	t.source.CutBytes += int64(len(doc.Text) - len(t.text))
	return rewrite.Decision{Replace: true, Text: t.text}, nil
}

// finish ends the file. The error is rewrite.ErrChanged if there were fewer documents than before.
func (t *cutter) finish() error { return errors.Join(t.end(), t.flush()) }

// A cutRow is a line of the list of parts that are cut.
type cutRow struct {
	ID         string  `json:"id"`
	Part       int     `json:"part"`  // its number in the text, from 1
	Start      int     `json:"start"` // its place in the text, in bytes
	End        int     `json:"end"`
	Text       string  `json:"text"` // the beginning
	KeptID     string  `json:"kept_id"`
	KeptPart   int     `json:"kept_part"`
	Similarity float64 `json:"similarity"`
	Near       bool    `json:"near"` // the words are others, or in another order
}

// row counts a part that is cut, and lists it.
func (t *cutter) row(doc *document.Document, i int, text []byte) error {
	is, err := t.pairs()
	if err != nil {
		return err
	}
	kept, near := t.p.keptFor(is)
	if near {
		t.source.Near++
	} else {
		t.source.Exact++
	}
	if t.texts == nil {
		return nil
	}
	keptDoc, keptPart := t.p.place(kept.to)
	to := json.NewEncoder(&t.buffer)
	to.SetEscapeHTML(false)
	err = to.Encode(cutRow{escaped(doc.ID), i + 1, t.list[i].Start, t.list[i].End, beginning(text), escaped(t.p.id(keptDoc)), keptPart, kept.similarity, near})
	if err != nil || t.buffer.Len() < rowsHeld/4 {
		return err
	}
	return t.flush()
}

func (t *cutter) flush() error {
	t.rows.Add(bytes.Clone(t.buffer.Bytes()))
	t.buffer.Reset()
	return t.rows.Flush()
}

// shownBytes is how many bytes of a text a list shows.
const shownBytes = 100

// beginning returns the beginning of a text, on one line.
func beginning(text []byte) string {
	some := text[:min(len(text), 4*shownBytes)]
	line := strings.Join(strings.Fields(strings.ToValidUTF8(string(some), "\ufffd")), " ")
	if len(line) <= shownBytes && len(some) == len(text) {
		return line
	}
	line = line[:min(len(line), shownBytes)]
	for len(line) > 0 && !utf8.ValidString(line) {
		line = line[:len(line)-1]
	}
	return line + "…"
}

// A goneRow is a line of the list of documents of which nothing is left.
type goneRow struct {
	ID     string `json:"id"`
	Parts  int    `json:"parts"` // that are cut
	Source string `json:"source"`
}

func (p *cuts) writeRemoved(ctx context.Context) error {
	return p.rows(ctx, RemovedName, func(row func(any) error) error {
		for file := p.refs; file < len(p.files); file++ {
			for doc := p.starts[file]; doc < p.starts[file+1]; doc++ {
				if !p.removed.has(doc) {
					continue
				}
				from, to := p.spans.of(doc)
				if err := row(goneRow{escaped(p.id(doc)), p.cut.count(from, to), escaped([]byte(p.files[file].Path))}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
