package dedup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/parallel"
	"simsearch/internal/parts"
	"simsearch/internal/rewrite"
	"simsearch/internal/spool"
)

// CutName is the name of the list of parts that are cut, which Cut makes in its directory.
const CutName = "cut.jsonl"

// write writes files, lists and report.
func (p *divided) write(ctx context.Context, dir string) (r CutResult, err error) {
	p.phase(Writing)
	err = p.writeIn(dir, func() error {
		r, err = p.writeAll(ctx)
		return err
	})
	return r, err
}

func (p *divided) writeAll(ctx context.Context) (r CutResult, err error) {
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
	texts := p.newTexts()
	// Of the reference, only texts for the report are read.
	work := func(ctx context.Context, file int) (*cutter, error) {
		t := p.cutter(file, texts)
		return t, t.run(ctx)
	}
	r = CutResult{By: p.o.By, Mode: p.o.mode(), Bytes: p.size()}
	done := 0
	err = parallel.Ordered(ctx, p.o.Threads, len(p.files), work, func(t *cutter) error {
		if _, err := io.Copy(list, t.rows.Reader()); err != nil {
			return errors.Join(err, t.rows.Close())
		}
		if t.file >= p.refs {
			r.add(t.source)
		}
		if done++; p.o.Progress != nil {
			p.o.Progress(int64(p.starts[done]), int64(len(p.lengths)))
		}
		return t.rows.Close()
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
func (p *divided) stream(ctx context.Context, w io.Writer) (r CutResult, err error) {
	p.phase(Writing)
	t := p.cutter(p.refs, nil)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := rewrite.Stream(out, p.rewriteOptions(ctx), t.decide); err != nil {
		return r, err
	}
	if err := t.finish(); err != nil {
		return r, err
	}
	r = CutResult{By: p.o.By, Mode: p.o.mode(), Bytes: p.size()}
	r.add(t.source)
	return r, out.Flush()
}

// size returns the size in bytes of all texts but those of the reference.
func (p *divided) size() (n int64) {
	for _, length := range p.lengths[p.starts[p.refs]:] {
		n += int64(length)
	}
	return n
}

// A cutter takes the parts that are cut out of the documents of a file.
type cutter struct {
	p      *divided
	file   int
	next   uint32 // document
	kept   func() (keptPart, error)
	texts  *partTexts // to which texts are shown; nil if there is no report and no list
	list   []parts.Part
	text   []byte
	buffer bytes.Buffer
	rows   spool.Bytes // of the list of parts that are cut
	source CutSource
}

// rowsHeld is how many bytes of rows of a file are held in memory.
const rowsHeld = 1 << 20

func (p *divided) cutter(file int, texts *partTexts) *cutter {
	from, to := p.firstPart(file), p.firstPart(file+1)
	return &cutter{
		p: p, file: file, next: p.starts[file], kept: p.keptFrom(file), texts: texts, rows: spool.NewBytes(p.o.FS, p.o.Temp, rowsHeld),
		source: CutSource{
			Path: p.files[file].Path, Documents: int(p.starts[file+1] - p.starts[file]), Bad: p.bad[file],
			Parts: p.spans.long.count(from, to) + p.spans.short.count(from, to), Short: p.spans.short.count(from, to),
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
	case t.file < p.refs && !t.texts.wanted(p.firstPart(t.file), p.firstPart(t.file+1)):
		return nil
	case t.file < p.refs || p.o.DryRun:
		err = t.read(ctx)
	default:
		return p.rewriteFile(ctx, t.file, t.decide, t.finish)
	}
	if err != nil {
		return err
	}
	return t.finish()
}

// read reads the documents of the file.
func (t *cutter) read(ctx context.Context) (err error) {
	o := t.p.rewriteOptions(ctx).Corpus
	o.Decided = nil
	r, err := corpus.OpenFile(t.p.files[t.file], o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for doc, err := range r.Documents() {
		if errors.As(err, new(*corpus.BadError)) {
			continue
		}
		if err == nil {
			_, err = t.decide(doc)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decide cuts the next document. The error is rewrite.ErrChanged if it is not the one that was read before.
func (t *cutter) decide(doc *document.Document) (d rewrite.Decision, err error) {
	p, at := t.p, t.next
	if at == p.starts[t.file+1] || p.digests[at] != digest(doc.Text) || string(p.id(at)) != string(doc.ID) {
		return d, fmt.Errorf("%s: %w", t.source.Path, rewrite.ErrChanged)
	}
	t.next++
	from, to := p.spans.of(at)
	t.list = parts.Split(t.list[:0], doc.Text, p.o.By)
	if uint32(len(t.list)) != to-from {
		return d, fmt.Errorf("%s: %w", t.source.Path, rewrite.ErrChanged)
	}
	t.texts.see(doc.Text, from, t.list)
	if p.cut.count(from, to) == 0 {
		return d, nil
	}
	for i, part := range t.list {
		if p.cut.has(from + uint32(i)) {
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
	t.text = parts.Remove(t.text[:0], doc.Text, t.list, func(i int) bool { return p.cut.has(from + uint32(i)) })
	t.source.Changed++
	if len(t.text) < len(doc.Text)/2 {
		t.source.Halved++
	}
	t.source.CutBytes += int64(len(doc.Text) - len(t.text))
	return rewrite.Decision{Replace: true, Text: t.text}, nil
}

// finish returns rewrite.ErrChanged if there were fewer documents than before.
func (t *cutter) finish() error {
	if t.next < t.p.starts[t.file+1] {
		return fmt.Errorf("%s: %w", t.source.Path, rewrite.ErrChanged)
	}
	if t.buffer.Len() == 0 {
		return nil
	}
	return t.flush()
}

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
	k, err := t.kept()
	if err != nil {
		return err
	}
	if k.near {
		t.source.Near++
	} else {
		t.source.Exact++
	}
	if t.texts == nil {
		return nil
	}
	keptDoc, keptPart := t.p.place(k.part)
	to := json.NewEncoder(&t.buffer)
	to.SetEscapeHTML(false)
	err = to.Encode(cutRow{escaped(doc.ID), i + 1, t.list[i].Start, t.list[i].End, beginning(text), escaped(t.p.id(keptDoc)), keptPart, k.similarity, k.near})
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

// place returns the document of a part, and the number of the part in it, from 1.
func (p *divided) place(part uint32) (doc uint32, number int) {
	lo, hi := 0, len(p.spans.ends) // the first document that ends behind the part
	for lo < hi {
		if middle := int(uint(lo+hi) / 2); p.spans.ends[middle] <= part {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	from, _ := p.spans.of(uint32(lo))
	return uint32(lo), int(part-from) + 1
}

// A goneRow is a line of the list of documents of which nothing is left.
type goneRow struct {
	ID     string `json:"id"`
	Parts  int    `json:"parts"` // that are cut
	Source string `json:"source"`
}

func (p *divided) writeRemoved(ctx context.Context) error {
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
