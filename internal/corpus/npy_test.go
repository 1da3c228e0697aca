package corpus

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// header returns the beginning of an array.
func header(major byte, text string) []byte {
	b := append([]byte(NPYMagic), major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	}
	return append(b, text...)
}

// The description of an array is read without a panic, and within bounds.
func FuzzNPYHeader(f *testing.F) {
	f.Add(header(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }"))
	f.Add(header(2, `{"shape":(2),"descr":"<u8"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := ReadNPYHeader(bytes.NewReader(data)); err == nil && n < 0 {
			t.Fatalf("%d numbers", n)
		}
	})
}
