package segment

import (
	"encoding/binary"
	"fmt"
)

// A Decoder reads numbers and strings from the beginning of some bytes to their end, and keeps the first error. After
// an error it returns zeros.
type Decoder struct {
	data, rest []byte
	corrupt    func(at int, reason string) error
	err        error
}

// NewDecoder returns a Decoder of data, of which it returns parts. corrupt returns an error about a byte of it.
func NewDecoder(data []byte, corrupt func(at int, reason string) error) *Decoder {
	return &Decoder{data: data, rest: data, corrupt: corrupt}
}

// Fail makes what has been read last an error, unless there was one before.
func (d *Decoder) Fail(format string, args ...any) {
	if d.err == nil {
		d.err = d.corrupt(len(d.data)-len(d.rest), fmt.Sprintf(format, args...))
	}
	d.rest = nil
}

// Failed reports whether there was an error.
func (d *Decoder) Failed() bool { return d.err != nil }

// End returns the first error. Bytes that are left behind what was read are one.
func (d *Decoder) End(what string) error {
	if len(d.rest) > 0 {
		d.Fail("%d bytes follow %s", len(d.rest), what)
	}
	return d.err
}

// Bytes returns the next n bytes.
func (d *Decoder) Bytes(n uint64, what string) []byte {
	if n > uint64(len(d.rest)) {
		d.Fail("%s of %d bytes, and %d are left", what, n, len(d.rest))
		return make([]byte, min(n, 16))
	}
	p := d.rest[:n:n]
	d.rest = d.rest[n:]
	return p
}

// Number returns a number that is at most the given one, in its shortest form.
func (d *Decoder) Number(most uint64, what string) uint64 {
	x, n := binary.Uvarint(d.rest)
	switch {
	case n <= 0 || n > 1 && d.rest[n-1] == 0:
		d.Fail("%s is not a number", what)
		return 0
	case x > most:
		d.Fail("%s is %d, more than %d", what, x, most)
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

// String returns what AppendString has written. It is not empty.
func (d *Decoder) String(what string) []byte {
	n := d.Number(uint64(len(d.rest)), what)
	if n == 0 {
		d.Fail("%s that is empty", what)
	}
	return d.Bytes(n, what)
}

// Count returns how many things follow, each of 2 bytes or more.
func (d *Decoder) Count(what string) int {
	return int(d.Number(uint64(len(d.rest)/2), "the number of "+what))
}

// AppendString appends a string, behind its length.
func AppendString(dst, s []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
