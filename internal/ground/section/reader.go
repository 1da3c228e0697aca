package section

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
)

// A File is a parsed section file. It refers to the bytes from which it was parsed. They must stay mapped
// while the File or any slice of it is used. A File is safe for concurrent use.
type File struct {
	path    string // "" if it is not known
	data    []byte
	expect  func(p []byte, a disk.Access)
	large   bool
	entries []*Guard // of the sections, in order
	named   map[string]*Guard
	digest  uint32
}

// Parse checks the header, the footer and the table of contents of data, which is the contents of the file at path,
// or of none if that is "". Verify, or the Guard of a section, checks the contents of sections.
//
// The error is ErrForeign, ErrVersion or ErrCorrupt. It names the file, and so do later ones about its contents.
func Parse(path string, data []byte) (*File, error) {
	f, err := parse(data)
	if err == nil {
		f.path = path
	} else if path != "" {
		err = InFile(path, err)
	}
	return f, err
}

func parse(data []byte) (*File, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrForeign, magic)
	}
	if len(data) < headerSize+footerSize {
		return nil, corruptf("header", 0, "the file has %d bytes, less than header and footer", len(data))
	}
	f := &File{data: data}
	if v := binary.LittleEndian.Uint32(data[8:]); v != version {
		return nil, fmt.Errorf("%w: the file has version %d, this program knows %d", ErrVersion, v, version)
	}
	if !allZero(data[12:headerSize]) {
		return nil, corruptf("header", 12, "reserved bytes are not zero")
	}
	size := uint64(len(data))
	footAt := size - footerSize
	foot := data[footAt:]
	if string(foot[24:]) != endMagic {
		return nil, corruptf("footer", footAt, "no end mark; the file is truncated or overwritten")
	}
	tocAt, tocLen := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint64(foot[8:])
	if tocAt < headerSize || tocAt > footAt || tocLen != footAt-tocAt || tocAt%align != 0 {
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
	f.digest = digest
	if err := f.parseContents(toc, tocAt); err != nil {
		return nil, err
	}
	return f, nil
}

// ParseKnown is Parse for the file at path, of a known size, in bytes, and digest, in hexadecimal digits. The error
// for a file with another size or digest is ErrCorrupt.
func ParseKnown(path string, data []byte, bytes uint64, digest string) (*File, error) {
	if uint64(len(data)) != bytes {
		return nil, &CorruptError{path, "", -1, fmt.Sprintf("the file has %d bytes, the manifest says %d", len(data), bytes)}
	}
	f, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	if got := fmt.Sprintf("%08x", f.Digest()); got != digest {
		return nil, &CorruptError{path, "", -1, fmt.Sprintf("the file has digest %s, the manifest says %s", got, digest)}
	}
	return f, nil
}

// parseContents reads the entries, which must lie one behind the other and fill
// the file from the header to the table of contents.
func (f *File) parseContents(toc []byte, tocAt uint64) error {
	bad := func(format string, args ...any) error { return corruptf("contents", tocAt, format, args...) }
	if len(toc) < 4 {
		return bad("shorter than its count")
	}
	n := binary.LittleEndian.Uint32(toc)
	if toc = toc[4:]; n > MaxSections {
		return bad("%d sections, more than %d", n, MaxSections)
	}
	if uint64(n)*leastEntry > uint64(len(toc)) {
		return bad("%d sections in %d bytes", n, len(toc))
	}
	f.entries, f.named = make([]*Guard, 0, n), make(map[string]*Guard, n)
	at := uint64(headerSize)
	for range n {
		if len(toc) < 1 || len(toc) < 1+int(toc[0])+16 {
			return bad("an entry is cut short")
		}
		name := string(toc[1 : 1+toc[0]])
		fields := toc[1+len(name):]
		offset, length := binary.LittleEndian.Uint64(fields), binary.LittleEndian.Uint64(fields[8:])
		if name == "" || f.Has(name) {
			return bad("section %q stands twice or has no name", name)
		}
		if offset != at || length > tocAt-at || pad(length) > tocAt-at-length {
			return bad("section %q at %d of %d bytes does not follow the one before", name, offset, length)
		}
		g := newGuard(f, name, at, length, blockShift)
		at += uint64(len(g.bytes))
		listed := g // whose checksums stand here
		if g.blocks() > sumsInContents {
			size := 4 * g.blocks()
			if size+pad(size) > tocAt-at {
				return bad("the checksums of section %q are cut short", name)
			}
			listed = newGuard(f, name, at, size, sumsShift)
			at += uint64(len(listed.bytes))
			g.over, g.sums = listed, listed.bytes
		}
		toc = fields[16:]
		size := 4 * listed.blocks()
		if size > uint64(len(toc)) {
			return bad("the checksums of section %q are cut short", name)
		}
		listed.sums, toc = toc[:size], toc[size:]
		f.entries, f.named[name] = append(f.entries, g), g
	}
	if len(toc) != 0 || at != tocAt {
		return bad("bytes that belong to no section")
	}
	return nil
}

