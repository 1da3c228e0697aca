package dedup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/analysis"
	"simsearch/internal/document"
	"simsearch/internal/parallel"
	"simsearch/internal/parts"
	"simsearch/internal/rewrite"
	"simsearch/internal/spill"
	"simsearch/preprocess"
)

// A Level is what is removed from a collection: documents, or parts of their texts.
type Level = parts.Level

// The levels.
const (
	Documents  = parts.Document
	Paragraphs = parts.Paragraph // the stretches of a text between blank lines
	Lines      = parts.Line
)

// ParseLevel returns the level called "document", "paragraph" or "line". The error lists these names.
func ParseLevel(name string) (Level, error) { return parts.ParseLevel(name) }

// DefaultMinWords is the usual Options.MinWords. Shorter parts, such as headings, answers in a dialogue or lines of a
// program, recur in texts that have nothing else in common.
const DefaultMinWords = 8

// nearFeatures is the least number of features of parts that are compared for near ones. Where there are fewer, one
// name or number that is another one may be all that a part says.
const nearFeatures = 20

// ErrText is returned if the texts of documents cannot be replaced.
var ErrText = rewrite.ErrText

// A partReader finds the parts of documents.
type partReader struct {
	a *analysis.Analysis
	o Options
}

// textBytes is the size of the texts that are divided together, and that of a part whose analysis takes much memory.
const textBytes = 1 << 20

// readParts takes up documents with the parts of their texts.
func (c *Collection) readParts(ctx context.Context, a *analysis.Analysis, documents iter.Seq2[*document.Document, error], progress func() error) error {
	s := &partReader{a: a, o: c.o}
	return parallel.Stream(ctx, c.o.Threads, textBatches(documents), s.divide, func(records []docRecord) error {
		for i := range records {
			if err := c.take(&records[i]); err != nil {
				return err
			}
		}
		return errors.Join(progress(), c.sets.Flush())
	})
}

