package segment

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// blockBytes is the size in bytes at which a block of texts ends. Larger blocks take less space, and longer
// to read a text from: on news, 64 KiB take 5 % more than 256 KiB, and a third of a millisecond less.
const blockBytes = 64 << 10

// A Packed is texts that have been compressed, block by block.
type Packed struct {
	blocks [][]byte // zstd frames
	places []uint64 // of each text: its block and where it starts there; noText for none
}

// noText is the place of a document without a text.
const noText = ^uint64(0)

// place returns the place of a text that starts at byte start of a block.
func place(block, start int) uint64 { return uint64(block)<<32 | uint64(uint32(start)) }

// Pack compresses the texts 0 to n-1. text returns each; ok is false if there is none to keep. Several
// goroutines may pack at the same time.
func Pack(n int, text func(i int) (text []byte, ok bool)) *Packed {
	e, _ := encoders.Get().(*encoder)
	defer encoders.Put(e)
	p := &Packed{places: make([]uint64, n)}
	e.raw = e.raw[:0]
	for i := range n {
		t, ok := text(i)
		if !ok {
			p.places[i] = noText
			continue
		}
		if len(e.raw) > 0 && len(e.raw)+len(t) > blockBytes {
			p.end(e)
		}
		p.places[i] = place(len(p.blocks), len(e.raw))
		e.raw = binary.AppendUvarint(e.raw, uint64(len(t)))
		e.raw = append(e.raw, t...)
	}
	if len(e.raw) > 0 {
		p.end(e)
	}
	return p
}

// end compresses a block.
func (p *Packed) end(e *encoder) {
	p.blocks = append(p.blocks, e.zstd.EncodeAll(e.raw, nil))
	if e.raw = e.raw[:0]; cap(e.raw) > 16*blockBytes {
		e.raw = nil
	}
}

// An encoder compresses texts, and has the memory for a block.
type encoder struct {
	zstd *zstd.Encoder
	raw  []byte
}

var encoders = sync.Pool{New: func() any {
	// The options are right, so that there is no error. Sections have checksums of their own.
	z, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	return &encoder{zstd: z}
}}

// A Source is the place in a file from which a document was read.
type Source struct {
	Path, Format   string // an absolute path; a format that has no NUL in its name
	Offset, Length int64
	Digest         uint64 // of the text
}

// A textBuilder gathers the texts of documents, or their places.
type textBuilder struct {
	blocks byteSpool
	ends   []uint64 // of each block, in bytes
	places []uint64 // of each document

	paths   []string // distinct: a format, NUL and a path
	numbers map[string]uint32
	path    []uint32 // of each document: the number of its path, or noPath
	offset  []uint64
	length  []uint32
	digest  []uint64
}

// noPath is the number of the path of a document that has no source.
const noPath = ^uint32(0)

// add adds the text or the source of the next document. Its place counts from the block base.
func (b *textBuilder) add(layout Layout, at uint64, base int, s *Source) {
	if layout.Texts {
		if at != noText {
			at += place(base, 0)
		}
		b.places = append(b.places, at)
	}
	if !layout.Sources {
		return
	}
	if s == nil || s.Length < 0 || s.Length > 1<<32-1 {
		s = nil
		b.path, b.offset, b.length, b.digest = append(b.path, noPath), append(b.offset, 0), append(b.length, 0), append(b.digest, 0)
		return
	}
	if b.numbers == nil {
		b.numbers = map[string]uint32{}
	}
	key := s.Format + "\x00" + s.Path
	number, ok := b.numbers[key]
	if !ok {
		number = uint32(len(b.paths))
		b.numbers[key] = number
		b.paths = append(b.paths, key)
	}
	b.path, b.offset, b.length, b.digest = append(b.path, number), append(b.offset, uint64(s.Offset)), append(b.length, uint32(s.Length)), append(b.digest, s.Digest)
}

// without returns b without the documents that are marked in drop. Blocks and paths stay until the sections
// are written.
func (b textBuilder) without(drop []bool) textBuilder {
	b.places, b.path, b.offset, b.length, b.digest = keep(b.places, drop), keep(b.path, drop), keep(b.offset, drop), keep(b.length, drop), keep(b.digest, drop)
	return b
}

// keep returns the elements of xs that are not marked in drop, or nil if xs is empty.
func keep[T any](xs []T, drop []bool) (kept []T) {
	for i, x := range xs {
		if !drop[i] {
			kept = append(kept, x)
		}
	}
	return kept
}
