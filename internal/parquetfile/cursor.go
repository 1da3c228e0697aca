package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A Cursor reads some columns of a file, row by row. Of each column it holds one page, and the dictionary
// of one row group.
type Cursor struct {
	f       *File
	columns []Column
	group   int   // the current row group
	row     int64 // the next row in it
	first   int64 // the row of the file that the group begins with
	open    []chunk
	values  []parquet.Value
}

// NewCursor returns a Cursor at the first row. The columns are those of f. The caller must close it.
func (f *File) NewCursor(columns []Column) *Cursor {
	return &Cursor{f: f, columns: columns, values: make([]parquet.Value, len(columns))}
}

// Next returns the values of the next row, one for each column, which are valid until the next call. At the
// end the error is io.EOF. Any other error says that nothing more can be read.
func (c *Cursor) Next() ([]parquet.Value, error) {
	groups := c.f.p.RowGroups()
	for c.group < len(groups) && c.row == groups[c.group].NumRows() {
		if err := c.Close(); err != nil {
			return nil, err
		}
		c.first += c.row
		c.group, c.row = c.group+1, 0
	}
	if c.group == len(groups) {
		return nil, io.EOF
	}
	if c.open == nil {
		if err := c.openGroup(groups[c.group], false); err != nil {
			return nil, err
		}
	}
	for i := range c.open {
		err := error(nil)
		if c.columns[i].list {
			c.values[i], err = c.joined(i, c.row+1 == groups[c.group].NumRows())
		} else {
			c.values[i], err = c.value(i)
		}
		if err != nil {
			return nil, err
		}
	}
	c.row++
	return c.values, nil
}

// value returns the next value of column i.
func (c *Cursor) value(i int) (v parquet.Value, err error) {
	if len(c.open[i].values) == 0 {
		if err := c.read(i); err != nil {
			return v, err
		}
	}
	v, c.open[i].values = c.open[i].values[0], c.open[i].values[1:]
	return v, nil
}

// joined returns the strings of the next row of column i, a line each, or null if the list is. The row may be the last one of the group.
func (c *Cursor) joined(i int, last bool) (parquet.Value, error) {
	from := &c.open[i]
	from.joined = from.joined[:0]
	null := false
	for n := 0; ; n++ {
		if n > 0 && len(from.values) == 0 {
			if err := c.read(i); last && errors.Is(err, errEnds) {
				break
			} else if err != nil {
				return parquet.Value{}, err
			}
		}
		if n > 0 && from.values[0].RepetitionLevel() == 0 {
			break
		}
		v, err := c.value(i)
		if err != nil {
			return v, err
		}
		if v.IsNull() && v.DefinitionLevel() < c.columns[i].defined {
			null = true
		}
		if !v.IsNull() {
			from.joined = append(append(from.joined, v.ByteArray()...), '\n')
		}
	}
	if null {
		return parquet.Value{}, nil
	}
	return parquet.ByteArrayValue(bytes.TrimSuffix(from.joined, []byte("\n"))), nil
}

// errEnds is returned for a column that has no more values.
var errEnds = errors.New("the column ends")

// read reads the next values of column i.
func (c *Cursor) read(i int) error {
	from := &c.open[i]
	return guard(fmt.Sprintf("row %d, column %q", c.first+c.row+1, c.columns[i].Name), func() error {
		n, err := from.ReadValues(from.buf)
		if from.values = from.buf[:n]; n > 0 {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: %w before row %d", ErrDamaged, errEnds, c.first+c.row+1)
		}
		return err
	})
}

// Row returns the number of the next row, from 0.
func (c *Cursor) Row() int64 { return c.first + c.row }

// SeekRow moves to row n, 0 ≤ n < Rows(). It reads no other rows if the file says where its pages begin.
func (c *Cursor) SeekRow(n int64) error {
	groups := c.f.p.RowGroups()
	first, group := int64(0), 0
	for group < len(groups) && n-first >= groups[group].NumRows() {
		first += groups[group].NumRows()
		group++
	}
	if n < 0 || group == len(groups) {
		return fmt.Errorf("row %d of %d", n, c.f.Rows())
	}
	if group != c.group || c.open == nil {
		if err := c.Close(); err != nil {
			return err
		}
		c.group, c.first = group, first
		if err := c.openGroup(groups[group], true); err != nil {
			return err
		}
	}
	if c.row == n-first {
		return nil
	}
	c.row = n - first
	return guard(fmt.Sprintf("row %d", n+1), func() error {
		for i := range c.open {
			c.open[i].values = nil
			if err := c.open[i].SeekToRow(c.row); err != nil {
				return err
			}
		}
		return nil
	})
}

// openGroup opens the chunks of the columns in a row group, at its first row. If single is set, only some rows will be
// read.
func (c *Cursor) openGroup(g parquet.RowGroup, single bool) error {
	c.row = 0
	return guard(fmt.Sprintf("row group %d", c.group), func() error {
		for _, column := range c.columns {
			from := g.ColumnChunks()[column.index]
			pages, err := c.f.pagesOf(c.group, column, from, single)
			if err != nil {
				return err
			}
			reader := parquet.NewColumnChunkValueReader(pagedChunk{from, pages})
			c.open = append(c.open, chunk{ColumnChunkValueReader: reader, buf: make([]parquet.Value, valuesAtOnce)})
		}
		return nil
	})
}

// Close releases what has been read. The Cursor goes on at the next row.
func (c *Cursor) Close() error {
	err := guard("closing it", func() (err error) {
		for i := range c.open {
			err = errors.Join(err, c.open[i].Close())
		}
		return err
	})
	c.open = nil
	return err
}

// valuesAtOnce is the number of values that are read at once.
const valuesAtOnce = 256

// A chunk is the part of a column that is in one row group.
type chunk struct {
	parquet.ColumnChunkValueReader
	buf, values []parquet.Value // values are those of buf that come next
	joined      []byte          // of a list
}

// A pagedChunk is a column chunk with the pages that File reads.
type pagedChunk struct {
	parquet.ColumnChunk
	pages parquet.Pages
}

// Pages returns the pages.
func (c pagedChunk) Pages() parquet.Pages { return c.pages }
