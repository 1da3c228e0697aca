package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"sort"

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
		if err := c.read(i); err != nil {
			return nil, err
		}
	}
	c.row++
	return c.values, nil
}

// read reads the next value of column i.
func (c *Cursor) read(i int) error {
	from := &c.open[i]
	if from.next < len(from.values) { // without the cost of a guard
		c.values[i] = from.values[from.next]
		from.next++
		return nil
	}
	err := guard(fmt.Sprintf("row %d, column %q", c.first+c.row+1, c.columns[i].Name), func() (err error) {
		c.values[i], err = from.read()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: the column ends before row %d", ErrDamaged, c.first+c.row+1)
		}
		return err
	})
	return err
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
			if err := c.open[i].seek(c.row); err != nil {
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
			chunks := g.ColumnChunks()
			from := chunks[column.index].(*parquet.FileColumnChunk) // as in every file
			opened := chunk{f: c.f, group: c.group, column: column, from: from, pages: from.Pages()}
			if err := opened.check(single); err != nil {
				return errors.Join(err, opened.pages.Close())
			}
			c.open = append(c.open, opened)
		}
		return nil
	})
}

// Close releases what has been read. The Cursor goes on at the next row.
func (c *Cursor) Close() error {
	err := guard("closing it", func() (err error) {
		for i := range c.open {
			err = errors.Join(err, c.open[i].close())
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
	f      *File
	group  int
	column Column
	from   *parquet.FileColumnChunk
	pages  parquet.Pages
	// index is that of the pages, if they are checked when they are read. turned is the next one.
	index  parquet.OffsetIndex
	turned int
	page   parquet.Page // nil before the first one
	reader parquet.ValueReader
	values []parquet.Value // read, of page
	next   int             // in values
	buf    []parquet.Value
}

// check checks the pages, or prepares to check each when it is read.
func (c *chunk) check(single bool) (err error) {
	if !single || !c.f.isIndexed(c.group, c.column) {
		return c.f.checkPages(c.group, c.column)
	}
	// The file was opened without its indexes.
	if c.index, err = c.from.OffsetIndex(); err != nil {
		return err
	}
	start, end, err := c.f.placeOf(c.group, c.column)
	if err == nil && c.index.NumPages() > 0 && start != c.index.Offset(0) {
		_, err = c.f.checkPage(c.group, c.column, start, end) // the dictionary
	}
	return err
}

// read returns the next value, which is valid until the next one.
func (c *chunk) read() (parquet.Value, error) {
	for c.next == len(c.values) {
		if c.reader == nil {
			if err := c.turn(); err != nil {
				return parquet.Value{}, err
			}
		}
		if c.buf == nil {
			c.buf = make([]parquet.Value, valuesAtOnce)
		}
		n, err := c.reader.ReadValues(c.buf)
		c.values, c.next = c.buf[:n], 0
		switch {
		case errors.Is(err, io.EOF):
			c.reader = nil // and the page has n more values
		case err != nil:
			return parquet.Value{}, err
		case n == 0:
			return parquet.Value{}, io.ErrNoProgress
		}
	}
	v := c.values[c.next]
	c.next++
	return v, nil
}

// turn reads the next page.
func (c *chunk) turn() error {
	c.release()
	if c.index != nil && c.turned < c.index.NumPages() {
		_, end, err := c.f.placeOf(c.group, c.column)
		if err == nil {
			_, err = c.f.checkPage(c.group, c.column, c.index.Offset(c.turned), end)
		}
		if err != nil {
			return err
		}
		c.turned++
	}
	page, err := c.pages.ReadPage()
	if err != nil {
		return err
	}
	c.page, c.reader = page, page.Values()
	return nil
}

func (c *chunk) release() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	c.page, c.reader, c.values, c.next = nil, nil, nil, 0
}

// seek moves to a row of the group.
func (c *chunk) seek(row int64) error {
	c.release()
	if c.index != nil {
		c.turned = max(0, sort.Search(c.index.NumPages(), func(i int) bool { return c.index.FirstRowIndex(i) > row })-1)
	}
	return c.pages.SeekToRow(row)
}

func (c *chunk) close() error {
	c.release()
	return c.pages.Close()
}
