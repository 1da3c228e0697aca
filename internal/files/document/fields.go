package document

import "encoding/binary"

// AppendField appends to dst the value of the next kept field, or that there is none if ok is false. It is
// how Document.Fields is made: the length of the value and one more, as an unsigned LEB128 number, and the
// value; 0 alone if there is none.
func AppendField(dst, value []byte, ok bool) []byte {
	if !ok {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(value))+1)
	return append(dst, value...)
}

// Field returns value i of Document.Fields, which is a part of fields. ok is false if there is none, or if
// fields end before it.
func Field(fields []byte, i int) (value []byte, ok bool) {
	for ; ; i-- {
		size, n := binary.Uvarint(fields)
		if n <= 0 || size > uint64(len(fields)-n)+1 {
			return nil, false
		}
		if value = fields[n:][:max(1, size)-1]; i == 0 {
			return value, size > 0
		}
		fields = fields[n+len(value):]
	}
}