// Digest returns the checksum of the header and the table of contents. The table of contents has the checksums of all
// blocks, or those of their checksums. So files with the same digest have the same contents, except by chance.
func (f *File) Digest() uint32 { return f.digest }

// Sections calls yield for each section, in the order of the file, until yield returns false. offset and
// length are in bytes. length does not include the padding.
func (f *File) Sections(yield func(name string, offset, length uint64) bool) {
	for _, g := range f.entries {
		if !yield(g.name, g.offset, g.length) {
			return
		}
	}
}

// Expect sets what is told how parts of the file are going to be read, such as the Expect of a disk.Mapped. Otherwise
// nobody is.
func (f *File) Expect(tell func(p []byte, a disk.Access)) { f.expect = tell }

// Large says that the file is too large for the memory. So no section of it is read as a whole unless that is asked
// for.
func (f *File) Large() { f.large = true }

func (f *File) willRead(p []byte, a disk.Access) {
	if f.expect != nil {
		f.expect(p, a)
	}
}

// TrustBlocks makes what passes its own checksum readable, even if that checksum lies among damaged ones. It is for
// repair.
func (f *File) TrustBlocks() {
	for _, g := range f.entries {
		g.over = nil
	}
}

// guards calls yield for what has the blocks of the file: the checksums of a section, if they lie in blocks, then the
// section.
func (f *File) guards(yield func(*Guard) bool) {
	for _, g := range f.entries {
		if g.over != nil && !yield(g.over) || !yield(g) {
			return
		}
	}
}

// Verify checks the bytes of every section, even those checked before. The error is a CorruptError.
func (f *File) Verify() error { return f.VerifyBy(1) }

// MustVerify is Verify that panics with the error.
func (f *File) MustVerify() {
	if err := f.Verify(); err != nil {
		panic(err)
	}
}

// VerifyBy is Verify on up to threads goroutines. The error is about the first damaged block, where the checksums of
// a section come before it.
func (f *File) VerifyBy(threads int) error {
	f.willRead(f.data, disk.InOrder)
	type part struct {
		guard    *Guard
		from, to uint64 // blocks
	}
	parts := func(yield func(part, error) bool) {
		for g := range f.guards {
			together := uint64(verifyTogether) >> g.shift
			for from, n := uint64(0), g.blocks(); from < n; from += together {
				if !yield(part{g, from, min(n, from+together)}, nil) {
					return
				}
			}
		}
	}
	check := func(_ context.Context, p part) (_ part, err error) {
		for b := p.from; b < p.to && err == nil; b++ {
			err = p.guard.checkBlock(b)
		}
		return p, err
	}
	return parallel.Stream(context.Background(), threads, parts, check, func(p part) error {
		if p.to == p.guard.blocks() { // and all before it
			p.guard.whole.Store(true)
		}
		return nil
	})
}

// verifyTogether is the number of bytes that a goroutine checks at a time.
const verifyTogether = 1 << 18

func (f *File) find(name string) *Guard {
	if !f.Has(name) {
		panic(f.Corruptf(name, 0, "it is missing"))
	}
	return f.named[name]
}

// Has reports whether there is a section.
func (f *File) Has(name string) bool { return f.named[name] != nil }

// Size returns the length of a section in bytes. The error is ErrCorrupt if there is no such section.
func (f *File) Size(name string) uint64 { return f.find(name).length }

// Bytes returns the bytes of a section, after checking all of them. They are a part of the file and must
// not be written to. The error is ErrCorrupt.
func (f *File) Bytes(name string) []byte {
	g := f.find(name)
	g.CheckAll()
	return g.bytes[:g.length:g.length]
}
