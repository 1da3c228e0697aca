package section

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"unsafe"
)

// A File is a parsed section file. It refers to the bytes it was parsed from,
// which must stay unchanged and mapped as long as it or any slice from it is used.
// It is safe for concurrent use.
type File struct {
	data    []byte
	entries []entry
	digest  uint32
}

// Parse checks header, footer and table of contents of data. The contents of the
// sections are checked by Verify, or section by section by Checked.
//
// Errors are of the classes ErrForeign, ErrVersion and ErrCorrupt.
func Parse(data []byte) (*File, error) {
	if len(data) < len(Magic) || string(data[:len(Magic)]) != Magic {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrForeign, Magic)
	}
	if len(data) < headerSize+footerSize {
		return nil, corruptf("header", 0, "the file has %d bytes, less than header and footer", len(data))
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != Version {
		return nil, fmt.Errorf("%w: the file has version %d, this program knows %d", ErrVersion, v, Version)
	}
	if !allZero(data[12:headerSize]) {
		return nil, corruptf("header", 12, "reserved bytes are not zero")
	}
	size := uint64(len(data))
	footAt := size - footerSize
	foot := data[footAt:]
	if string(foot[24:]) != EndMagic {
		return nil, corruptf("footer", footAt, "no end mark; the file is truncated or overwritten")
	}
	tocAt, tocLen := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint64(foot[8:])
	if tocAt < headerSize || tocAt > footAt || tocLen != footAt-tocAt || tocAt%Align != 0 {
		return nil, corruptf("footer", footAt, "table of contents at %d of %d bytes in a file of %d", tocAt, tocLen, size)
	}
	if binary.LittleEndian.Uint32(foot[20:]) != 0 {
		return nil, corruptf("footer", footAt+20, "reserved bytes are not zero")
	}
	toc := data[tocAt:footAt]
	digest := crc32.Update(Checksum(data[:headerSize]), castagnoli, toc)
	if want := binary.LittleEndian.Uint32(foot[16:]); digest != want {
		return nil, corruptf("contents", tocAt, "checksum %08x, stored %08x", digest, want)
	}
	f := &File{data: data, digest: digest}
	if err := f.parseContents(toc, tocAt); err != nil {
		return nil, err
	}
	return f, nil
}

// parseContents reads the entries, which must lie one behind the other and fill
// the file from the header to the table of contents.
func (f *File) parseContents(toc []byte, tocAt uint64) error {
	bad := func(what string) error { return corruptf("contents", tocAt, "%s", what) }
	if len(toc) < 4 {
		return bad("shorter than its count")
	}
	n := binary.LittleEndian.Uint32(toc)
	if toc = toc[4:]; n > maxSections {
		return bad(fmt.Sprintf("%d sections, more than %d", n, maxSections))
	}
	at := uint64(headerSize)
	for range n {
		if len(toc) < 1 || len(toc) < 1+int(toc[0])+20 {
			return bad("an entry is cut short")
		}
		name := string(toc[1 : 1+toc[0]])
		fields := toc[1+len(name):]
		e := entry{
			name:   name,
			offset: binary.LittleEndian.Uint64(fields),
			length: binary.LittleEndian.Uint64(fields[8:]),
			crc:    binary.LittleEndian.Uint32(fields[16:]),
		}
		toc = fields[20:]
		if _, err := f.find(name); name == "" || err == nil {
			return bad(fmt.Sprintf("section %q stands twice or has no name", name))
		}
		if e.offset != at || e.length > tocAt-at || pad(e.length) > tocAt-at-e.length {
			return bad(fmt.Sprintf("section %q at %d of %d bytes does not follow the one before", name, e.offset, e.length))
		}
		at += e.length + pad(e.length)
		f.entries = append(f.entries, e)
	}
	if len(toc) != 0 || at != tocAt {
		return bad("bytes that belong to no section")
	}
	return nil
}

// Digest returns the checksum over header and table of contents; the latter holds
// the checksum of every section, so that it stands for the whole file.
func (f *File) Digest() uint32 { return f.digest }

// Sections calls yield for each section in order, with its length in bytes.
func (f *File) Sections(yield func(name string, offset, length uint64) bool) {
	for _, e := range f.entries {
		if !yield(e.name, e.offset, e.length) {
			return
		}
	}
}

// Verify checks the bytes of every section against its checksum.
func (f *File) Verify() error {
	for i := range f.entries {
		if err := f.verify(&f.entries[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) verify(e *entry) error {
	end := e.offset + e.length + pad(e.length)
	if got := Checksum(f.data[e.offset:end]); got != e.crc {
		return corruptf(e.name, e.offset, "checksum %08x, stored %08x", got, e.crc)
	}
	if !allZero(f.data[e.offset+e.length : end]) {
		return corruptf(e.name, e.offset+e.length, "padding is not zero")
	}
	return nil
}

func allZero(p []byte) bool {
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}

func (f *File) find(name string) (*entry, error) {
	for i := range f.entries {
		if f.entries[i].name == name {
			return &f.entries[i], nil
		}
	}
	return nil, fmt.Errorf("%w: section %s is missing", ErrCorrupt, name)
}

// Bytes returns the bytes of a section, a part of the file.
func (f *File) Bytes(name string) ([]byte, error) {
	e, err := f.find(name)
	if err != nil {
		return nil, err
	}
	end := e.offset + e.length
	return f.data[e.offset:end:end], nil
}

// Checked returns the bytes of a section after checking its checksum.
func (f *File) Checked(name string) ([]byte, error) {
	e, err := f.find(name)
	if err == nil {
		err = f.verify(e)
	}
	if err != nil {
		return nil, err
	}
	return f.Bytes(name)
}

// Uint64s returns a section as n integers; a section of another length is corrupt.
// The slice is a part of the file and must not be written to.
func (f *File) Uint64s(name string, n uint64) ([]uint64, error) {
	return integers(f, name, n, 8, binary.LittleEndian.Uint64)
}

// Uint32s is Uint64s for integers of four bytes.
func (f *File) Uint32s(name string, n uint64) ([]uint32, error) {
	return integers(f, name, n, 4, binary.LittleEndian.Uint32)
}

// Uint16s is Uint64s for integers of two bytes.
func (f *File) Uint16s(name string, n uint64) ([]uint16, error) {
	return integers(f, name, n, 2, binary.LittleEndian.Uint16)
}

func integers[T uint16 | uint32 | uint64](f *File, name string, n, size uint64, decode func([]byte) T) ([]T, error) {
	b, err := f.Bytes(name)
	if err != nil {
		return nil, err
	}
	if uint64(len(b))%size != 0 || uint64(len(b))/size != n {
		e, _ := f.find(name)
		return nil, corruptf(name, e.offset, "%d bytes, want %d integers of %d", len(b), n, size)
	}
	if n == 0 {
		return nil, nil
	}
	if aligned := uintptr(unsafe.Pointer(&b[0]))%uintptr(size) == 0; littleEndian && aligned {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), nil
	}
	xs := make([]T, n)
	for i := range xs {
		xs[i] = decode(b[uint64(i)*size:])
	}
	return xs, nil
}
