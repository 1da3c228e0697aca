package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"sync"

	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// A Kept is what is kept of a document: its text or, in the place of that, where it was read. It is zero for a document
// of which nothing is kept; an empty text is not nil.
type Kept struct {
	Text   []byte
	Source *Source
}

// A Source is the place in a file from which a document was read.
type Source struct {
	Path, Format   string // an absolute path; a format that has no NUL in its name
	Offset, Length int64
	Digest         uint64 // of the text
}

// append appends the bytes of k, as they stand in blocks: twice their length, and one more for a source, and the
// text; of a source its numbers, format, NUL and path.
func (k *Kept) append(dst []byte) []byte {
	s := k.Source
	if s == nil {
		dst = binary.AppendUvarint(dst, 2*uint64(len(k.Text)))
		return append(dst, k.Text...)
	}
	dst = binary.AppendUvarint(dst, 2*uint64(sourceNumbers+len(s.Format)+1+len(s.Path))+1)
	for _, x := range [...]uint64{uint64(s.Offset), uint64(s.Length), s.Digest} {
		dst = binary.LittleEndian.AppendUint64(dst, x)
	}
	dst = append(append(dst, s.Format...), 0)
	return append(dst, s.Path...)
}

// sourceNumbers is the number of bytes of the numbers of a source.
const sourceNumbers = 24

// readKept reads what append has written, from the beginning of raw. ok is false if it has not.
func readKept(raw []byte) (k Kept, ok bool) {
	head, n := binary.Uvarint(raw)
	if n <= 0 || head/2 > uint64(len(raw)-n) {
		return k, false
	}
	text := raw[n : n+int(head/2)]
	if head%2 == 0 {
		return Kept{Text: text}, true
	}
	if len(text) < sourceNumbers {
		return k, false
	}
	format, path, ok := bytes.Cut(text[sourceNumbers:], []byte{0})
	offset, length := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
	k.Source = &Source{string(path), string(format), int64(offset), int64(length), binary.LittleEndian.Uint64(text[16:])}
	return k, ok && max(offset, length) <= math.MaxInt64
}

// textSections are the names of the sections of texts.
type textSections struct{ places, ends, blocks string }

// What is kept of documents: their texts or sources, and the values of their fields.
var (
	secTexts  = textSections{"texts.places", "texts.blocks.ends", "texts.blocks"}
	secFields = textSections{"fields.places", "fields.blocks.ends", "fields.blocks"}
)

// A textBuilder gathers the texts of documents, or their kept fields.
type textBuilder struct {
	names  textSections
	blocks spill.Bytes
	ends   []uint64 // of each block, in bytes
	places []uint64 // of each document

	from    *Packed  // that has the text of the last document
	numbers []uint64 // of the blocks of from, and one more; 0 for those that have not been added
}

// add adds the next document, whose text is text i of p, with its block, which it keeps. It has none if p is nil.
func (b *textBuilder) add(p *Packed, i int) {
	if p == nil || p.places[i] == noText {
		b.places = append(b.places, noText)
		return
	}
	if p != b.from {
		b.from, b.numbers = p, make([]uint64, len(p.blocks))
	}
	at := p.places[i]
	number := &b.numbers[at>>32]
	if *number == 0 {
		block := p.block(int(at >> 32))
		b.blocks.Add(block)
		end := uint64(len(block))
		if len(b.ends) > 0 {
			end += b.ends[len(b.ends)-1]
		}
		b.ends = append(b.ends, end)
		*number = uint64(len(b.ends))
	}
	b.places = append(b.places, place(int(*number-1), int(uint32(at))))
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
	w.Begin(b.names.ends).Uint64s(ends)
	places := make([]uint64, len(b.places))
	for i, at := range b.places {
		if places[i] = at; at != noText {
			places[i] = place(int(numbers[at>>32]), int(uint32(at)))
		}
	}
	w.Begin(b.names.places).Uint64s(places)
	return nil
}

// texts are the texts of the documents of a segment, compressed in blocks.
type texts struct {
	places section.Array[uint64]
	blocks items

	mu    sync.Mutex
	cache [4]struct { // blocks that were read last
		block uint64
		raw   []byte // nil if there is none
	}
	next int // which is replaced next
}

// loadTexts returns the texts of a segment, or nil if none are kept.
func loadTexts(f *section.File, names textSections, documents uint64) *texts {
	if !f.Has(names.places) {
		return nil
	}
	t := &texts{places: section.Integers[uint64](f, names.places, documents)}
	t.blocks.load(f, names.ends, names.blocks, section.Any)
	return t
}

