package section

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"simsearch/internal/ground/disk"
	"slices"
	"unsafe"
)

// A Writer writes one section file from front to back. It keeps the first error, which Close returns, so
// that other errors need not be checked.
type Writer struct {
	w       io.Writer
	entries []written
	names   map[string]bool
	offset  uint64 // bytes written so far
	block   uint64 // bytes written so far of the open block
	crc     uint32 // of the open block
	sums    []byte // the checksums of the blocks before, of the open section
	open    bool   // whether there is an open section
	err     error
	header  [headerSize]byte
}

// A written is an entry of the table of contents.
type written struct {
	name           string
	offset, length uint64
	sums           []byte // the checksums of its blocks or, if these are many, of the blocks of these
}

// NewWriter begins a file on w. It does not buffer, so that w should.
func NewWriter(w io.Writer) *Writer {
	sw := &Writer{w: w, names: map[string]bool{}}
	copy(sw.header[:], magic)
	binary.LittleEndian.PutUint32(sw.header[8:], version)
	sw.write(sw.header[:])
	return sw
}

// Fail makes err, unless it is nil, the error of the Writer, if it has none.
func (w *Writer) Fail(err error) { w.err = cmp.Or(w.err, err) }

func (w *Writer) write(p []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(p)
	w.offset += uint64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
}

// Begin ends the section before and begins one called name. It panics if name is empty, longer than 255
// bytes, or that of another section. A section beyond MaxSections is an error. Begin returns w, for what the section
// has.
func (w *Writer) Begin(name string) *Writer {
	if name == "" || len(name) > maxName {
		panic(fmt.Sprintf("section: name %q", name))
	}
	if w.names[name] {
		panic(fmt.Sprintf("section: %q written twice", name))
	}
	w.end()
	if len(w.entries) == MaxSections && w.err == nil {
		w.err = fmt.Errorf("section %s is one more than the %d that a file may have", name, MaxSections)
	}
	if w.err == nil {
		w.names[name] = true
		w.entries = append(w.entries, written{name: name, offset: w.offset})
		w.open = true
	}
	return w
}

// end pads the open section, and keeps its length and its checksums. Many checksums are written behind it.
func (w *Writer) end() {
	if !w.open {
		return
	}
	e := &w.entries[len(w.entries)-1]
	e.length = w.offset - e.offset
	var zeros [align]byte
	_, _ = w.Write(zeros[:pad(w.offset)])
	w.endBlock()
	if len(w.sums) > 4*sumsInContents {
		sums := append(w.sums, zeros[:pad(uint64(len(w.sums)))]...)
		w.write(sums)
		for len(sums) > 0 {
			n := min(len(sums), 1<<sumsShift)
			e.sums = binary.LittleEndian.AppendUint32(e.sums, Checksum(sums[:n]))
			sums = sums[n:]
		}
	} else {
		e.sums = slices.Clone(w.sums)
	}
	w.sums, w.open = w.sums[:0], false
}

func (w *Writer) endBlock() {
	if w.block > 0 {
		w.sums = binary.LittleEndian.AppendUint32(w.sums, w.crc)
	}
	w.block, w.crc = 0, 0
}

// Write appends p to the open section, as an io.Writer does. The error is the first one of the Writer.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.write(p)
	for rest := p; len(rest) > 0; {
		n := min(uint64(len(rest)), BlockSize-w.block)
		w.crc = crc32.Update(w.crc, castagnoli, rest[:n])
		if w.block += n; w.block == BlockSize {
			w.endBlock()
		}
		rest = rest[n:]
	}
	return len(p), w.err
}

// Uint64s appends xs to the open section, eight bytes each, little-endian.
func (w *Writer) Uint64s(xs []uint64) { writeIntegers(w, xs) }

// Uint32s appends xs to the open section, four bytes each, little-endian.
func (w *Writer) Uint32s(xs []uint32) { writeIntegers(w, xs) }

// Uint16s appends xs to the open section, two bytes each, little-endian.
func (w *Writer) Uint16s(xs []uint16) { writeIntegers(w, xs) }

func writeIntegers[T uint16 | uint32 | uint64](w *Writer, xs []T) {
	if littleEndian && len(xs) > 0 {
		_, _ = w.Write(unsafe.Slice((*byte)(unsafe.Pointer(&xs[0])), int(unsafe.Sizeof(xs[0]))*len(xs)))
		return
	}
	all, _ := binary.Append(nil, binary.LittleEndian, xs) // integers have a size
	_, _ = w.Write(all)
}

// Close writes the table of contents and the footer. It returns the length of the file in bytes, its
// digest as File.Digest returns it, and the first error. It does not close w.
func (w *Writer) Close() (size uint64, digest uint32, err error) {
	w.end()
	toc := binary.LittleEndian.AppendUint32(nil, uint32(len(w.entries)))
	for _, e := range w.entries {
		toc = append(toc, byte(len(e.name)))
		toc = append(toc, e.name...)
		toc = binary.LittleEndian.AppendUint64(toc, e.offset)
		toc = binary.LittleEndian.AppendUint64(toc, e.length)
		toc = append(toc, e.sums...)
	}
	digest = crc32.Update(Checksum(w.header[:]), castagnoli, toc)
	footer := binary.LittleEndian.AppendUint64(nil, w.offset)
	footer = binary.LittleEndian.AppendUint64(footer, uint64(len(toc)))
	footer = binary.LittleEndian.AppendUint32(footer, digest)
	footer = binary.LittleEndian.AppendUint32(footer, 0) // reserved
	footer = append(footer, endMagic...)
	w.write(toc)
	w.write(footer)
	return w.offset, digest, w.err
}

// About is the name of a section that says, as JSON, what a file is.
const About = "about"

// WriteFile writes a file with the section About, and then with other sections. It appears complete or not at all.
func WriteFile(fsys disk.FS, path string, about any, sections func(w *Writer) error) error {
	_, _, err := WriteKnown(fsys, path, func(w *Writer) {
		w.Fail(json.NewEncoder(w.Begin(About)).Encode(about))
		w.Fail(sections(w))
	})
	return err
}

// WriteKnown writes a file that ParseKnown reads, and makes it durable. It returns the size of the file in bytes, and
// its digest.
func WriteKnown(fsys disk.FS, path string, write func(w *Writer)) (size uint64, digest string, err error) {
	err = disk.WriteAtomicBy(fsys, path, func(to *bufio.Writer) error {
		w := NewWriter(to)
		write(w)
		n, sum, err := w.Close()
		size, digest = n, fmt.Sprintf("%08x", sum)
		return err
	})
	return size, digest, err
}
