package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/csvtext"
	"simsearch/internal/jsontext"
	"simsearch/internal/mailtext"
	"simsearch/internal/parquetfile"
	"simsearch/internal/terminal"
	"simsearch/internal/warc"
)

// A FieldError says that no document has a value that Options.Keep can compare. The name of the field is then likely to
// be wrong.
type FieldError struct {
	Keep      Keep
	Documents int      // that have been read
	More      bool     // there may be more documents
	Value     string   // of the first document that has the field, or "" if none has
	Fields    []string // those of the first document
}

// Error says what the field has, or which fields there are.
func (e *FieldError) Error() string {
	of := "no document"
	if e.More {
		of = fmt.Sprintf("none of the first %d documents", e.Documents)
	}
	if e.Value != "" {
		return fmt.Sprintf("%s has a %s in the field %q: the first has %q", of, e.Keep.Way.what(), e.Keep.Field, e.Value)
	}
	return fmt.Sprintf("%s has the field %q; the first has %s", of, e.Keep.Field, strings.Join(e.Fields, ", "))
}

// what returns what w compares.
func (w Way) what() string {
	if w.IsTime() {
		return "date or time"
	}
	return "number"
}

// fieldless is how many documents without a value are read before that is an error.
const fieldless = 1000

// Keys are those of the documents of a Collection, by the field of Options.Keep.
type keys struct {
	keep    Keep
	lenient bool               // documents may lack the field as long as one has it
	of      []key              // of each document
	inexact map[uint32]decimal // the numbers of those whose keys do not tell them
	unread  int
	first   string // the place of the first document that is unread, or ""
	any     bool   // one is not unread
	example string // a value that cannot be read
	fields  []string

	json jsontext.Unquoter
	cell []byte

	// Of the current file.
	path   string
	column int // of a table, or -1
	table  *parquetfile.File
	cursor *parquetfile.Cursor
	parsed parquetfile.Column
}

// newKeys returns the keys for keep, or nil if it compares no field. Those of the first documents are unread.
func newKeys(keep Keep, lenient bool) *keys {
	if !keep.Way.HasField() {
		return nil
	}
	return &keys{keep: keep, lenient: lenient, inexact: map[uint32]decimal{}}
}

// skip takes the documents before number n, which are those of the reference and have no keys.
func (k *keys) skip(n int) {
	if k != nil && len(k.of) < n {
		k.of = append(k.of, slices.Repeat([]key{noKey}, n-len(k.of))...)
	}
}

// see takes the next document of r.
func (k *keys) see(r *corpus.Reader, doc *document.Document) error {
	if k == nil {
		return nil
	}
	value, found, err := k.value(r, doc)
	if err != nil {
		return err
	}
	if k.add(value, found) {
		k.any = true
		return nil
	}
	if k.unread++; k.first == "" {
		k.first = doc.Source
		if doc.Line > 0 {
			k.first = fmt.Sprintf("%s:%d", doc.Source, doc.Line)
		}
	}
	if k.example == "" && value != "" {
		k.example = jsontext.Shorten([]byte(value))
	}
	if !k.any && !k.lenient && k.unread == fieldless {
		return k.missing(true)
	}
	return nil
}

// add takes the value of the next document, if one is found. It returns false if that has no key.
func (k *keys) add(value string, found bool) bool {
	is := noKey
	if found {
		is = k.keep.Way.keyOf(value)
	}
	if is != noKey {
		if d, ok := k.keep.Way.inexact(value, is); ok {
			k.inexact[uint32(len(k.of))] = d
		}
	}
	k.of = append(k.of, is)
	return is != noKey
}

// end ends the reading, which has the error err. It is an error if no document has a value.
func (k *keys) end(err error) error {
	if k == nil {
		return err
	}
	if err := errors.Join(err, k.close()); err != nil {
		return err
	}
	if !k.any && k.unread > 0 {
		return k.missing(false)
	}
	return nil
}

func (k *keys) missing(more bool) error {
	return &FieldError{Keep: k.keep, Documents: k.unread, More: more, Value: k.example, Fields: k.fields}
}

// close closes the current table.
func (k *keys) close() (err error) {
	if k.table != nil {
		if k.cursor != nil {
			err = k.cursor.Close()
		}
		err = errors.Join(err, k.table.Close())
	}
	k.path, k.table, k.cursor = "", nil, nil
	return err
}

