package rewrite

import (
	"fmt"
	"slices"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/syntax"
)

// A rows is a table in CSV or TSV. New fields take the place of columns with their names, or are columns behind the
// others.
type rows struct {
	parts
	dialect corpus.Dialect
	headed  bool  // the header is written
	fieldOf []int // of each column the field that takes its place, or -1
	behind  []int // the other fields
	value   []byte
}

func newRows(table parts, dialect corpus.Dialect) *rows {
	r := &rows{parts: table, dialect: dialect}
	r.edit = r.editRow
	for _, column := range dialect.Names {
		r.fieldOf = append(r.fieldOf, r.w.fieldOf(column))
	}
	for i, f := range r.w.o.Fields {
		if !slices.Contains(dialect.Names, f.Name) {
			r.behind = append(r.behind, i)
		}
	}
	return r
}

// head writes the header with the names of the new columns.
func (r *rows) head() error {
	if r.headed || len(r.w.o.Fields) == 0 || len(r.dialect.Names) == 0 {
		return nil
	}
	r.headed = true
	if err := r.copyTo(r.dialect.Header.Start); err != nil {
		return err
	}
	header, err := r.take(r.dialect.Header.End)
	if err != nil {
		return err
	}
	names := make([]any, len(r.w.o.Fields))
	for i, f := range r.w.o.Fields {
		names[i] = f.Name
	}
	return write(r.out, r.appendBehind(nil, header, names))
}

// editRow is the edit of rows.
func (r *rows) editRow(_ *rewriting, dst, raw []byte, d Decision) ([]byte, error) {
	if d.Replace && len(r.dialect.Texts) != 1 {
		return nil, r.w.noText("it is several fields")
	}
	row, err := syntax.ParseRow(raw, r.dialect.Comma)
	if err != nil || row.Len() != len(r.dialect.Names) {
		return nil, fmt.Errorf("%w: %.40q is no row of the table", ErrChanged, raw)
	}
	at := 0
	for column := range row.Len() {
		start, end := row.Span(column)
		switch {
		case len(d.Values) > 0 && column < len(r.fieldOf) && r.fieldOf[column] >= 0:
			dst = r.appendCell(append(dst, raw[at:start]...), d.Values[r.fieldOf[column]])
		case d.Replace && column == r.dialect.Texts[0]:
			quoted := start < end && raw[start] == '"' || len(r.dialect.Names) == 1 && len(d.Text) == 0
			dst = syntax.AppendQuoted(append(dst, raw[at:start]...), d.Text, r.dialect.Comma, quoted)
		default:
			continue
		}
		at = end
	}
	return r.appendBehind(dst, raw[at:], d.Values), nil
}

// appendBehind appends the end of a row to dst, with the cells of the fields that are behind it.
func (r *rows) appendBehind(dst, row []byte, values []any) []byte {
	row, end := cutEnd(row)
	dst = append(dst, row...)
	if len(values) > 0 {
		for _, field := range r.behind {
			dst = r.appendCell(append(dst, r.dialect.Comma), values[field])
		}
	}
	return append(dst, end...)
}

func (r *rows) appendCell(dst []byte, v any) []byte {
	r.value = appendValue(r.value[:0], v)
	return syntax.AppendQuoted(dst, r.value, r.dialect.Comma, false)
}

func (r *rows) put(at corpus.Extent, d Decision) error {
	if err := r.head(); err != nil {
		return err
	}
	if !d.Drop && len(d.Values) < len(r.w.o.Fields) {
		return r.putBad(at)
	}
	return r.parts.put(at, d)
}

// maxRow is the size in bytes of the largest bad row whose cells are counted.
const maxRow = 1 << 20

// putBad writes a bad row. It gets empty cells in the new columns, unless it has not those of the header.
func (r *rows) putBad(at corpus.Extent) error {
	// Of a row that is too long, the end is looked at alone.
	if err := r.copyTo(max(at.Start, at.End-maxRow)); err != nil {
		return err
	}
	raw, err := r.take(at.End)
	if err != nil {
		return err
	}
	none := make([]any, len(r.w.o.Fields))
	if at.End-at.Start > maxRow {
		raw = r.appendBehind(nil, raw, none)
	} else if edited, err := r.editRow(r.w, nil, raw, Decision{Values: none}); err == nil {
		raw = edited
	}
	return write(r.out, raw)
}

func (r *rows) end(damaged bool) error {
	if err := r.head(); err != nil {
		return err
	}
	return r.parts.end(damaged)
}
