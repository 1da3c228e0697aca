package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/csvtext"
	"simsearch/internal/inputs"
	"simsearch/internal/stream"
)

var (
	csvKind = kind{
		name: "csv", words: "CSV", extensions: []string{".csv"}, layout: InRows, fields: anyField,
		looks: looksLikeTable, open: openTable(0), reread: rereadRow(0),
	}
	tsvKind = kind{
		name: "tsv", words: "TSV", extensions: []string{".tsv"}, layout: InRows, fields: anyField, open: openTable('\t'), reread: rereadRow('\t'),
	}
)

// openTable returns the function that opens tables with a byte between cells. If comma is 0, the header says which.
func openTable(comma byte) opener {
	return func(l lineSource, guessed bool) (source, error) { return newTableSource(l, comma, guessed) }
}

// A header is what is known of the columns of a table.
type header struct {
	names       []string
	comma       byte
	id          int // the column of ids, or -1
	fingerprint int // the column of fingerprints, or -1
	texts       []int
	kept        []int // the columns of Reader.keep, -1 for those that the table lacks
	row         Extent
	heading     []byte // of the header, with its line end
}

// newHeader finds the columns that Options name.
func newHeader(r *Reader, names []string, comma byte) *header {
	h := &header{names: names, comma: comma, id: slices.Index(names, r.o.idField()), fingerprint: -1}
	if name := r.o.FingerprintField; name != "" {
		h.fingerprint = slices.Index(names, name)
	}
	for _, name := range r.keep {
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
func (o *Options) idField() string {
	switch {
	case o.IDField != "":
		return o.IDField
	case o.Pairs:
		return defaultUserField
	}
	return defaultIDField
}

// checkColumns returns an error if a table lacks the columns that Options name. guessed says that the file
// was taken for a table by its content.
func checkColumns(r *Reader, path string, names []string, hasID, hasText, guessed bool) error {
	missing := &FieldError{Path: path, Fields: names, Guessed: guessed, Table: true}
	switch {
	case !hasText:
		missing.Option, missing.Field = "TextField", strings.Join(r.textFields, ",")
		if r.o.FingerprintField != "" {
			missing.Field += "," + r.o.FingerprintField
		}
	case !hasID && (r.o.IDField != "" || r.o.Pairs):
		missing.Option, missing.Field = "IDField", r.o.idField()
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
func newTableSource(l lineSource, comma byte, guessed bool) (*tableSource, error) {
	r := l.r
	head := l.s.Fill()
	t := &tableSource{lineSource: l}
	h, rows, err := readHeader(r, l.s, comma)
	if errors.Is(err, io.EOF) {
		h = &header{names: nil, texts: []int{0}} // there are no rows
	} else if err != nil {
		return nil, err
	}
	t.header, t.rows = h, rows
	if h.row.End > 0 {
		r.dialect = Dialect{Comma: h.comma, Header: h.row, Raw: h.heading, Columns: len(h.names), Names: h.names, Texts: h.texts}
	}
	err = checkColumns(r, l.path, h.names, h.id >= 0 || h.names == nil, len(h.texts) > 0 || h.fingerprint >= 0, guessed)
	if err != nil && looksLikeFingerprints(r, head, len(head) < bufferSize) {
		if missing := (*FieldError)(nil); errors.As(err, &missing) {
			err = errors.New(missing.what())
		}
		err = fmt.Errorf("%w: %w", err, ErrFingerprints)
	}
	return t, err
}

// readHeader reads the header of a table, and returns the reader of its rows.
func readHeader(r *Reader, s *stream.Stream, comma byte) (*header, *csvtext.Reader, error) {
	if comma == 0 {
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
	h := newHeader(r, row.Cells(), comma)
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
		return t.givenFingerprint(doc, id, t.value)
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

func (t *tableSource) fieldNames() []string { return t.names }

// keptField returns the text of a cell. An empty one is no value.
func (t *tableSource) keptField(i int) (value []byte, ok bool) {
	if t.kept[i] < 0 {
		return nil, false
	}
	t.value = t.last.AppendCell(t.value[:0], t.kept[i])
	return t.value, len(t.value) > 0
}

// looksLikeTable returns CSV or TSV if the stream begins with a header that has a column of texts, and Text
// otherwise.
func looksLikeTable(r *Reader, s *stream.Stream, _ string) Format {
	head := s.Fill()
	comma, ok := csvtext.LooksLike(head, len(head) < bufferSize, r.textFields)
	switch {
	case !ok:
		return Text
	case comma == '\t':
		return TSV
	}
	return CSV
}

// rereadRow returns the function that returns the text of a row of a table, as openTable has opened it.
func rereadRow(comma byte) rereader {
	return func(r *Rereader, from document.Origin, c charset.Charset) ([]byte, error) {
		line, err := r.bytes(from, c)
		if err == nil {
			err = r.table.readHeader(r.r, from.Path, comma, c)
		}
		if err != nil {
			return nil, err
		}
		return r.table.cells(line)
	}
}

// readHeader reads the header of the table in CSV or TSV that is open, unless it is known.
func (t *table) readHeader(r *Reader, path string, comma byte, c charset.Charset) (err error) {
	if t.path == path && t.header != nil {
		return nil
	}
	s, err := r.openStream(inputs.Input{Path: path})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	h, _, err := readHeader(r, decoded(s, c), comma)
	switch {
	case err != nil && (errors.Is(err, io.EOF) || errors.Is(err, csvtext.ErrOpenQuote)):
		return fmt.Errorf("%w: no header", ErrChanged)
	case err != nil:
		return err
	case len(h.texts) == 0:
		return fmt.Errorf("%w: no column with texts", ErrChanged)
	}
	t.path, t.header = path, h
	return nil
}

// cells returns the text of a row in CSV or TSV.
func (t *table) cells(line []byte) ([]byte, error) {
	row, err := csvtext.Parse(line, t.header.comma)
	if err != nil || row.Len() != len(t.header.names) {
		return nil, fmt.Errorf("%w: no row of the table", ErrChanged)
	}
	t.text, _ = t.header.appendText(t.text[:0], row)
	return t.text, nil
}
