package segment

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"simsearch/internal/spill"
	"simsearch/section"
)

// textSections are the names of the sections of texts.
type textSections struct{ places, ends, blocks string }

// What is kept of documents: their texts, and the values of their fields.
var (
	secTexts  = textSections{"texts.places", "texts.blocks.ends", "texts.blocks"}
	secFields = textSections{"fields.places", "fields.blocks.ends", "fields.blocks"}
)

// A textBuilder gathers the texts of documents, or their kept fields.
type textBuilder struct {
	names  textSections
	blocks spill.Bytes
	ends   []uint64 // of each block, in bytes
	base   int      // the first block of the texts that were added last
	places []uint64 // of each document
}

// addBlocks adds the blocks of p, which it keeps, for the documents that are added next.
func (b *textBuilder) addBlocks(p *Packed) {
	b.base = len(b.ends)
	end := uint64(0)
	if b.base > 0 {
		end = b.ends[b.base-1]
	}
	for _, block := range p.blocks {
		end += uint64(len(block))
		b.ends = append(b.ends, end)
		b.blocks.Add(block)
	}
}

// add adds the next document, whose text is text i of p. It has none if p is nil.
func (b *textBuilder) add(p *Packed, i int) {
	at := noText
	if p != nil && p.places[i] != noText {
		at = place(b.base, 0) + p.places[i]
	}
	b.places = append(b.places, at)
}

// without returns b without the documents that are marked in drop. Blocks stay until the sections are written.
func (b textBuilder) without(drop []bool) textBuilder {
	b.places = keep(b.places, drop)
	return b
}

// write writes the places of the texts, and the blocks that have texts of the documents that stay. It writes
// nothing if no document has a text.
func (b *textBuilder) write(w *section.Writer) error {
	if !slices.ContainsFunc(b.places, func(at uint64) bool { return at != noText }) {
		return nil
	}
	used := make([]bool, len(b.ends))
	for _, at := range b.places {
		if at != noText {
			used[at>>32] = true
		}
	}
	w.Begin(b.names.blocks)
	r := b.blocks.Reader()
	numbers, ends := make([]uint64, len(b.ends)), []uint64{}
	from, to := uint64(0), uint64(0)
	for i, end := range b.ends {
		into := io.Writer(w)
		if numbers[i] = uint64(len(ends)); used[i] {
			to += end - from
			ends = append(ends, to)
		} else {
			into = io.Discard
		}
		if _, err := io.CopyN(into, r, int64(end-from)); errors.Is(err, io.EOF) {
			return spill.ErrCut
		} else if err != nil {
			return err
		}
		from = end
	}
	w.Begin(b.names.ends)
	w.Uint64s(ends)
	places := make([]uint64, len(b.places))
	for i, at := range b.places {
		if places[i] = at; at != noText {
			places[i] = numbers[at>>32]<<32 | at&(1<<32-1)
		}
	}
	w.Begin(b.names.places)
	w.Uint64s(places)
	return nil
}

// texts are the texts of the documents of a segment, compressed in blocks.
type texts struct {
	places section.Array[uint64]
	ends   section.Array[uint64]
	blocks section.Array[byte]

	mu    sync.Mutex
	cache [4]struct { // blocks that were read last
		block uint64
		raw   []byte // nil if there is none
	}
	next int // which is replaced next
}

func (t *texts) load(f *section.File, names textSections, documents uint64) (err error) {
	if t.places, err = section.Integers[uint64](f, names.places, documents); err != nil {
		return err
	}
	if t.ends, err = wholeSection[uint64](f, names.ends, 8); err != nil {
		return err
	}
	t.blocks, err = wholeSection[byte](f, names.blocks, 1)
	return err
}

// wholeSection returns a section of integers of the given number of bytes, as many as there are.
func wholeSection[T section.Integer](f *section.File, name string, bytes uint64) (a section.Array[T], err error) {
	size, err := f.Size(name)
	if err != nil {
		return a, err
	}
	return section.Integers[T](f, name, size/bytes)
}

// Text returns the text of a document. ok is false if the segment does not keep it. The caller must not change
// the text.
func (s *Segment) Text(doc uint32) (text []byte, ok bool, err error) {
	if s.texts == nil {
		return nil, false, nil
	}
	text, ok, err = s.texts.of(s.deleted.At(doc))
	return text, ok, s.InFile(err)
}

// Fields returns the kept fields of a document, as document.Field reads them. ok is false if the segment keeps
// none of it. The caller must not change them.
func (s *Segment) Fields(doc uint32) (fields []byte, ok bool, err error) {
	if s.fields == nil {
		return nil, false, nil
	}
	fields, ok, err = s.fields.of(s.deleted.At(doc))
	return fields, ok, s.InFile(err)
}

func (t *texts) of(doc uint32) (text []byte, ok bool, err error) {
	at, err := t.places.At(uint64(doc))
	if err != nil || at == noText {
		return nil, false, err
	}
	block, start := at>>32, int(uint32(at))
	raw, err := t.block(doc, block)
	if err != nil {
		return nil, false, err
	}
	if start < len(raw) {
		if length, n := binary.Uvarint(raw[start:]); n > 0 && length <= uint64(len(raw)-start-n) {
			from := start + n
			return raw[from : from+int(length)], true, nil
		}
	}
	return nil, false, t.places.Corruptf(uint64(doc), "the text of document %d begins at byte %d of %d of a block", doc, start, len(raw))
}

// block returns a block, decompressed.
func (t *texts) block(doc uint32, block uint64) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.cache {
		if c.raw != nil && c.block == block {
			return c.raw, nil
		}
	}
	if block >= uint64(t.ends.Len()) {
		return nil, t.places.Corruptf(uint64(doc), "the text of document %d is in block %d of %d", doc, block, t.ends.Len())
	}
	compressed, err := t.compressed(uint32(block))
	if err != nil {
		return nil, err
	}
	d, err := decoder()
	if err != nil {
		return nil, err
	}
	raw, err := d.DecodeAll(compressed, make([]byte, 0, 2*blockBytes))
	if err != nil {
		return nil, t.ends.Corruptf(block, "block %d: %v", block, err)
	}
	c := &t.cache[t.next]
	c.block, c.raw = block, raw
	t.next = (t.next + 1) % len(t.cache)
	return raw, nil
}

// compressed returns a block as it lies in the file.
func (t *texts) compressed(block uint32) ([]byte, error) {
	lo, hi, err := span(&t.ends, block)
	if err != nil {
		return nil, err
	}
	if lo > hi || hi > uint64(t.blocks.Len()) {
		return nil, t.ends.Corruptf(uint64(block), "block %d spans [%d, %d) of %d bytes", block, lo, hi, t.blocks.Len())
	}
	return t.blocks.Range(lo, hi)
}

// decoder returns the decoder of blocks, which several goroutines may use.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
})

// maxBlock is the largest size of a block that is read. Documents are shorter.
const maxBlock = 1 << 32
