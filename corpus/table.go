package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/document"
	"simsearch/internal/csvtext"
	"simsearch/internal/fingerprinttext"
	"simsearch/internal/stream"
)

// A header is what is known of the columns of a table.
type header struct {
	names       []string
	comma       byte
	id          int // the column of ids, or -1
	fingerprint int // the column of fingerprints, or -1
	texts       []int
	kept        []int // the columns of Options.KeepFields, -1 for those that the table lacks
	row         Extent
	heading     []byte // of the header, with its line end
}

// newHeader finds the columns that Options name.
func (r *Reader) newHeader(names []string, comma byte) *header {
	h := &header{names: names, comma: comma, id: slices.Index(names, r.idField()), fingerprint: -1}
	if name := r.o.FingerprintField; name != "" {
		h.fingerprint = slices.Index(names, name)
	}
	for _, name := range r.o.KeepFields {
		h.kept = append(h.kept, slices.Index(names, name))
	}
	for _, name := range r.textFields {
		if i := slices.Index(names, name); i >= 0 {
			h.texts = append(h.texts, i)
		}
	}
	return h
}

// idField returns the name of the field that is the id.
func (r *Reader) idField() string {
	switch {
	case r.o.IDField != "":
		return r.o.IDField
	case r.o.Pairs:
		return defaultUserField
	}
	return defaultIDField
}

// checkColumns returns an error if a table lacks the columns that Options name. guessed says that the file
// was taken for a table by its content.
func (r *Reader) checkColumns(path string, names []string, hasID, hasText, guessed bool) error {
	missing := &FieldError{Path: path, Fields: names, Guessed: guessed, Table: true}
	switch {
	case !hasText:
		missing.Option, missing.Field = "TextField", strings.Join(r.textFields, ",")
		if r.o.FingerprintField != "" {
			missing.Field += "," + r.o.FingerprintField
		}
	case !hasID && (r.o.IDField != "" || r.o.Pairs):
		missing.Option, missing.Field = "IDField", r.idField()
	default:
		return nil
	}
	const most = 20
	if len(names) > most {
		missing.Fields = append(slices.Clone(names[:most]), "…")
	}
	// A directory may have any table. The names are wrong only if they or the file were given.
	if in := r.found.Inputs[r.next-1]; r.read || r.o.Lenient || !r.fields && (!in.Named || in.Listed) {
		return errors.New(missing.what())
	}
	return missing
}

// A tableSource is a file in CSV or TSV: a header, and a document a row.
type tableSource struct {
	lineSource
	*header
	rows  *csvtext.Reader
	last  *csvtext.Row // of the last document
	value []byte       // of the cell that is looked at
	text  []byte
}

// newTableSource reads the header of a table.
func (r *Reader) newTableSource(l lineSource, format Format, guessed bool) (*tableSource, error) {
	head := l.s.Fill()
	t := &tableSource{lineSource: l}
	h, rows, err := r.readHeader(l.s, format)
	if errors.Is(err, io.EOF) {
		h = &header{names: nil, texts: []int{0}} // there are no rows
	} else if err != nil {
		return nil, err
	}
	t.header, t.rows = h, rows
	if h.row.End > 0 {
		r.dialect = Dialect{Comma: h.comma, Header: h.row, Raw: h.heading, Columns: len(h.names), Names: h.names, Texts: h.texts}
	}
	err = r.checkColumns(l.path, h.names, h.id >= 0 || h.names == nil, len(h.texts) > 0 || h.fingerprint >= 0, guessed)
	if err != nil && r.looksLikeFingerprints(head, len(head) < bufferSize) {
		if missing := (*FieldError)(nil); errors.As(err, &missing) {
			err = errors.New(missing.what())
		}
		err = fmt.Errorf("%w: %w", err, ErrFingerprints)
	}
	return t, err
}

// readHeader reads the header of a table, and returns the reader of its rows.
func (r *Reader) readHeader(s *stream.Stream, format Format) (*header, *csvtext.Reader, error) {
	comma := byte('\t')
	if format != TSV {
		comma = csvtext.Comma(s.Fill(), r.textFields)
	}
	rows := csvtext.NewReader(s, comma, r.limits.document)
	row, err := rows.Next()
	if errors.Is(err, csvtext.ErrTooLong) {
		err = r.limits.tooLong()
	}
	if err != nil {
		return nil, rows, err
	}
	h := r.newHeader(row.Cells(), comma)
	h.row, h.heading = Extent{s.Offset() - int64(len(row.Raw)), s.Offset()}, bytes.Clone(row.Raw)
	return h, rows, nil
}

func (t *tableSource) next(doc *document.Document) error {
	t.start = t.s.Offset()
	row, err := t.rows.Next()
	t.line = row.Line
	switch {
	case errors.Is(err, csvtext.ErrTooLong):
		return bad(t.path, t.line, t.r.limits.tooLong())
	case errors.Is(err, csvtext.ErrOpenQuote):
		return bad(t.path, t.line, err)
	case err != nil:
		return err
	}
	t.raw, t.last = row.Raw, row
	t.start = t.s.Offset() - int64(len(row.Raw))
	t.length = int64(row.Size())
	if err := t.checkZeros(row.Raw); err != nil {
		return err
	}
	if row.Len() != len(t.names) {
		return bad(t.path, t.line, fmt.Errorf("the row has %d cells, and the header %d", row.Len(), len(t.names)))
	}
	id := t.place(doc.ID)
	if t.id >= 0 {
		if t.value = row.AppendCell(t.value[:0], t.id); len(t.value) == 0 {
			return bad(t.path, t.line, fmt.Errorf("column %q is empty, want an id", t.names[t.id]))
		}
		id = append(id[:0], t.value...)
	}
	var found bool
	if t.text, found = t.appendText(t.text[:0], row); !found && t.fingerprint >= 0 {
		t.value = row.AppendCell(t.value[:0], t.fingerprint)
		fp, _, err := fingerprinttext.Parse(t.value, t.r.bits)
		if err != nil {
			return bad(t.path, t.line, err)
		}
		*doc = document.Document{ID: id, Fingerprint: fp, HasFingerprint: true, Line: t.line}
		return nil
	}
	*doc = document.Document{ID: id, Text: t.text, Line: t.line, Origin: t.origin()}
	return nil
}

// appendText appends the text of a row to dst. Of several columns it takes those that are not empty. found
// is false if all are empty.
func (h *header) appendText(dst []byte, row *csvtext.Row) (text []byte, found bool) {
	for _, i := range h.texts {
		begin := len(dst)
		if found {
			dst = append(dst, '\n')
		}
		value := len(dst)
		if dst = row.AppendCell(dst, i); len(dst) == value {
			dst = dst[:begin]
			continue
		}
		found = true
	}
	return dst, found
}