// leastLoose is the size of texts in bytes from which on it pays to make their blocks dense.
const leastLoose = 1 << 20

// Loose reports whether texts are kept in the fast form, so that a merge makes the file smaller.
func (s *Segment) Loose() bool {
	if s.texts == nil || s.texts.blocks.bytes.Len() < leastLoose {
		return false
	}
	form := byte(0)
	_ = section.DamageOf(func() { form = s.texts.blocks.at(0)[0] })
	return form == fastForm
}

// Text returns what is kept of a document. The caller must not change the text.
func (s *Segment) Text(doc uint32) Kept {
	return s.texts.of(s.deleted.At(doc))
}

// Fields returns the kept fields of a document, as document.Field reads them. They are nil if the segment keeps
// none of it. The caller must not change them.
func (s *Segment) Fields(doc uint32) []byte {
	return s.fields.of(s.deleted.At(doc)).Text
}

// of returns what t has of document doc of the file. A nil t has nothing.
func (t *texts) of(doc uint32) (k Kept) {
	if t == nil {
		return k
	}
	at := t.places.At(uint64(doc))
	if at == noText {
		return k
	}
	raw := t.block(doc, at>>32)
	k, ok := readKept(raw[min(uint64(uint32(at)), uint64(len(raw))):])
	if !ok {
		panic(t.places.Corruptf(uint64(doc), "the text of document %d begins at byte %d of %d of a block", doc, uint32(at), len(raw)))
	}
	return k
}

// block returns a block, decompressed.
func (t *texts) block(doc uint32, block uint64) []byte {
	if raw := t.cached(block); raw != nil {
		return raw
	}
	raw, err := unpack(t.compressed(doc, block))
	if err != nil {
		panic(t.blocks.ends.Corruptf(block, "block %d: %v", block, err))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.cache[t.next]
	c.block, c.raw = block, raw
	t.next = (t.next + 1) % len(t.cache)
	return raw
}

// cached returns a block that was read last, or nil.
func (t *texts) cached(block uint64) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.cache {
		if c.raw != nil && c.block == block {
			return c.raw
		}
	}
	return nil
}

// compressed returns the block that has the text of a document, as it lies in the file.
func (t *texts) compressed(doc uint32, block uint64) []byte {
	if block >= uint64(t.blocks.ends.Len()) {
		panic(t.places.Corruptf(uint64(doc), "the text of document %d is in block %d of %d", doc, block, t.blocks.ends.Len()))
	}
	return t.blocks.at(block)
}

// smallBlock is the share of the size at which blocks end below which a block, compressed, is made anew with others.
const smallBlock = 16

// take returns the texts of the live documents of s, by their numbers, in the dense form. Small blocks, and blocks
// that have lost half of their texts, are made anew from the texts that are left. A nil t has no texts, and the
// result is nil.
func (t *texts) take(s *Segment, passages bool) *Packed {
	if t == nil {
		return nil
	}
	blocks := make([]struct {
		stored, live int    // texts
		compressed   []byte // of a block that is copied
		number       int    // of that in the result
	}, t.blocks.ends.Len())
	p := &Packed{places: make([]uint64, 0, s.Documents()), size: sizeOf(passages), dense: true}
	for doc := range uint32(s.documents) {
		at := t.places.At(uint64(doc))
		if at == noText {
			continue
		}
		compressed := t.compressed(doc, at>>32)
		b := &blocks[at>>32]
		b.compressed = compressed
		if b.stored++; !s.deleted.Has(doc) {
			b.live++
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.live == 0 || 2*b.live < b.stored || len(b.compressed) < p.size/smallBlock {
			b.compressed = nil
			continue
		}
		b.number = len(p.blocks)
		p.blocks = append(p.blocks, b.compressed)
	}
	e := beginBlock()
	defer encoders.Put(e)
	for doc := range uint32(s.documents) {
		if s.deleted.Has(doc) {
			continue
		}
		at := t.places.All[doc]
		if at != noText {
			if b := &blocks[at>>32]; b.compressed != nil {
				at = place(b.number, int(uint32(at)))
			} else {
				k := t.of(doc)
				at = p.pack(e, &k)
			}
		}
		p.places = append(p.places, at)
	}
	p.end(e)
	return p
}
