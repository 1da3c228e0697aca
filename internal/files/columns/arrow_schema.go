package columns

import (
	"cmp"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The types of Arrow, by their numbers in Schema.fbs.
const (
	typeNull, typeInt, typeFloat, typeBinary, typeUtf8, typeBool, typeDecimal = 1, 2, 3, 4, 5, 6, 7
	typeDate, typeTime, typeTimestamp, typeInterval, typeList, typeStruct     = 8, 9, 10, 11, 12, 13
	typeUnion, typeFixedBinary, typeFixedList, typeMap, typeDuration          = 14, 15, 16, 17, 18
	typeLargeBinary, typeLargeUtf8, typeLargeList, typeRunEnd                 = 19, 20, 21, 22
	typeBinaryView, typeUtf8View, typeListView, typeLargeListView             = 23, 24, 25, 26
)

// A layout says how the values of a type lie in buffers.
type layout struct {
	bits     []int64 // of a value in each buffer, without those that views point to; 0 stands for any number
	validity bool    // the first buffer says which values are not null
	offsets  int     // in bytes of the offsets in the second one, or 0
	views    bool    // 16 bytes for each value, which may point to more buffers
	each     int64   // values inside of each value, of lists that are all equally long
	struc    bool    // each value has one of each column inside
	dense    bool    // of a union: offsets lead to the values
}

// A field is a column of a schema.
type field struct {
	name       string
	kind       byte // its type
	layout     layout
	signed     bool // of integers
	unit       int16
	inside     []*field
	dictionary bool  // values are numbers in the dictionary id
	id         int64 // of that
}

// A schema is the columns of a stream.
type schema struct {
	raw    []byte // the message that has it
	fields []*field
	plain  [][]byte // memory for the buffers of a batch that are compressed
}

// maxDepth is how deeply columns may be nested.
const maxDepth = 64

// readSchema reads the columns that a message describes.
func readSchema(m message) (*schema, error) {
	s := &schema{raw: append([]byte{}, m.meta...)}
	err := guard("its schema", func() error {
		if m.kind != isSchema {
			return errors.New("it does not begin with a schema")
		}
		if m.head.GetInt16Slot(slot(schemaEndianness), 0) != 0 {
			return fmt.Errorf("its numbers are big-endian, %w", errUnread)
		}
		left := maxArrowFields
		var err error
		s.fields, err = fieldsIn(m.head, schemaFields, maxDepth, &left)
		return err
	})
	return s, err
}

// fieldsIn returns the columns in a field of a table, of at most so many.
func fieldsIn(t flat, at, depth int, left *int) (fields []*field, err error) {
	for _, of := range t.tables(at) {
		if *left--; *left < 0 || depth == 0 {
			return nil, errors.New("too many columns")
		}
		f := &field{kind: of.GetByteSlot(slot(fieldTypeOf), 0)}
		if of.place(fieldName) > 0 {
			f.name = of.text(fieldName)
		}
		as := of.at(fieldType)
		if of.place(fieldDictionary) > 0 {
			dictionary := of.at(fieldDictionary)
			f.dictionary, f.id = true, dictionary.GetInt64Slot(slot(0), 0)
			width := int32(32)
			if dictionary.place(1) > 0 {
				index := dictionary.at(1)
				width = index.GetInt32Slot(slot(0), 0)
			}
			if f.layout, err = fixed(int64(width)); err != nil {
				return nil, err
			}
			fields = append(fields, f)
			continue
		}
		if f.inside, err = fieldsIn(of, fieldChildren, depth-1, left); err == nil {
			err = f.describe(as)
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.name, err)
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// fixed returns the layout of values of so many bits.
func fixed(bits int64) (layout, error) {
	if bits%8 != 0 || bits <= 0 || bits > 1<<34 {
		return layout{}, fmt.Errorf("values of %d bits", bits)
	}
	return layout{bits: []int64{1, bits}, validity: true}, nil
}

// describe sets the layout of a column by the table of its type.
func (f *field) describe(as flat) (err error) {
	bits, inside := int64(64), 0
	switch f.kind {
	case typeNull:
		f.layout, bits = layout{}, 0
	case typeInt:
		bits, f.signed = int64(as.GetInt32Slot(slot(0), 0)), as.GetBoolSlot(slot(1), false)
		if bits > 64 {
			return fmt.Errorf("integers of %d bits", bits)
		}
	case typeFloat:
		bits = 16 << as.GetInt16Slot(slot(0), 0)
	case typeBool:
		f.layout, bits = layout{bits: []int64{1, 1}, validity: true}, 0
	case typeDecimal:
		bits = int64(as.GetInt32Slot(slot(2), 128))
	case typeDate:
		if f.unit = as.GetInt16Slot(slot(0), 1); f.unit == 0 {
			bits = 32
		}
	case typeTime:
		bits = int64(as.GetInt32Slot(slot(1), 32))
	case typeTimestamp:
		f.unit = as.GetInt16Slot(slot(0), 0)
	case typeInterval:
		bits = 32 << as.GetInt16Slot(slot(0), 0)
	case typeDuration:
	case typeFixedBinary:
		bits = 8 * int64(as.GetInt32Slot(slot(0), 0))
	case typeBinary, typeUtf8:
		f.layout, bits = layout{bits: []int64{1, 32, 0}, validity: true, offsets: 4}, 0
	case typeLargeBinary, typeLargeUtf8:
		f.layout, bits = layout{bits: []int64{1, 64, 0}, validity: true, offsets: 8}, 0
	case typeBinaryView, typeUtf8View:
		f.layout, bits = layout{bits: []int64{1, 128}, validity: true, views: true}, 0
	case typeList, typeMap:
		f.layout, bits, inside = layout{bits: []int64{1, 32}, validity: true, offsets: 4}, 0, 1
	case typeLargeList:
		f.layout, bits, inside = layout{bits: []int64{1, 64}, validity: true, offsets: 8}, 0, 1
	case typeFixedList:
		each := int64(as.GetInt32Slot(slot(0), 0))
		if f.layout, bits, inside = (layout{bits: []int64{1}, validity: true, each: each}), 0, 1; each < 0 {
			return fmt.Errorf("lists of %d values", each)
		}
	case typeStruct:
		f.layout, bits, inside = layout{bits: []int64{1}, validity: true, struc: true}, 0, len(f.inside)
	case typeUnion:
		inside, bits = len(f.inside), 0
		if f.layout = (layout{bits: []int64{8}, struc: true}); as.GetInt16Slot(slot(0), 0) != 0 {
			f.layout = layout{bits: []int64{8, 32}, dense: true}
		}
	default:
		what := map[byte]string{typeRunEnd: "coded by run ends", typeListView: "a view of lists", typeLargeListView: "a view of lists"}[f.kind]
		what = cmp.Or(what, fmt.Sprintf("of type %d of Arrow", f.kind))
		return fmt.Errorf("it is %s, %w: write it as a plain one, or leave it out", what, errUnread)
	}
	if len(f.inside) != inside {
		return fmt.Errorf("%d columns inside of it, want %d", len(f.inside), inside)
	}
	if bits != 0 {
		f.layout, err = fixed(bits)
	}
	return err
}

// tables returns the tables of a vector in a field, or none.
func (t flat) tables(field int) (all []flat) {
	at, n := t.vector(field)
	if 4*n > len(t.Bytes) || n > maxArrowFields {
		panic("too many tables")
	}
	for i := range n {
		all = append(all, flat{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + 4*flatbuffers.UOffsetT(i))}})
	}
	return all
}

// vector returns where the elements of a vector in a field begin, and how many there are; 0 if it is missing.
func (t flat) vector(field int) (at flatbuffers.UOffsetT, n int) {
	if o := t.Offset(slot(field)); o > 0 {
		return t.Vector(flatbuffers.UOffsetT(o)), t.VectorLen(flatbuffers.UOffsetT(o))
	}
	return 0, 0
}

// text returns the string in a field, which must be there.
func (t flat) text(field int) string {
	at := t.at(field).Pos
	return string(t.Bytes[at+4:][:t.GetUint32(at)])
}

// rootOf returns the root of a FlatBuffer.
func rootOf(data []byte) flat {
	return flat{flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}}
}
