package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"simsearch/document"
	"simsearch/internal/htmltext"
	"simsearch/internal/jsontext"
	"simsearch/internal/warc"
)

var warcKind = kind{
	name: "warc", words: "WARC", extensions: []string{".warc", ".wet"}, layout: InCrawl, fields: onlyID, charsets: ownCharsets,
	begins: func(path string, head []byte) bool {
		return bytes.HasPrefix(head, []byte(warc.Magic+"1.")) && !slices.Contains(textExtensions, extensionOf(path))
	},
	open: openWARC, reread: rereadPart(textOfPage),
}

// A warcSource is a file of a crawl. Its documents are the pages and texts in its records; other records are
// passed over.
//
// The id of a document is its address, since that is what people look for. A crawl may have an address
// twice. The second time the id is that of the record, WARC-Record-ID, which never repeats: an id that
// depended on the text or on other files would not stand for one document. Options.IDField can name
// another field of the header of records.
type warcSource struct {
	lineSource // line is the number of the record
	records    *warc.Reader
	record     *warc.Record // the last one
	addresses  firsts
	text       []byte
	end        int64 // of the record
}

// The fields of a record that name it.
const (
	addressField  = "WARC-Target-URI"
	recordIDField = "WARC-Record-ID"
)

func openWARC(l lineSource, _ bool) (source, error) {
	return &warcSource{lineSource: l, records: warc.NewReader(l.s, l.r.limits.document), addresses: firsts{}}, nil
}

func (w *warcSource) next(doc *document.Document) error {
	for {
		record, err := w.records.Next((*warc.Record).HasText)
		w.record = record
		w.line, w.start, w.length, w.end = record.Number, record.Offset, record.Length, record.End
		switch {
		case errors.Is(err, warc.ErrTooLong):
			return bad(w.path, w.line, w.r.limits.tooLong())
		case err != nil:
			return err
		}
		if !record.HasText() {
			continue
		}
		text, ok, err := recordText(w.text[:0], record, w.r.limits)
		if err != nil {
			return bad(w.path, w.line, err)
		}
		if !ok {
			continue
		}
		w.text = text
		id, err := w.id(doc.ID, record)
		if err != nil {
			return bad(w.path, w.line, err)
		}
		*doc = document.Document{ID: id, Text: text, Line: w.line, Origin: w.origin()}
		return nil
	}
}

// recordText appends the text of a record to dst. ok is false if it holds none.
func recordText(dst []byte, record *warc.Record, l limits) (text []byte, ok bool, err error) {
	content, kind, err := record.Content(l.document)
	switch {
	case errors.Is(err, warc.ErrTooLong):
		return dst, false, l.tooLong()
	case err != nil || kind == warc.Other:
		return dst, false, err
	case kind == warc.HTML:
		return htmltext.Append(dst, content), true, nil
	}
	return append(dst, content...), true, nil
}

// id writes the id of a record over buf.
func (w *warcSource) id(buf []byte, record *warc.Record) ([]byte, error) {
	if name := w.r.o.IDField; name != "" {
		id := record.Field(name)
		if len(id) == 0 {
			return nil, fmt.Errorf("the record has no field %q", name)
		}
		return append(buf[:0], id...), nil
	}
	// Some programs write addresses in angle brackets.
	if address := bytes.Trim(record.Field(addressField), "<>"); w.addresses.is(address) {
		return append(buf[:0], address...), nil
	}
	if id := record.Field(recordIDField); len(id) > 0 {
		return append(buf[:0], id...), nil
	}
	return w.place(buf), nil
}

// extent returns the place of the record, with the line ends behind it.
func (w *warcSource) extent() (start, end int64) { return w.start, w.end }

// recordHeader returns the header of the last record.
func (w *warcSource) recordHeader() []byte {
	if w.record == nil {
		return nil
	}
	return w.record.Header
}

// fieldNames returns the names in the header, shortened as for an error.
func (w *warcSource) fieldNames() (names []string) {
	for line := range bytes.Lines(w.recordHeader()) {
		if name, _, ok := bytes.Cut(line, []byte(":")); ok {
			names = append(names, jsontext.Shorten(name))
		}
	}
	return names
}

// keptField returns a field of the header of the record.
func (w *warcSource) keptField(i int) (value []byte, ok bool) {
	value = w.record.Field(w.r.keep[i])
	return value, len(value) > 0
}

// textOfPage returns the text of a record of a crawl.
func textOfPage(r *Rereader, data []byte) ([]byte, error) {
	record, err := warc.Parse(data)
	if err != nil || !record.HasText() {
		return nil, fmt.Errorf("%w: no record with a text", ErrChanged)
	}
	text, ok, err := recordText(r.table.text[:0], record, r.r.limits)
	r.table.text = text
	switch {
	case errors.Is(err, ErrTooLong):
		return nil, err
	case err != nil || !ok:
		return nil, fmt.Errorf("%w: no record with a text", ErrChanged)
	}
	return text, nil
}