// textBatches yields copies of documents, some together.
func textBatches(documents iter.Seq2[*document.Document, error]) iter.Seq2[[]*document.Document, error] {
	return func(yield func([]*document.Document, error) bool) {
		var batch []*document.Document
		size := 0
		for doc, err := range documents {
			if err != nil {
				yield(nil, err)
				return
			}
			batch = append(batch, doc.Clone())
			if size += len(doc.Text); size >= textBytes || len(batch) >= batchDocuments {
				if !yield(batch, nil) {
					return
				}
				batch, size = nil, 0
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}

// divide divides the texts of some documents, and finds the keys and features of their parts.
func (s *partReader) divide(_ context.Context, documents []*document.Document) ([]docRecord, error) {
	var scratch analysis.Scratch
	var list []parts.Part
	var words []byte
	var features []uint64
	records := make([]docRecord, len(documents))
	for i, doc := range documents {
		list = parts.Split(list[:0], doc.Text, s.o.By)
		r := docRecord{
			file: uint32(doc.Origin.Offset), line: uint32(doc.Origin.Length), id: doc.ID, value: doc.Fields,
			length: uint32(min(len(doc.Text), 1<<32-1)), digest: digest(doc.Text), units: make([]unit, len(list)),
		}
		for j, part := range list {
			if part.Start == part.End {
				continue
			}
			set := s.a.Set(&scratch, doc.Text[part.Start:part.End])
			if len(set) > 0 {
				words = appendWords(words[:0], s.a.Settings().SetFeatures, &scratch.Document)
				u := unit{kind: longPart, digest: analysis.Digest{max(1, murmur3.Sum64(words))}}
				if scratch.Document.Words() < s.o.MinWords {
					u.kind = shortPart
				} else if len(set) >= nearFeatures && s.o.Threshold < 1 {
					from := len(features)
					features = append(features, set...)
					u.size, u.set = uint32(len(set)), features[from:len(features):len(features)]
				}
				r.units[j] = u
			}
			if part.End-part.Start > textBytes {
				scratch = analysis.Scratch{}
			}
		}
		records[i] = r
		doc.Text = nil
	}
	return records, nil
}

// appendWords appends the words of which doc has features of a kind, with a space between two.
func appendWords(dst []byte, f preprocess.FeatureSpec, doc *preprocess.Document) []byte {
	text, spans := doc.Features()
	if f.Kind == preprocess.WordN || f.Kind == preprocess.CharN {
		return append(dst, text...) // it is that already
	}
	for _, w := range spans {
		dst = append(append(dst, text[w[0]:w[1]]...), ' ')
	}
	return dst
}

// checkParts returns an error unless texts of the inputs can be divided.
func checkParts(refs []string, o Options) error {
	if strings.Contains(o.Corpus.TextField, ",") {
		return fmt.Errorf("several text fields, %s: name the one that is cut", o.Corpus.TextField)
	}
	if _, indexes := splitIndexes(refs); len(indexes) > 0 {
		return fmt.Errorf("%s is an index, which has no %ss: name the files that it was made of", indexes[0], o.By)
	}
	return nil
}

// A cutter takes the parts that are cut out of the documents of a file, and lists them.
type cutter struct {
	d      *Decisions
	list   []parts.Part
	text   []byte
	buffer bytes.Buffer
	rows   spill.Bytes // of the list of parts that are cut
	source CutSource
}

// rowsHeld is how many bytes of rows of a file are held in memory.
const rowsHeld = 1 << 20

func (d *Decisions) cutter(file int) *cutter {
	c := d.c
	t := &cutter{d: d, rows: spill.NewBytes(c.o.FS, c.o.Temp, rowsHeld)}
	t.source = CutSource{Path: c.files[file].Path, Documents: int(c.starts[file+1] - c.starts[file]), Bad: c.bad[file]}
	for part, to := c.units(c.starts[file], c.starts[file+1]); part < to; part++ {
		if c.of[part] != noSet {
			t.source.Parts++
		}
		if c.staysAlone(part) {
			t.source.Short++
		}
	}
	return t
}

// cut cuts a document.
func (t *cutter) cut(at uint32, doc *document.Document, texts *textsOf) (rewrite.Decision, error) {
	d := t.d
	from, to := d.c.units(at, at+1)
	t.list = parts.Split(t.list[:0], doc.Text, d.c.o.By)
	if uint32(len(t.list)) != to-from {
		return rewrite.Decision{}, changed(doc.Source)
	}
	for _, part := range texts.between(from, to) {
		is := t.list[part-from]
		texts.see(part, doc.Text[is.Start:is.End])
	}
	isCut := func(i int) bool { return d.kept[from+uint32(i)] != from+uint32(i) }
	some := false
	for i := range t.list {
		if isCut(i) {
			some = true
			if d.isNear(from + uint32(i)) {
				t.source.Near++
			} else {
				t.source.Exact++
			}
			if texts == nil { // there is no list
				continue
			}
			if err := t.row(doc, i, from+uint32(i)); err != nil {
				return rewrite.Decision{}, err
			}
		}
	}
	switch {
	case !some:
		return rewrite.Decision{}, nil
	case d.removed[at]:
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

// isNear reports whether the words of a part are others than those of the part kept for it, or in another order.
func (d *Decisions) isNear(part uint32) bool { return d.centers[d.c.of[part]] != d.c.of[part] }

// row lists a part that is cut, the i-th of its document.
func (t *cutter) row(doc *document.Document, i int, part uint32) error {
	d := t.d
	is := t.list[i]
	keptDoc, keptPart := d.place(d.kept[part])
	to := json.NewEncoder(&t.buffer)
	to.SetEscapeHTML(false)
	err := to.Encode(cutRow{escaped(doc.ID), i + 1, is.Start, is.End, beginning(doc.Text[is.Start:is.End]), escaped(d.c.id(keptDoc)), keptPart, d.similarity(part), d.isNear(part)})
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

// place returns the document of a part, and the number of the part in it, from 1.
func (d *Decisions) place(part uint32) (doc uint32, number int) {
	doc = d.c.docOf(part)
	return doc, int(part-d.c.unitsEnd(doc)) + 1
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