// value returns the value of the field of a document, as it stands in the record. A string has no quotes.
func (k *keys) value(r *corpus.Reader, doc *document.Document) (value string, found bool, err error) {
	if doc.Source != k.path {
		if err := k.open(r, doc); err != nil {
			return "", false, err
		}
	}
	switch r.Format() {
	case corpus.JSONL, corpus.JSON:
		record := jsontext.SkipSpace(doc.Raw)
		v := k.json.Field(record, k.keep.Field)
		if k.fields == nil {
			k.name(k.json.Names(record))
		}
		switch {
		case v == nil || v[0] == 'n':
			return "", false, nil
		case v[0] == '"':
			return string(k.json.Unquote(v)), true, nil
		}
		return string(v), true, nil
	case corpus.CSV, corpus.TSV:
		if k.column < 0 {
			return "", false, nil
		}
		dialect, _ := r.Dialect()
		row, err := csvtext.Parse(doc.Raw, dialect.Comma)
		if err != nil || row.Len() <= k.column {
			return "", false, fmt.Errorf("%s:%d: %w", doc.Source, doc.Line, document.ErrChanged)
		}
		k.cell = row.AppendCell(k.cell[:0], k.column)
		return string(k.cell), len(k.cell) > 0, nil
	case corpus.Parquet:
		return k.parquetValue(r, doc)
	}
	if r.Format() == corpus.Mail {
		value, found = k.mailValue(r.RecordHeader())
		return value, found, nil
	}
	header := r.RecordHeader()
	if k.fields == nil {
		k.name(headerNames(header))
	}
	v := (&warc.Record{Header: header}).Field(k.keep.Field)
	return string(v), v != nil, nil
}

// mailValue returns the value of a field of the header of a message, a date as mailtext.Date does.
func (k *keys) mailValue(header []byte) (value string, found bool) {
	if k.fields == nil {
		k.name(mailtext.Header(header).Names())
	}
	value, found = mailtext.Header(header).Field(k.keep.Field)
	if found && k.keep.Way.IsTime() {
		value = mailtext.Date(value)
	}
	return value, found
}

// headerNames returns the names of the fields of the header of a record.
func headerNames(header []byte) (names []string) {
	for line := range bytes.Lines(header) {
		if name, _, ok := bytes.Cut(line, []byte(":")); ok {
			names = append(names, jsontext.Shorten(name))
		}
	}
	return names
}

// name sets the names of fields that an error lists.
func (k *keys) name(names []string) {
	if k.fields != nil {
		return
	}
	if k.fields = names; len(names) > mostNames {
		k.fields = append(slices.Clone(names[:mostNames]), "…")
	}
}

// mostNames is how many fields an error lists, and perhaps an ellipsis behind them.
const mostNames = 21

// open prepares for the documents of a file.
func (k *keys) open(r *corpus.Reader, doc *document.Document) error {
	if err := k.close(); err != nil {
		return err
	}
	k.path, k.column = doc.Source, -1
	switch format := r.Format(); format {
	case corpus.CSV, corpus.TSV:
		dialect, _ := r.Dialect()
		k.name(dialect.Names)
		k.column = slices.Index(dialect.Names, k.keep.Field)
	case corpus.Parquet:
		table, err := parquetfile.Open(doc.Source)
		if err != nil {
			return fmt.Errorf("%s: %w", doc.Source, err)
		}
		k.table = table
		k.name(table.Names())
		k.parsed, err = table.OrderedColumn(k.keep.Field)
		if errors.Is(err, parquetfile.ErrNoColumn) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", doc.Source, err)
		}
		k.cursor = table.NewCursor([]parquetfile.Column{k.parsed})
	default:
		return checkFields(doc.Source, format)
	}
	return nil
}

// parquetValue returns the value of a row of a Parquet file.
func (k *keys) parquetValue(r *corpus.Reader, doc *document.Document) (value string, found bool, err error) {
	if k.cursor == nil {
		return "", false, nil
	}
	row := r.Extent().Start
	if row < k.cursor.Row() { // the file is read again
		if err := k.cursor.SeekRow(row); err != nil {
			return "", false, fmt.Errorf("%s: %w", doc.Source, err)
		}
	}
	for k.cursor.Row() <= row {
		values, err := k.cursor.Next()
		if errors.Is(err, io.EOF) {
			err = document.ErrChanged
		}
		if err != nil {
			return "", false, fmt.Errorf("%s: %w", doc.Source, err)
		}
		if k.cursor.Row() > row && !values[0].IsNull() {
			k.cell = k.parsed.Append(k.cell[:0], values[0])
			return string(k.cell), true, nil
		}
	}
	return "", false, nil
}

// warning says how many documents have no value that can be read, or returns "".
func (k *keys) warning(documents int) string {
	if k == nil || k.unread == 0 {
		return ""
	}
	have := "have"
	if k.unread == 1 {
		have = "has"
	}
	return fmt.Sprintf("%s of %s %s no %s in the field %q, so that others are kept rather; the first is %s.", terminal.Thousands(k.unread), terminal.Plural(documents, "document"), have, k.keep.Way.what(), k.keep.Field, k.first)
}
