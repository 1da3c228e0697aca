package segment

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"simsearch/section"
)

// Names of the sections of texts and sources.
const (
	secTextPlaces = "texts.places"
	secTextEnds   = "texts.blocks.ends"
	secTextBlocks = "texts.blocks"

	secSourcePaths   = "sources.paths"
	secSourceOffsets = "sources.offsets"
	secSourceLengths = "sources.lengths"
	secSourceDigests = "sources.digests"
	secPathEnds      = "paths.ends"
	secPathBytes     = "paths.bytes"
)

// write writes the sections of the texts and of the sources.
func (b *textBuilder) write(w *section.Writer, layout Layout) error {
	if layout.Texts && slices.ContainsFunc(b.places, func(at uint64) bool { return at != noText }) {
		if err := b.writeTexts(w); err != nil {
			return err
		}
	}
	if layout.Sources {
		b.writeSources(w)
	}
	return nil
}

// writeTexts writes the blocks that have texts of the documents that stay.
func (b *textBuilder) writeTexts(w *section.Writer) error {
	used := make([]bool, len(b.ends))
	for _, at := range b.places {
		if at != noText {
			used[at>>32] = true
		}
	}
	w.Begin(secTextBlocks)
	r := b.blocks.reader()
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
			return errCut
		} else if err != nil {
			return err
		}
		from = end
	}
	w.Begin(secTextEnds)
	w.Uint64s(ends)
	places := make([]uint64, len(b.places))
	for i, at := range b.places {
		if places[i] = at; at != noText {
			places[i] = numbers[at>>32]<<32 | at&(1<<32-1)
		}
	}
	w.Begin(secTextPlaces)
	w.Uint64s(places)
	return nil
}

// writeSources writes the sources of the documents that stay, and the paths that these name.
func (b *textBuilder) writeSources(w *section.Writer) {
	numbers := make([]uint32, len(b.paths))
	for i := range numbers {
		numbers[i] = noPath
	}
	var ends []uint64
	var names []byte
	of := make([]uint32, len(b.path))
	for doc, number := range b.path {
		of[doc] = noPath
		if number == noPath {
			continue
		}
		if numbers[number] == noPath {
			numbers[number] = uint32(len(ends))
			names = append(names, b.paths[number]...)
			ends = append(ends, uint64(len(names)))
		}
		of[doc] = numbers[number]
	}
	w.Begin(secSourcePaths)
	w.Uint32s(of)
	w.Begin(secSourceOffsets)
	w.Uint64s(b.offset)
	w.Begin(secSourceLengths)
	w.Uint32s(b.length)
	w.Begin(secSourceDigests)
	w.Uint64s(b.digest)
	w.Begin(secPathEnds)
	w.Uint64s(ends)
	w.Begin(secPathBytes)
	_, _ = w.Write(names) // w keeps the error
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

// sources are where the documents of a segment were read.
type sources struct {
	paths     section.Array[uint32]
	offsets   section.Array[uint64]
	lengths   section.Array[uint32]
	digests   section.Array[uint64]
	pathEnds  section.Array[uint64]
	pathBytes section.Array[byte]
}

func (t *texts) load(f *section.File, documents uint64) (err error) {
	if t.places, err = section.Integers[uint64](f, secTextPlaces, documents); err != nil {
		return err
	}
	if t.ends, err = wholeSection[uint64](f, secTextEnds, 8); err != nil {
		return err
	}
	t.blocks, err = wholeSection[byte](f, secTextBlocks, 1)
	return err
}

func (s *sources) load(f *section.File, documents uint64) (err error) {
	if s.paths, err = section.Integers[uint32](f, secSourcePaths, documents); err != nil {
		return err
	}
	if s.offsets, err = section.Integers[uint64](f, secSourceOffsets, documents); err != nil {
		return err
	}
	if s.lengths, err = section.Integers[uint32](f, secSourceLengths, documents); err != nil {
		return err
	}
	if s.digests, err = section.Integers[uint64](f, secSourceDigests, documents); err != nil {
		return err
	}
	if s.pathEnds, err = wholeSection[uint64](f, secPathEnds, 8); err != nil {
		return err
	}
	s.pathBytes, err = wholeSection[byte](f, secPathBytes, 1)
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
	text, ok, err = s.texts.of(doc)
	return text, ok, s.inFile(err)
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
	lo, hi, err := span(&t.ends, uint32(block))
	if err != nil {
		return nil, err
	}
	if lo > hi || hi > uint64(t.blocks.Len()) {
		return nil, t.ends.Corruptf(block, "block %d spans [%d, %d) of %d bytes", block, lo, hi, t.blocks.Len())
	}
	compressed, err := t.blocks.Range(lo, hi)
	if err != nil {
		return nil, err
	}
	d, err := decoder()
	if err != nil {
		return nil, err
	}
	raw, err := d.DecodeAll(compressed, make([]byte, 0, 2*blockBytes))
	if err != nil {
		return nil, t.blocks.Corruptf(lo, "block %d: %v", block, err)
	}
	c := &t.cache[t.next]
	c.block, c.raw = block, raw
	t.next = (t.next + 1) % len(t.cache)
	return raw, nil
}

// decoder returns the decoder of blocks, which several goroutines may use.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
})

// maxBlock is the largest size of a block that is read. Documents are shorter.
const maxBlock = 1 << 32

// Source returns where a document was read. ok is false if the segment does not know.
func (s *Segment) Source(doc uint32) (from Source, ok bool, err error) {
	if s.sources == nil {
		return from, false, nil
	}
	from, ok, err = s.sources.of(doc)
	return from, ok, s.inFile(err)
}

func (s *sources) of(doc uint32) (from Source, ok bool, err error) {
	i := uint64(doc)
	number, err := s.paths.At(i)
	if err != nil || number == noPath {
		return from, false, err
	}
	if uint64(number) >= uint64(s.pathEnds.Len()) {
		return from, false, s.paths.Corruptf(i, "the source of document %d is file %d of %d", doc, number, s.pathEnds.Len())
	}
	lo, hi, err := span(&s.pathEnds, number)
	if err != nil {
		return from, false, err
	}
	if lo > hi || hi > uint64(s.pathBytes.Len()) {
		return from, false, s.pathEnds.Corruptf(uint64(number), "path %d spans [%d, %d) of %d bytes", number, lo, hi, s.pathBytes.Len())
	}
	name, err := s.pathBytes.Range(lo, hi)
	if err != nil {
		return from, false, err
	}
	if from.Format, from.Path, ok = strings.Cut(string(name), "\x00"); !ok {
		return from, false, s.pathBytes.Corruptf(lo, "path %d has no format", number)
	}
	var errs [3]error
	var offset uint64
	var length uint32
	offset, errs[0] = s.offsets.At(i)
	length, errs[1] = s.lengths.At(i)
	from.Digest, errs[2] = s.digests.At(i)
	from.Offset, from.Length = int64(offset), int64(length)
	if err := errors.Join(errs[:]...); err != nil {
		return from, false, err
	}
	if from.Offset < 0 {
		return from, false, s.offsets.Corruptf(i, "document %d lies at byte %d", doc, offset)
	}
	return from, true, nil
}
