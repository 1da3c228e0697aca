package corpus

import (
	"bytes"
	"errors"
	"slices"

	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
)

var warcKind = kind{
	name: "warc", words: "WARC", extensions: []string{".warc", ".wet"}, layout: InCrawl, fields: onlyID, charsets: ownCharsets,
	begins: func(path string, head []byte) bool {
		return bytes.HasPrefix(head, []byte(syntax.CrawlMagic+"1.")) && !slices.Contains(textExtensions, extensionOf(path))
	},
	open: openWARC,
}

// A warcSource is a file of a crawl. Its documents are the pages and texts in its records; other records are
// passed over.
//
// The id of a document is its address, since that is what people look for. A crawl may have an address
// twice. The second time the id is that of the record, WARC-Record-ID, which never repeats: an id that
// depended on the text or on other files would not stand for one document. Options.IDField can name
// another field of the header of records.
type warcSource struct {
	fieldSource // line is the number of the record
	records     *syntax.CrawlReader
	record      *syntax.CrawlRecord // the last one
	addresses   firsts
	page        []byte
}

// The fields of a record that name it.
const (
	addressField  = "WARC-Target-URI"
	recordIDField = "WARC-Record-ID"
)

func openWARC(l lineSource) (source, error) {
	fields := fieldSource{lineSource: l, thing: "field"}
	records := syntax.NewCrawlReader(l.s, l.r.limits.document)
	return &warcSource{fieldSource: fields, records: records, record: new(syntax.CrawlRecord), addresses: firsts{}}, nil
}

func (w *warcSource) next(doc *document.Document) error {
	for {
		record, err := w.records.Next((*syntax.CrawlRecord).HasText)
		w.record = record
		w.line, w.start, w.length, w.end = record.Number, record.Offset, record.Length, record.End
		switch {
		case errors.Is(err, syntax.ErrTooLong):
			return w.bad(err)
		case err != nil:
			return err
		}
		if !record.HasText() {
			continue
		}
		text, ok, err := w.recordText(w.page[:0])
		if err != nil {
			return w.bad(err)
		}
		if ok {
			w.page = text
			return w.named(doc, w, text)
		}
	}
}

// recordText appends the text of the last record to dst. ok is false if it holds none.
func (w *warcSource) recordText(dst []byte) (text []byte, ok bool, err error) {
	content, err := w.record.Content(w.r.limits.document)
	if err != nil || content.Kind == syntax.NoText {
		return dst, false, err
	}
	if content.Kind == syntax.Untyped || content.Kind == syntax.XML {
		plain, _, err := inputs.Decode(content.Bytes, content.Charset, true)
		if err != nil {
			plain = content.Bytes // the error comes again if it is a text
		}
		if content.Kind = syntax.KindByContent(plain, content.Kind); content.Kind == syntax.NoText {
			w.r.o.Decided(Decision{Path: place(w.in.Path, w.line), Oddity: NoType})
			return dst, false, nil
		}
	}
	if text, err = w.decoded(content.Bytes, content.Charset, content.Kind == syntax.HTML); err != nil {
		return dst, false, err
	}
	if content.Kind == syntax.HTML {
		return w.r.pageText(dst, text), true, nil
	}
	return append(dst, text...), true, nil
}

// value returns a field of the header of the record. The usual id is the address, or the id of the record.
func (w *warcSource) value(i int) (value []byte, is valueKind, err error) {
	if value = w.record.Field(w.r.wanted[i]); i == w.r.idAt() && w.r.o.IDField == "" {
		// Some programs write addresses in angle brackets.
		if value = bytes.Trim(w.record.Field(addressField), "<>"); !w.addresses.is(value) {
			value = w.record.Field(recordIDField)
		}
	}
	if len(value) == 0 {
		return nil, isMissing, nil
	}
	return value, isText, nil
}

func (w *warcSource) recordHeader() []byte { return w.record.Header }

// fieldNames returns the names in the header, shortened as for an error.
func (w *warcSource) fieldNames() (names []string) {
	for line := range bytes.Lines(w.record.Header) {
		if name, _, ok := bytes.Cut(line, []byte(":")); ok {
			names = append(names, syntax.Shorten(name))
		}
	}
	return names
}
