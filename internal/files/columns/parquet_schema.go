package columns

import (
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/lz4"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// A copied is a node of a schema to write with. The schema of a file has the first encoding of each column
// that its footer names, which may be that of dictionaries or of levels. A column is written with a
// dictionary if it has one, and plainly otherwise. The order of fields is that of the file.
type copied struct {
	parquet.Node
	name     string
	value    func(reflect.Value) reflect.Value
	fields   []parquet.Field
	encoding encoding.Encoding
	codec    compress.Codec
	element  *format.SchemaElement // of a column of the file
}

// Type returns the type of the column.
func (n *copied) Type() parquet.Type {
	if n.element != nil {
		return written{n.Node.Type(), n.element}
	}
	return n.Node.Type()
}

// A written is a type with the logical one that the file has, and not the one that the library takes it for, such as
// a signed integer of 64 bits where the file says nothing.
type written struct {
	parquet.Type
	element *format.SchemaElement
}

func (w written) LogicalType() *format.LogicalType {
	if w.element.LogicalType.Value == nil {
		return nil
	}
	return &w.element.LogicalType
}

func (w written) ConvertedType() *deprecated.ConvertedType {
	if !w.element.ConvertedType.Valid {
		return nil
	}
	return &w.element.ConvertedType.V
}

func (n *copied) Name() string                           { return n.name }
func (n *copied) Value(base reflect.Value) reflect.Value { return n.value(base) }
func (n *copied) Fields() []parquet.Field                { return n.fields }
func (n *copied) Encoding() encoding.Encoding            { return n.encoding }
func (n *copied) Compression() compress.Codec            { return n.codec }

// A copying makes the schema to write with.
type copying struct {
	meta     *format.FileMetaData
	elements []format.SchemaElement // of the columns that follow
	to       []int                  // the number that each column of values gets, or -1 if it is left out
	left     int                    // how many get one
}

// node returns the node to write column with, and new columns behind its own, of which those with their names are left
// out. The first of elements describes column, and those that follow its fields.
func (c *copying) node(column *parquet.Column, added []NewColumn) *copied {
	n := &copied{Node: column, name: column.Name(), value: column.Value}
	element := &c.elements[0]
	c.elements = c.elements[1:]
	if column.Leaf() {
		c.to = append(c.to, c.left)
		c.left++
		n.encoding, n.codec, n.element = encodingOf(c.meta, column), codecOf(c.meta, column.Index()), element
		return n
	}
	for _, child := range column.Columns() {
		before, left := len(c.to), c.left
		field := c.node(child, nil)
		if !replaces(added, child.Name()) {
			n.fields = append(n.fields, field)
			continue
		}
		c.left = left
		for i := range c.to[before:] {
			c.to[before+i] = -1
		}
	}
	for _, column := range added {
		name := reflect.ValueOf(column.Name)
		n.fields = append(n.fields, &copied{
			Node:  parquet.Optional(nodes[column.Kind]),
			codec: codecOf(c.meta, 0),
			name:  column.Name,
			value: func(base reflect.Value) reflect.Value { return base.MapIndex(name) },
		})
	}
	return n
}

// A file does not say by which level it was compressed. Arrow takes the lowest by default, which is twice as fast as
// the default of package zstd for texts, and more than that for LZ4.
func init() { parquet.Zstd.Level, parquet.Lz4Raw.Level = zstd.SpeedFastest, lz4.Fastest }

// codecOf returns the compression to write a column with: that which it has in the first group. LZ4_RAW takes the
// place of LZ4, which it has replaced, and which many programs do not read.
func codecOf(m *format.FileMetaData, column int) compress.Codec {
	for _, g := range m.RowGroups {
		if column < len(g.Columns) {
			if codec := g.Columns[column].MetaData.Codec; codec != format.Lz4 {
				return parquet.LookupCompressionCodec(codec)
			}
			return &parquet.Lz4Raw
		}
	}
	return &parquet.Uncompressed
}

// nodes are those of new columns, by their kinds.
var nodes = [...]parquet.Node{
	String: parquet.String(), Int: parquet.Int(64),
	Float: parquet.Leaf(parquet.DoubleType), Bool: parquet.Leaf(parquet.BooleanType),
}

// encodingOf returns the encoding to write a column with.
func encodingOf(m *format.FileMetaData, column *parquet.Column) encoding.Encoding {
	if column.Type().Kind() == parquet.Boolean {
		return &parquet.Plain
	}
	for _, g := range m.RowGroups {
		used := g.Columns[column.Index()].MetaData.Encoding
		if slices.Contains(used, format.RLEDictionary) || slices.Contains(used, format.PlainDictionary) { //nolint:staticcheck // old files have it
			return &parquet.RLEDictionary
		}
	}
	return &parquet.Plain
}
