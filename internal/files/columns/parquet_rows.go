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
	last := f.row+1 == groups[f.group].NumRows()
	for i := range f.columns {
		if err := f.take(i, last); err != nil {
			return err
		}
	}
	f.row++
	return nil
}

// take takes the values that column i has in the next row, which may be the last one of the group. Those of a list
// may be of several pages.
func (f *Parquet) take(i int, last bool) error {
	from, values := &f.open[i], f.values[i][:0]
	for {
		if len(from.values) == 0 {
			if err := f.read(i); err != nil && (len(values) == 0 || !last || !errors.Is(err, errEnds)) {
				return err
			}
		}
		if len(values) > 0 && (len(from.values) == 0 || from.values[0].RepetitionLevel() == 0) {
			break
		}
		v := from.values[0]
		if from.values = from.values[1:]; !f.columns[i].list {
			values = append(values, v)
			break
		}
		values = append(values, v.Clone())
	}
	f.values[i] = values
	return nil
}

// errEnds is returned for a column that has no more values.
var errEnds = errors.New("the column ends")

// read reads the next values of column i.
func (f *Parquet) read(i int) error {
	from := &f.open[i]
	return guard(fmt.Sprintf("row %d, column %q", f.first+f.row+1, f.columns[i].Name), func() error {
		n, err := from.ReadValues(from.buf)
		if from.values = from.buf[:n]; n > 0 {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: %w before row %d", ErrDamaged, errEnds, f.first+f.row+1)
		}
		return err
	})
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
	groups := f.p.RowGroups()
	first, group := int64(0), 0
	for n-first >= groups[group].NumRows() {
		first += groups[group].NumRows()
		group++
	}
	if group != f.group || f.open == nil {
		if err := f.release(); err != nil {
			return true, err
		}
		f.group, f.first = group, first
		if err := f.openGroup(groups[group], true); err != nil {
			return true, err
		}
	}
	if f.row == n-first {
		return true, nil
	}
	f.row = n - first
	return true, guard(fmt.Sprintf("row %d", n+1), func() error {
		for i := range f.open {
			f.open[i].values = nil
			if err := f.open[i].SeekToRow(f.row); err != nil {
				return err
			}
		}
		return nil
	})
}

// openGroup opens the chunks of the columns in a row group, at its first row. If single is set, only some rows will be
// read.
func (f *Parquet) openGroup(g parquet.RowGroup, single bool) error {
	f.row = 0
	return guard(fmt.Sprintf("row group %d", f.group), func() error {
		for _, column := range f.columns {
			from := g.ColumnChunks()[column.index]
			pages, err := f.pagesOf(f.group, column, from, single)
			if err != nil {
				return err
			}
			reader := parquet.NewColumnChunkValueReader(pagedChunk{from, pages})
			f.open = append(f.open, chunk{ColumnChunkValueReader: reader, buf: make([]parquet.Value, valuesAtOnce)})
		}
		return nil
	})
}

// release gives back what has been read. Next goes on at the next row.
func (f *Parquet) release() error {
	err := guard("closing it", func() (err error) {
		for i := range f.open {
			err = errors.Join(err, f.open[i].Close())
		}
		return err
	})
	f.open = nil
	return err
}

// valuesAtOnce is the number of values that are read at once.
const valuesAtOnce = 256

// A chunk is the part of a column that is in one row group.
type chunk struct {
	parquet.ColumnChunkValueReader
	buf, values []parquet.Value // values are those of buf that come next
}

// A pagedChunk is a column chunk with the pages that Parquet reads.
type pagedChunk struct {
	parquet.ColumnChunk
	pages parquet.Pages
}

// Pages returns the pages.
func (c pagedChunk) Pages() parquet.Pages { return c.pages }
