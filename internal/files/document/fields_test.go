package document

import (
	"bytes"
	"testing"
)

func TestFields(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 1000)
	values := [][]byte{[]byte("a"), nil, {}, long, []byte("last")}
	var fields []byte
	for _, v := range values {
		fields = AppendField(fields, v, v != nil)
	}
	for i, want := range values {
		if got, ok := Field(fields, i); ok != (want != nil) || !bytes.Equal(got, want) {
			t.Errorf("field %d is %q, %v, want %q", i, got, ok, want)
		}
	}
	if got, ok := Field(fields, len(values)); ok {
		t.Errorf("there is one more: %q", got)
	}
}

// Whatever the bytes are, a field is a part of them.
func FuzzField(f *testing.F) {
	f.Add([]byte{0, 2, 'a', 1}, 2)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 0)
	f.Add([]byte{5, 'a'}, 0)
	f.Fuzz(func(t *testing.T, fields []byte, i int) {
		if value, ok := Field(fields, min(max(i, 0), 1<<10)); ok && !bytes.Contains(fields, value) {
			t.Errorf("%q is no part of %q", value, fields)
		}
	})
}
