package prints

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
	f.Add(header(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), }"))
	f.Add(header(2, `{"shape":(2),"descr":"<u8"}`))
	f.Add(header(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 32), }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, l, err := ReadNPYHeader(bytes.NewReader(data))
		if err != nil {
			return
		}
		if n < 0 || l.Bytes != 8 && l.Bytes != 16 && l.Bytes != 32 {
			t.Fatalf("%d fingerprints, %+v", n, l)
		}
		// It is written as it was read.
		if again, other, err := ReadNPYHeader(bytes.NewReader(NPYHeader(n, l))); again != n || other != l || err != nil {
			t.Fatalf("%d, %+v, %v, want %d, %+v", again, other, err, n, l)
		}
	})
}
