package parquetfile

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// arrowSchema is the key of the metadata in which Arrow describes all columns in a form of its own: what Parquet has no type
// for, such as large strings, dictionaries and zones of time. The value is a message of Arrow's IPC format in base64, which is a
// FlatBuffer of the tables Message and Schema (format/Message.fbs and Schema.fbs of Arrow).
const arrowSchema = "ARROW:schema"

// The numbers of fields in the tables of Arrow, and of its types.
const (
	messageHeader = 2

	schemaFields = 1

	fieldName = 0

	arrowInt, arrowFloat, arrowUTF8, arrowBool = 2, 3, 5, 6
)

// maxArrowFields is the number of columns in the longest description that is changed.
const maxArrowFields = 1 << 20

// withColumns returns a value of arrowSchema with new columns behind the others, of which those with their names are left out.
// The rest stays as it is, byte for byte: what is new stands before it, since a FlatBuffer points ahead alone.
func withColumns(value string, added []NewColumn) (changed string, err error) {
	err = guard("its ARROW:schema", func() error {
		message, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(message) == continuation {
			message = message[4:]
		}
		old := flat(message[4:][:binary.LittleEndian.Uint32(message)])
		table := old.at(0)
		schema := old.at(old.field(table, messageHeader))
		vector := old.at(old.field(schema, schemaFields))
		n := int(old.uint32(vector))
		if n > maxArrowFields || 4*n > len(old) {
			return errors.New("too many fields")
		}
		var fields []int
		for i := range n {
			field := old.at(vector + 4 + 4*i)
			name := old.at(old.field(field, fieldName))
			if !replaces(added, string(old[name+4:][:old.uint32(name)])) {
				fields = append(fields, field)
			}
		}
		head := newColumns(old, table, schema, fields, added)
		buf := binary.LittleEndian.AppendUint32(nil, continuation)
		buf = binary.LittleEndian.AppendUint32(buf, uint32(len(head)+len(old)))
		changed = base64.StdEncoding.EncodeToString(append(append(buf, head...), old...))
		return nil
	})
	return changed, err
}

// continuation begins a message of Arrow.
const continuation = 0xffffffff

// newColumns returns what stands before a description so that it has the fields of it at some places, and new columns.
func newColumns(old flat, message, schema int, fields []int, added []NewColumn) flat {
	// What points into old is known when the length is.
	type pointer struct{ from, to int }
	var pointers []pointer
	var b flat
	b.zeros(4)
	copied := func(table int, sizes ...int) []int {
		for i := range sizes {
			if old.slot(table, i) == 0 {
				sizes[i] = 0
			}
		}
		at := b.table(sizes...)
		for i, size := range sizes {
			if size > 0 {
				copy(b[at[i+1]:][:size], old[old.slot(table, i):])
			}
		}
		return at
	}
	newMessage := copied(message, 2, 1, 4, 8, 4)
	b.point(0, newMessage[0])
	if newMessage[5] > 0 { // its metadata
		pointers = append(pointers, pointer{newMessage[5], old.at(old.slot(message, 4))})
	}
	newSchema := copied(schema, 2, 4, 4, 4)
	b.point(newMessage[1+messageHeader], newSchema[0])
	for _, i := range []int{2, 3} { // its metadata and features
		if newSchema[1+i] > 0 {
			pointers = append(pointers, pointer{newSchema[1+i], old.at(old.slot(schema, i))})
		}
	}
	b.align(4, 0)
	vector := b.zeros(4 + 4*(len(fields)+len(added)))
	b.point(newSchema[1+schemaFields], vector)
	binary.LittleEndian.PutUint32(b[vector:], uint32(len(fields)+len(added)))
	for i, field := range fields {
		pointers = append(pointers, pointer{vector + 4 + 4*i, field})
	}
	for i, column := range added {
		field := b.table(4, 1, 1, 4, 0, 4) // name, nullable, type of type, type, dictionary, children
		b.point(vector+4+4*(len(fields)+i), field[0])
		b[field[2]], b[field[3]] = 1, arrowType(column.Kind)
		b.align(4, 0)
		b.point(field[6], b.zeros(4)) // no children
		name := b.zeros(4)
		binary.LittleEndian.PutUint32(b[name:], uint32(len(column.Name)))
		b = append(append(b, column.Name...), 0)
		b.point(field[1], name)
		var kind []int
		switch column.Kind {
		case Int:
			kind = b.table(4, 1) // bits, signed
			b[kind[1]], b[kind[2]] = 64, 1
		case Float:
			kind = b.table(2) // precision
			b[kind[1]] = 2    // double
		default:
			kind = b.table()
		}
		b.point(field[4], kind[0])
	}
	b.align(8, 0)
	for _, p := range pointers {
		b.point(p.from, len(b)+p.to)
	}
	return b
}

// arrowType returns the number of the type of a new column.
func arrowType(kind Kind) byte {
	switch kind {
	case Int:
		return arrowInt
	case Float:
		return arrowFloat
	case Bool:
		return arrowBool
	}
	return arrowUTF8
}

// A flat is a FlatBuffer, or the beginning of one. Its methods panic if what is in it is not.
type flat []byte

func (f flat) uint32(at int) uint32 { return binary.LittleEndian.Uint32(f[at:]) }

// at returns where the pointer at a place leads.
func (f flat) at(place int) int {
	if to := place + int(f.uint32(place)); to > place && to < len(f) {
		return to
	}
	panic("a pointer that leads nowhere")
}

// slot returns the place of a field in a table, or 0 if the table has it not.
func (f flat) slot(table, field int) int {
	types := table - int(int32(f.uint32(table)))
	if i := 4 + 2*field; i < int(binary.LittleEndian.Uint16(f[types:])) {
		if offset := int(binary.LittleEndian.Uint16(f[types+i:])); offset > 0 {
			return table + offset
		}
	}
	return 0
}

// field is slot for a field that must be there.
func (f flat) field(table, field int) int {
	if at := f.slot(table, field); at > 0 {
		return at
	}
	panic("a field is missing")
}

// point makes the pointer at a place lead to another one behind it.
func (f flat) point(place, to int) { binary.LittleEndian.PutUint32(f[place:], uint32(to-place)) }

// zeros appends n zeros, and returns where they begin.
func (f *flat) zeros(n int) int {
	*f = append(*f, make([]byte, n)...)
	return len(*f) - n
}

// align appends zeros until what begins behind n more bytes has a multiple of size as its place.
func (f *flat) align(size, n int) {
	for (len(*f)+n)%size != 0 {
		*f = append(*f, 0)
	}
}

// table appends a table with fields of so many bytes, 0 for those that it lacks. It returns the place of the table, and behind
// it those of the fields, which are zero.
func (f *flat) table(sizes ...int) (at []int) {
	n := 4 + 2*len(sizes)
	f.align(8, n)
	types := f.zeros(n)
	table := f.zeros(4)
	binary.LittleEndian.PutUint32((*f)[table:], uint32(table-types))
	at = make([]int, 1+len(sizes))
	at[0] = table
	for i, size := range sizes {
		if size > 0 {
			f.align(size, 0)
			at[1+i] = f.zeros(size)
			binary.LittleEndian.PutUint16((*f)[types+4+2*i:], uint16(at[1+i]-table))
		}
	}
	binary.LittleEndian.PutUint16((*f)[types:], uint16(n))
	binary.LittleEndian.PutUint16((*f)[types+2:], uint16(len(*f)-table))
	return at
}
