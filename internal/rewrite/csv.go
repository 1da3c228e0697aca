package rewrite

import (
	"fmt"
	"slices"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/csvtext"
)

// A rows is a table in CSV or TSV. New fields take the place of columns with their names, or are columns behind the others.
type rows struct {
	lines
	dialect corpus.Dialect
	headed  bool  // the header is written
	fieldOf []int // of each column the field that takes its place, or -1; nil if there is none
	behind  []int // the other fields
	value   []byte
}

// head writes the header with the names of the new columns.
func (r *rows) head() error {
	if r.headed || len(r.w.o.Fields) == 0 || r.dialect.Columns == 0 {
		return nil
	}
	r.headed = true
	if err := r.copyTo(r.dialect.Header.Start); err != nil {
		return err
	}
	raw, err := r.take(r.dialect.Header.End)
	if err != nil {
		return err
	}
	names := make([]any, len(r.w.o.Fields))
	for i, f := range r.w.o.Fields {
		names[i] = f.Name
		if !slices.Contains(r.dialect.Names, f.Name) {
			r.behind = append(r.behind, i)
		}
	}
	header := r.append(nil, raw, names)
	if len(r.behind) < len(names) {
		for _, name := range r.dialect.Names {
			r.fieldOf = append(r.fieldOf, slices.IndexFunc(r.w.o.Fields, func(f Field) bool { return f.Name == name }))
		}
	}
	_, err = r.out.Write(header)
	return err
}

// set appends a row with the values of all fields to dst.
func (r *rows) set(dst, raw []byte, values []any) ([]byte, error) {
	if r.fieldOf == nil || len(values) == 0 {
		return r.append(dst, raw, values), nil
	}
	row, err := csvtext.Parse(raw, r.dialect.Comma)
	if err != nil || row.Len() != r.dialect.Columns {
		return nil, r.changed(raw)
	}
	at := 0
	var changed []byte
	for column, field := range r.fieldOf {
		if field < 0 {
			continue
		}
		start, end := row.Span(column)
		changed = r.appendCell(append(changed, raw[at:start]...), values[field])
		at = end
	}
	return r.append(dst, append(changed, raw[at:]...), values), nil
}

// append appends a row to dst, and the cells of the fields that are behind it.
func (r *rows) append(dst, raw []byte, values []any) []byte {
	row, end := cutEnd(raw)
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
	return csvtext.AppendQuoted(dst, r.value, r.dialect.Comma, false)
}

func (r *rows) changed(raw []byte) error {
	return fmt.Errorf("%w: %.40q is no row of the table", ErrChanged, raw)
}

func (r *rows) keep(at corpus.Extent, _ *document.Document, d Decision) error {
	if err := r.head(); err != nil {
		return err
	}
	if !d.Replace && len(d.Values) == 0 {
		return r.copyTo(at.End)
	}
	if err := r.copyTo(at.Start); err != nil {
		return err
	}
	raw, err := r.take(at.End)
	if err != nil {
		return err
	}
	if r.edited, err = r.change(r.edited[:0], raw, d); err != nil {
		return err
	}
	_, err = r.out.Write(r.edited)
	return err
}

// change appends a row to dst, as a decision says that changes it.
func (r *rows) change(dst, raw []byte, d Decision) ([]byte, error) {
	if !d.Replace {
		return r.set(dst, raw, d.Values)
	}
	if len(r.dialect.Texts) != 1 {
		return nil, r.w.noText("it is several columns")
	}
	row, err := csvtext.Parse(raw, r.dialect.Comma)
	if err != nil || row.Len() != r.dialect.Columns {
		return nil, r.changed(raw)
	}
	start, end := row.Span(r.dialect.Texts[0])
	quoted := start < end && raw[start] == '"'
	changed := csvtext.AppendQuoted(append([]byte{}, raw[:start]...), d.Text, r.dialect.Comma, quoted || r.dialect.Columns == 1 && len(d.Text) == 0)
	return r.set(dst, append(changed, raw[end:]...), d.Values)
}

func (r *rows) drop(at corpus.Extent) error {
	if err := r.head(); err != nil {
		return err
	}
	return r.lines.drop(at)
}

// maxRow is the size in bytes of the largest bad row whose cells are counted.
const maxRow = 1 << 20

// copy writes a bad row. It gets empty cells in the new columns, unless it has not those of the header.
func (r *rows) copy(at corpus.Extent) error {
	if err := r.head(); err != nil {
		return err
	}
	if len(r.w.o.Fields) == 0 {
		return r.copyTo(at.End)
	}
	if err := r.copyTo(max(at.Start, at.End-maxRow)); err != nil {
		return err
	}
	raw, err := r.take(at.End)
	if err != nil {
		return err
	}
	// Of a row that is too long, the end is looked at alone.
	row, err := csvtext.Parse(raw, r.dialect.Comma)
	none := make([]any, len(r.w.o.Fields))
	switch {
	case at.End-at.Start > maxRow:
		raw = r.append(nil, raw, none)
	case err == nil && row.Len() == r.dialect.Columns:
		if raw, err = r.set(nil, raw, none); err != nil {
			return err
		}
	}
	_, err = r.out.Write(raw)
	return err
}

func (r *rows) end(damaged bool) error {
	if err := r.head(); err != nil {
		return err
	}
	return r.lines.end(damaged)
}
