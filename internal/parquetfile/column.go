package parquetfile

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ErrNoColumn is returned for a name that no column has.
var ErrNoColumn = errors.New("no such column")

// A Column is a column of values that a row has one of, or none.
type Column struct {
	Name     string
	index    int // among the columns with values
	kind     parquet.Kind
	text     bool // bytes are text
	unsigned bool
	uuid     bool
	format   func(dst []byte, v parquet.Value) []byte // of OrderedColumn, or nil
}

// Column returns the column called name. Dots reach into groups, but a column with dots in its own name
// comes first. The error wraps ErrNoColumn if there is none. It is another error if a row may have several
// values of the column, or if these are no strings and no integers.
func (f *File) Column(name string) (c Column, err error) {
	return guarded(func() (Column, error) { return f.column(name) })
}

// guarded guards what looks at the schema.
func guarded(find func() (Column, error)) (c Column, err error) {
	var refused error // for a reason that is no damage
	err = guard("its schema", func() error {
		c, refused = find()
		return nil
	})
	if err == nil {
		err = refused
	}
	return c, err
}

// leaf returns the column of values called name.
func (f *File) leaf(name string) (*parquet.Column, error) {
	found := f.p.Root().Column(name)
	if found == nil {
		found = f.p.Root()
		for part := range strings.SplitSeq(name, ".") {
			if found = found.Column(part); found == nil {
				return nil, fmt.Errorf("%w: %q", ErrNoColumn, name)
			}
		}
	}
	switch {
	case found.MaxRepetitionLevel() > 0, !found.Leaf() && len(found.Columns()) == 1 && found.Columns()[0].Repeated():
		return nil, &TypeError{name, "a list"}
	case !found.Leaf():
		return nil, &TypeError{name, "a group of columns"}
	}
	return found, nil
}

// logicalOf returns the logical type of a column, or nil.
func logicalOf(column *parquet.Column) format.LogicalTypeValue {
	if t := column.Type().LogicalType(); t != nil {
		return t.Value
	}
	return nil
}

func (f *File) column(name string) (Column, error) {
	found, err := f.leaf(name)
	if err != nil {
		return Column{}, err
	}
	logical := logicalOf(found)
	c := Column{Name: name, index: found.Index(), kind: found.Type().Kind()}
	switch logical.(type) {
	case *format.DecimalType, *format.DateType, *format.TimeType, *format.TimestampType:
		return Column{}, &TypeError{name, "of type " + found.Type().String()}
	}
	switch c.kind {
	case parquet.ByteArray:
		c.text = true
	case parquet.Int32, parquet.Int64:
		number, ok := logical.(*format.IntType)
		c.unsigned = ok && !number.IsSigned
	case parquet.FixedLenByteArray:
		if _, c.uuid = logical.(*format.UUIDType); !c.uuid {
			return Column{}, &TypeError{name, "bytes of fixed length"}
		}
	default:
		return Column{}, &TypeError{name, "of type " + c.kind.String()}
	}
	return c, nil
}

// A TypeError is returned for a column whose values are no strings and no integers.
type TypeError struct {
	Name string
	Is   string // what the column is, such as "a list"
}

// Error names the column and its type.
func (e *TypeError) Error() string {
	return fmt.Sprintf("column %q is %s, want strings or integers", e.Name, e.Is)
}

// IsText reports whether values of the column are strings.
func (c Column) IsText() bool { return c.text }

// Append appends a value of the column that is not null to dst: a string as it is, a number in decimal, a
// UUID in its usual form.
func (c Column) Append(dst []byte, v parquet.Value) []byte {
	switch {
	case c.format != nil:
		return c.format(dst, v)
	case c.text:
		return append(dst, v.ByteArray()...)
	case c.uuid:
		return appendUUID(dst, v.ByteArray())
	case c.kind == parquet.Int32 && c.unsigned:
		return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
	case c.kind == parquet.Int32:
		return strconv.AppendInt(dst, int64(v.Int32()), 10)
	case c.unsigned:
		return strconv.AppendUint(dst, v.Uint64(), 10)
	}
	return strconv.AppendInt(dst, v.Int64(), 10)
}

func appendUUID(dst, id []byte) []byte {
	start := 0
	for _, end := range []int{4, 6, 8, 10, 16} {
		if start > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, id[start:end])
		start = end
	}
	return dst
}
