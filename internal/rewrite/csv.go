package rewrite

import (
	"fmt"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/csvtext"
)

// A rows is a table in CSV or TSV. New fields are columns behind the others.
type rows struct {
	lines
	dialect corpus.Dialect
	headed  bool // the header is written
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
	}
	_, err = r.out.Write(r.append(nil, raw, names))
	return err
}

// append appends a row with more cells to dst.
func (r *rows) append(dst, raw []byte, values []any) []byte {
	row, end := cutEnd(raw)
	dst = append(dst, row...)
	for _, v := range values {
		r.value = appendValue(r.value[:0], v)
		dst = csvtext.AppendQuoted(append(dst, r.dialect.Comma), r.value, r.dialect.Comma, false)
	}
	return append(dst, end...)
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
		return r.append(dst, raw, d.Values), nil
	}
	if len(r.dialect.Texts) != 1 {
		return nil, r.w.noText("it is several columns")
	}
	row, err := csvtext.Parse(raw, r.dialect.Comma)
	if err != nil || row.Len() != r.dialect.Columns {
		return nil, fmt.Errorf("%w: %.40q is no row of the table", ErrChanged, raw)
	}
	start, end := row.Span(r.dialect.Texts[0])
	quoted := start < end && raw[start] == '"'
	changed := csvtext.AppendQuoted(append([]byte{}, raw[:start]...), d.Text, r.dialect.Comma, quoted || r.dialect.Columns == 1 && len(d.Text) == 0)
	return r.append(dst, append(changed, raw[end:]...), d.Values), nil
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
	if at.End-at.Start > maxRow || err == nil && row.Len() == r.dialect.Columns {
		raw = r.append(nil, raw, make([]any, len(r.w.o.Fields)))
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
