package columns

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The numbers of fields in the tables of Arrow.
const (
	messageVersion, messageType, messageHeader, messageBody, messageMetadata = 0, 1, 2, 3, 4

	schemaEndianness, schemaFields, schemaMetadata, schemaFeatures = 0, 1, 2, 3

	fieldName, fieldNullable, fieldTypeOf, fieldType, fieldDictionary, fieldChildren, fieldSlots = 0, 1, 2, 3, 4, 5, 6

	batchLength, batchNodes, batchBuffers, batchCompression, batchViews = 0, 1, 2, 3, 4

	footerSchema, footerDictionaries, footerBatches = 1, 2, 3
)

const packedZstd = 1 // the number of a compression; 0 is LZ4

// maxArrowFields is the number of columns in the longest description that is changed.
const maxArrowFields = 1 << 20

// continuation begins a message of Arrow.
const continuation = 0xffffffff

// describedWith returns the message of a schema with new columns behind the others, of which those with their names
// are left out. It is what Parquet files have, in base64, as the description of their columns for Arrow.
func describedWith(value string, added []NewColumn) (changed string, err error) {
	err = guard("its ARROW:schema", func() error {
		message, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(message) == continuation {
			message = message[4:]
		}
		buf := withColumns(message[4:][:binary.LittleEndian.Uint32(message)], added)
		changed = base64.StdEncoding.EncodeToString(framed(buf))
		return nil
	})
	return changed, err
}

// framed returns a message with its mark and its size before it.
func framed(meta []byte) []byte {
	padded := (len(meta) + 7) &^ 7
	buf := binary.LittleEndian.AppendUint32(make([]byte, 0, 8+padded), continuation)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(padded))
	return append(append(buf, meta...), make([]byte, padded-len(meta))...)
}

// withColumns is describedWith of the FlatBuffer. The rest stays as it is, byte for byte: what is new stands before
// it, since a FlatBuffer points ahead alone.
func withColumns(old []byte, added []NewColumn) []byte {
	b, table := builderOver(old)
	schema := table.at(messageHeader)
	var fields []flatbuffers.UOffsetT
	for _, field := range schema.tables(schemaFields) {
		if !replaces(added, field.text(fieldName)) {
			fields = append(fields, flatbuffers.UOffsetT(len(schema.Bytes))-field.Pos)
		}
	}
	for _, column := range added {
		fields = append(fields, addColumn(b, column))
	}
	vector := b.CreateVectorOfTables(fields)

	b.StartObject(schemaFeatures + 1)
	b.PrependInt16Slot(schemaEndianness, schema.GetInt16Slot(slot(schemaEndianness), 0), 0)
	b.PrependUOffsetTSlot(schemaFields, vector, 0)
	b.PrependUOffsetTSlot(schemaMetadata, schema.pointer(schemaMetadata), 0)
	b.PrependUOffsetTSlot(schemaFeatures, schema.pointer(schemaFeatures), 0)
	return finished(b, table.version(), isSchema, b.EndObject(), 0, table.pointer(messageMetadata))
}

// builderOver begins a FlatBuffer that may point into an old one, which it ends with. It returns the root of that, too.
func builderOver(old []byte) (*flatbuffers.Builder, flat) {
	old = append(old[:len(old):len(old)], make([]byte, -len(old)&7)...)
	b := flatbuffers.NewBuilder(len(old) + 1024)
	b.Prep(8, 0)
	b.CreateByteVector(old)
	return b, rootOf(old)
}

// finished returns the description of a message.
func finished(b *flatbuffers.Builder, version int16, kind byte, header flatbuffers.UOffsetT, body int64, metadata flatbuffers.UOffsetT) []byte {
	b.StartObject(messageMetadata + 1)
	b.PrependInt16Slot(messageVersion, version, 0)
	b.PrependByteSlot(messageType, kind, 0)
	b.PrependUOffsetTSlot(messageHeader, header, 0)
	b.PrependInt64Slot(messageBody, body, 0)
	b.PrependUOffsetTSlot(messageMetadata, metadata, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// structs writes a vector of structs of so many bytes, as put writes each of them.
func structs[T any](b *flatbuffers.Builder, size int, all []T, put func(T)) flatbuffers.UOffsetT {
	b.StartVector(size, len(all), 8)
	for _, one := range slices.Backward(all) {
		put(one)
	}
	return b.EndVector(len(all))
}

// addColumn adds the description of a new column.
func addColumn(b *flatbuffers.Builder, column NewColumn) flatbuffers.UOffsetT {
	name, children, of := b.CreateString(column.Name), b.CreateVectorOfTables(nil), byte(typeUtf8)
	b.StartObject(2)
	switch column.Kind {
	case Int:
		of = typeInt
		b.PrependInt32Slot(0, 64, 0) // bits
		b.PrependBoolSlot(1, true, false)
	case Float:
		of = typeFloat
		b.PrependInt16Slot(0, 2, 0) // double
	case Bool:
		of = typeBool
	}
	kind := b.EndObject()
	b.StartObject(fieldSlots)
	b.PrependUOffsetTSlot(fieldName, name, 0)
	b.PrependBoolSlot(fieldNullable, true, false)
	b.PrependByteSlot(fieldTypeOf, of, 0)
	b.PrependUOffsetTSlot(fieldType, kind, 0)
	b.PrependUOffsetTSlot(fieldChildren, children, 0)
	return b.EndObject()
}

// A flat is a table of a FlatBuffer. Its methods panic if what is in it is not.
type flat struct{ flatbuffers.Table }

// version returns the version of the format that a message or a footer has.
func (t flat) version() int16 { return t.GetInt16Slot(slot(messageVersion), 0) }

// slot returns where the table of a table's fields has the place of one.
func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

// place returns where the pointer in a field leads, or 0 if the table has it not.
func (t flat) place(field int) flatbuffers.UOffsetT {
	if o := t.Offset(slot(field)); o > 0 {
		return t.Indirect(t.Pos + flatbuffers.UOffsetT(o))
	}
	return 0
}

// at returns the table in a field, which must be there.
func (t flat) at(field int) flat {
	if place := t.place(field); place > 0 {
		return flat{flatbuffers.Table{Bytes: t.Bytes, Pos: place}}
	}
	panic("a field is missing")
}

// pointer returns where a field leads as builders do it, from the end of the buffer on, or 0.
func (t flat) pointer(field int) flatbuffers.UOffsetT {
	place := t.place(field)
	if place == 0 {
		return 0
	}
	_ = t.Bytes[place]
	return flatbuffers.UOffsetT(len(t.Bytes)) - place
}
