package columns

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Next is that of Table.
func (f *Parquet) Next() error {
	groups := f.p.RowGroups()
	for f.group < len(groups) && f.row == groups[f.group].NumRows() {
		if err := f.release(); err != nil {
			return err
		}
		f.first += f.row
		f.group, f.row = f.group+1, 0
	}
	if f.group == len(groups) {
		return io.EOF
	}
	if f.open == nil {
		if err := f.openGroup(groups[f.group], false); err != nil {
			return err
		}
	}
	if len(f.coming) == 0 && len(f.columns) > 0 {
		if err := guard(fmt.Sprintf("row %d", f.first+f.row+1), f.read); err != nil {
			return err
		}
	}
	if err := f.divide(); err != nil {
		return err
	}
	f.row++
	return nil
}

// rowsAtOnce is the number of rows that are read at once.
const rowsAtOnce = 64

// read reads the next rows.
func (f *Parquet) read() error {
	most := min(rowsAtOnce, f.p.RowGroups()[f.group].NumRows()-f.row)
	if f.single {
		most = 1
	}
	n, err := f.open.ReadRows(f.batch[:most])
	if f.coming = f.batch[:n]; n > 0 {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the columns end before row %d", ErrDamaged, f.first+f.row+1)
	}
	return err
}

// divide takes the next row, and finds the values of each column in it.
func (f *Parquet) divide() error {
	if len(f.columns) == 0 {
		return nil
	}
	row := f.coming[0]
	f.last, f.coming = row, f.coming[1:]
	for i := range f.columns {
		n := 0
		for n < len(row) && row[n].Column() == f.columns[i].index && (n == 0 || row[n].RepetitionLevel() > 0) {
			n++
		}
		if n == 0 {
			return fmt.Errorf("%w: column %q ends before row %d", ErrDamaged, f.columns[i].Name, f.first+f.row+1)
		}
		f.values[i], row = row[:n], row[n:]
	}
	return nil
}

// Append is that of Table.
func (f *Parquet) Append(dst []byte, n int) (value []byte, ok bool, err error) {
	c, begin := &f.columns[n], len(dst)
	if !c.list {
		if v := f.values[n][0]; !v.IsNull() {
			return c.format(dst, v), true, nil
		}
		return dst, false, nil
	}
	for _, v := range f.values[n] {
		switch {
		case !v.IsNull():
			dst = append(append(dst, v.ByteArray()...), '\n')
		case v.DefinitionLevel() < c.defined:
			return dst[:begin], false, nil
		}
	}
	return dst[:max(begin, len(dst)-1)], true, nil
}

// Row is that of Table.
func (f *Parquet) Row() int64 { return f.first + f.row - 1 }

// SeekRow is that of Table. It reads no other rows if the file says where its pages begin.
func (f *Parquet) SeekRow(n int64) (ok bool, err error) {
	if n < 0 || n >= f.Rows() {
		return false, nil
	}
	return true, f.seek(n)
}

func (f *Parquet) seek(n int64) error {
	groups := f.p.RowGroups()
	first, group := int64(0), 0
	for n-first >= groups[group].NumRows() {
		first += groups[group].NumRows()
		group++
	}
	if group != f.group || f.open == nil {
		if err := f.release(); err != nil {
			return err
		}
		f.group, f.first = group, first
		if err := f.openGroup(groups[group], true); err != nil {
			return err
		}
	}
	if f.row == n-first {
		return nil
	}
	f.row = n - first
	f.coming = nil
	return guard(fmt.Sprintf("row %d", n+1), func() error { return f.open.SeekToRow(f.row) })
}

// openGroup opens the chunks of the columns in a row group, at its first row. If single is set, only some rows will be
// read.
func (f *Parquet) openGroup(g parquet.RowGroup, single bool) error {
	f.row, f.single, f.coming = 0, single, nil
	return guard(fmt.Sprintf("row group %d", f.group), func() error {
		var chunks []parquet.ColumnChunk
		for _, column := range f.columns {
			from := g.ColumnChunks()[column.index]
			pages, err := f.pagesOf(f.group, column, from, single)
			if err != nil {
				return err
			}
			chunks = append(chunks, pagedChunk{from, pages})
		}
		f.open = parquet.NewColumnChunkRowReader(chunks)
		return nil
	})
}

// release gives back what has been read. Next goes on at the next row.
func (f *Parquet) release() error {
	if f.open == nil {
		return nil
	}
	err := guard("closing it", f.open.Close)
	f.open = nil
	return err
}

// A pagedChunk is a column chunk with the pages that Parquet reads.
type pagedChunk struct {
	parquet.ColumnChunk
	pages parquet.Pages
}

// Pages returns the pages.
func (c pagedChunk) Pages() parquet.Pages { return c.pages }
