package columns

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// maxDictionary is the size in bytes at which a dictionary is no longer worth its while, as for other writers: a
// column of texts that are all different has a large one, and no use of it. The library compares its size when it
// writes a page, which with numbers of a dictionary may have any size of texts.
const maxDictionary = 1 << 20

// arrowSchema is the key of the metadata in which Arrow describes all columns in a form of its own: what Parquet has
// no type for, such as large strings, dictionaries and zones of time.
const arrowSchema = "ARROW:schema"

// A parquetWriter writes rows of a file to another file, with the same columns, compression and metadata. It holds a
// row group in memory, compressed.
type parquetWriter struct {
	f     *Parquet
	w     *parquet.GenericWriter[any]
	added []NewColumn
	first int   // the number of the first new column
	to    []int // the number of each old column, or -1 if a new one takes its place

	coded []bool // columns of strings that may have a dictionary
	sizes []int  // in bytes, of the values of each column in this row group
	group int    // of the last row
	row   parquet.Row
	wide  parquet.Row
}

// NewWriter returns a Writer that copies rows of f to w. It begins with the first row. Names of new columns must
// differ from each other. An outermost column with such a name is left out.
func (f *Parquet) NewWriter(w io.Writer, added []NewColumn) (Writer, error) {
	c := &parquetWriter{f: f, added: added}
	err := guard("its schema", func() error {
		root := f.p.Root()
		m := &f.meta
		copying := copying{meta: m, elements: m.Schema}
		schema := copying.node(root, added)
		c.to, c.first = copying.to, copying.left
		options := []parquet.WriterOption{
			parquet.NewSchema(root.Name(), schema),
			parquet.DataPageVersion(pageVersion(m)),
			parquet.DictionaryMaxBytes(maxDictionary),
		}
		for _, kv := range m.KeyValueMetadata {
			if kv.Key == arrowSchema && len(added) > 0 {
				changed, err := describedWith(kv.Value, added)
				if err != nil {
					continue // Arrow does without a description, too, and would refuse this one
				}
				kv.Value = changed
			}
			options = append(options, parquet.KeyValueMetadata(kv.Key, kv.Value))
		}
		c.w = parquet.NewGenericWriter[any](w, options...)
		f.columns = nil
		for i, path := range f.p.Schema().Columns() {
			leaf, _ := f.p.Schema().Lookup(path...)
			column := Column{Name: strings.Join(path, ".")}
			f.columns = append(f.columns, parquetColumn{Column: column, index: i, list: leaf.Node != nil && leaf.MaxRepetitionLevel > 0})
		}
		f.values = make([][]parquet.Value, len(f.columns))
		for _, path := range c.w.Schema().Columns() {
			leaf, _ := c.w.Schema().Lookup(path...)
			c.coded = append(c.coded, leaf.Node.Encoding() == &parquet.RLEDictionary && leaf.Node.Type().Kind() == parquet.ByteArray)
		}
		c.sizes = make([]int, len(c.coded))
		return nil
	})
	return c, err
}

// pageVersion returns the version of the data pages, as far as the footer tells: 1 or 2.
func pageVersion(m *format.FileMetaData) int {
	for _, g := range m.RowGroups {
		for i := range g.Columns {
			for _, stats := range g.Columns[i].MetaData.EncodingStats {
				if stats.PageType == format.DataPageV2 {
					return 2
				}
			}
		}
	}
	return 1
}

// Keep is that of Writer.
func (c *parquetWriter) Keep(edit Edit) error {
	index := -1
	if edit.Column != "" {
		column, err := c.f.found(edit.Column)
		if err != nil {
			return err
		}
		index = column.index
	}
	if err := c.Drop(); err != nil {
		return err
	}
	row := c.row[:0]
	for _, values := range c.f.values {
		row = append(row, values...)
	}
	c.row = row
	return guard("writing a row", func() error {
		if edit.Column != "" {
			if err := replace(row, index, edit.Text); err != nil {
				return err
			}
		}
		if len(c.added) > 0 {
			row = c.widened(row, edit.Values)
		}
		if _, err := c.w.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
		return c.boundDictionaries(row)
	})
}

// boundDictionaries ends the pages whose dictionary may have become too large with a row.
func (c *parquetWriter) boundDictionaries(row parquet.Row) error {
	for _, v := range row {
		size := &c.sizes[v.Column()]
		if !c.coded[v.Column()] || v.IsNull() || *size > maxDictionary {
			continue
		}
		if *size += len(v.ByteArray()); *size > maxDictionary {
			if err := c.w.ColumnWriters()[v.Column()].Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// widened returns a row with the values of the new columns, which is valid until the next one.
func (c *parquetWriter) widened(row parquet.Row, values []any) parquet.Row {
	c.wide = c.wide[:0]
	for _, v := range row {
		if to := c.to[v.Column()]; to >= 0 {
			c.wide = append(c.wide, v.Level(v.RepetitionLevel(), v.DefinitionLevel(), to))
		}
	}
	for i, v := range values {
		defined := 1
		if v == nil {
			defined = 0
		}
		c.wide = append(c.wide, parquet.ValueOf(v).Level(0, defined, c.first+i))
	}
	return c.wide
}

// Drop is that of Writer. A row group of the output ends where one of the input does.
func (c *parquetWriter) Drop() error {
	err := c.f.Next()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: there are no more rows", ErrDamaged)
	}
	if err == nil && c.f.group != c.group {
		c.group = c.f.group
		clear(c.sizes)
		err = guard("writing rows", c.w.Flush)
	}
	return err
}

// replace sets the value of a column of a row.
func replace(row parquet.Row, column int, text []byte) error {
	for i, v := range row {
		if v.Column() == column {
			if v.IsNull() {
				return errors.New("a row without a text, which cannot be replaced")
			}
			row[i] = parquet.ByteArrayValue(append([]byte{}, text...)).Level(v.RepetitionLevel(), v.DefinitionLevel(), column)
			return nil
		}
	}
	return fmt.Errorf("%w: a row without the column that it is to replace", ErrDamaged)
}

// Close is that of Writer.
func (c *parquetWriter) Close() error {
	return errors.Join(c.f.release(), guard("writing it", c.w.Close))
}
