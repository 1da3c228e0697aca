package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
)

var (
	csvKind = kind{
		name: "csv", words: "CSV", extensions: []string{".csv"}, layout: InRows, fields: anyField, looks: looksLikeTable, open: openTable(0),
	}
	tsvKind = kind{
		name: "tsv", words: "TSV", extensions: []string{".tsv"}, layout: InRows, fields: anyField, open: openTable('\t'),
	}
)

// A tableSource is a file in CSV or TSV: a header, and a document a row.
type tableSource struct {
	fieldSource
	rows        *syntax.RowReader
	comma       byte
	names       []string    // of the columns
	at          []int       // the columns of the wanted fields, or -1
	last        *syntax.Row // of the last document
	cell, other []byte      // of its text, and of its other fields
}

// openTable returns the function that opens tables with a byte between cells. If comma is 0, the header says which.
func openTable(comma byte) opener {
	return func(l lineSource) (source, error) {
		t := &tableSource{fieldSource: fieldSource{lineSource: l, thing: "column"}, comma: comma}
		head := l.s.Fill()
		if comma == 0 {
			t.comma = syntax.Comma(head, l.r.textFields)
		}
		t.rows = syntax.NewRowReader(l.s, t.comma, l.r.limits.document)
		row, err := t.rows.Next()
		switch {
		case errors.Is(err, io.EOF) && !l.r.again:
			return t, nil // there are no rows
		case errors.Is(err, syntax.ErrTooLong):
			return nil, l.r.limits.tooLong()
		case errors.Is(err, syntax.ErrOpenQuote) && l.r.again:
			return nil, fmt.Errorf("%w: it has no header", ErrChanged)
		case err != nil:
			return nil, err
		}
		t.readHeader(row)
		err = t.checkColumns(t.names, t.at)
		if missing := (*FieldError)(nil); errors.As(err, &missing) && looksLikeFingerprints(l.r, head, len(head) < bufferSize) {
			err = fmt.Errorf("%s: %w", missing.what(), ErrFingerprints)
		}
		return t, err
	}
}

// readHeader finds the columns that Options name.
func (t *tableSource) readHeader(row *syntax.Row) {
	t.names = row.Cells()
	t.at = t.r.placesOf(t.names)
	end := t.s.Offset()
	d := Dialect{Comma: t.comma, Raw: bytes.Clone(row.Raw), Names: t.names}
	d.Header = Extent{end - int64(len(row.Raw)), end}
	for _, at := range t.at[:len(t.r.textFields)] {
		if at >= 0 {
			d.Texts = append(d.Texts, at)
		}
	}
	t.r.dialect = d
}

// part makes s what rows are read from.
func (t *tableSource) part(s *inputs.Stream) {
	t.s, t.rows = s, syntax.NewRowReader(s, t.comma, t.r.limits.document)
}

func (t *tableSource) next(doc *document.Document) error {
	t.start = t.s.Offset()
	row, err := t.rows.Next()
	t.line, t.end = row.Line, t.s.Offset()
	switch {
	case errors.Is(err, syntax.ErrTooLong), errors.Is(err, syntax.ErrOpenQuote):
		return t.bad(err)
	case err != nil:
		return err
	}
	t.raw, t.last = row.Raw, row
	t.start, t.length = t.end-int64(len(row.Raw)), int64(row.Size())
	if err := t.checkZeros(row.Raw); err != nil {
		return err
	}
	if row.Len() != len(t.names) {
		return t.bad(fmt.Errorf("the row has %d cells, and the header %d", row.Len(), len(t.names)))
	}
	return t.fill(doc, t)
}

func (t *tableSource) value(i int) (value []byte, is valueKind, err error) {
	at, buf := t.at[i], &t.other
	if at < 0 {
		return nil, isMissing, nil
	}
	if i < len(t.r.textFields) {
		buf = &t.cell
	}
	if *buf = t.last.AppendCell((*buf)[:0], at); len(*buf) == 0 {
		return nil, isEmpty, nil
	}
	return *buf, isText, nil
}

func (t *tableSource) fieldNames() []string { return t.names }

// looksLikeTable returns CSV or TSV if the stream begins with a header that has a column of texts, and Text
// otherwise.
func looksLikeTable(r *Reader, s *inputs.Stream, _ string) Format {
	head := s.Fill()
	comma, ok := syntax.LooksLikeTable(head, len(head) < bufferSize, r.textFields)
	switch {
	case !ok:
		return Text
	case comma == '\t':
		return TSV
	}
	return CSV
}
