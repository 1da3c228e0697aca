package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"simsearch/internal/ground/section"
)

// A Batch is documents to delete, and documents to add after that, with notes of whoever makes the change. A log
// keeps what has not yet come to a segment as batches.
type Batch struct {
	Deletes   [][]byte // ids
	Documents []Document
	Notes     []Note
}

// A Note is what an index remembers under a key until a time. It is there after a crash if the documents of its batch
// are.
type Note struct {
	Key   NoteKey
	Until int64  // seconds since 1970, 0 or more
	Data  []byte // not empty
}

// A NoteKey is a hash of what a caller knows a note by.
type NoteKey [16]byte

// batchVersion is the first byte of a batch.
const batchVersion = 1

// batchHas returns the second byte of the batches of a layout: what its documents have.
func batchHas(l Layout) (has byte) {
	for bit, ok := range [...]bool{l.Bits > 0, l.Bits == 32 || l.Bits == 256, l.Sets, l.Sets && l.Positions > 0, l.Texts, l.Fields, l.Passages, l.isWide()} {
		if ok {
			has |= 1 << bit
		}
	}
	return has
}

// Append appends the bytes of b to dst, as internal/ground/section/FORMAT.md describes them, with what a segment of
// layout l keeps. The ids are not BadID, sets are strictly ascending, and signatures have l.Positions bytes.
//
// A document takes its id and 1 byte, 9 bytes for a fingerprint, 16 and its size for a set and 8
// for each feature. Blocks of texts take what they have.
func (b *Batch) Append(dst []byte, l Layout) []byte {
	dst = append(dst, batchVersion, batchHas(l))
	if l.Sets && l.Positions > 0 {
		dst = binary.AppendUvarint(dst, uint64(l.Positions))
	}
	dst = appendStrings(dst, b.Deletes)
	var texts, fields packing
	var rest []byte
	for i := range b.Documents {
		d := &b.Documents[i]
		rest = AppendString(rest, d.ID)
		if l.Bits > 0 {
			rest = appendFingerprint(rest, d, l.Bits)
		}
		if l.Sets {
			rest = appendSet(rest, d)
		}
		if l.Texts {
			rest = texts.append(rest, d.Texts, d.Number)
		}
		if l.Fields {
			rest = fields.append(rest, d.Fields, d.Number)
		}
		if l.Passages {
			rest = AppendString(rest, d.Words)
		}
	}
	if l.Texts {
		dst = appendStrings(dst, texts.blocks)
	}
	if l.Fields {
		dst = appendStrings(dst, fields.blocks)
	}
	dst = binary.AppendUvarint(dst, uint64(len(b.Documents)))
	dst = binary.AppendUvarint(append(dst, rest...), uint64(len(b.Notes)))
	for i := range b.Notes {
		n := &b.Notes[i]
		dst = binary.AppendUvarint(append(dst, n.Key[:]...), uint64(n.Until))
		dst = AppendString(dst, n.Data)
	}
	return dst
}

// appendStrings appends how many strings there are, and the strings.
func appendStrings(dst []byte, all [][]byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(all)))
	for _, s := range all {
		dst = AppendString(dst, s)
	}
	return dst
}

func appendFingerprint(dst []byte, d *Document, bits int) []byte {
	switch {
	case !d.HasFingerprint:
		return append(dst, 0)
	case bits == 32:
		return binary.LittleEndian.AppendUint32(append(dst, 1), uint32(d.Fingerprint))
	}
	dst = binary.LittleEndian.AppendUint64(append(dst, 1), d.Fingerprint)
	for _, word := range d.More[:bits/64-1] {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	return dst
}

// appendSet appends the size of a set and, unless it is empty, its digest, signature and features. Differences of the
// sorted features would save less than a byte of each: they are hashes, so that neighbours in a set of 100 differ by
// 57 bits.
func appendSet(dst []byte, d *Document) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(d.Set)))
	if len(d.Set) == 0 {
		return dst
	}
	dst = binary.LittleEndian.AppendUint64(dst, d.Digest[0])
	dst = binary.LittleEndian.AppendUint64(dst, d.Digest[1])
	dst = append(dst, d.Signature...)
	for _, x := range d.Set {
		dst = binary.LittleEndian.AppendUint64(dst, x)
	}
	return dst
}

// A packing is the blocks that have texts of the documents of a batch.
type packing struct {
	blocks  [][]byte
	numbers map[*byte]uint64 // of the blocks, and one more, by their first bytes
}

// append appends the place of text i of p.
func (b *packing) append(dst []byte, p *Packed, i int) []byte {
	if p == nil || p.places[i] == noText {
		return append(dst, 0)
	}
	block := p.blocks[p.places[i]>>32]
	if b.numbers == nil {
		b.numbers = map[*byte]uint64{}
	}
	if b.numbers[&block[0]] == 0 {
		b.blocks = append(b.blocks, block)
		b.numbers[&block[0]] = uint64(len(b.blocks))
	}
	dst = binary.AppendUvarint(dst, b.numbers[&block[0]])
	return binary.AppendUvarint(dst, p.places[i]&math.MaxUint32)
}

// DecodeBatch returns the batch whose bytes Append has made for layout l. Ids, signatures and notes
// are parts of data, which must not change. path names the file of data in errors, which are
// *section.CorruptError with offsets in data, or section.ErrVersion.
//
// It takes at most 64 KiB, twice the bytes of data, 500 bytes for each document and 64 for each string, of damaged
// data, too. A document is 2 bytes at least.
func DecodeBatch(path string, data []byte, l Layout) (*Batch, error) {
	d := batchDecoder{NewDecoder(data, func(at int, reason string) error {
		return &section.CorruptError{File: path, Section: "batch", Offset: int64(at), Reason: reason}
	})}
	b := d.batch(path, l)
	if err := d.End("the batch"); err != nil {
		return nil, err
	}
	return b, nil
}

type batchDecoder struct{ *Decoder }

// id returns an id that is not BadID.
func (d batchDecoder) id() []byte {
	id := d.String("an id")
	if why := BadID(id); why != "" {
		d.Fail("%s", why)
	}
	return id
}

func (d batchDecoder) batch(path string, l Layout) *Batch {
	version := d.Bytes(1, "a version")[0]
	if d.err == nil && version != batchVersion {
		d.err = section.InFile(path, fmt.Errorf("%w: a batch has version %d, this program knows %d", section.ErrVersion, version, batchVersion))
		return nil
	}
	if has := d.Bytes(1, "what documents have")[0]; d.err == nil && has != batchHas(l) {
		d.Fail("a batch of documents that have %07b, want %07b", has, batchHas(l))
	}
	if l.Sets && l.Positions > 0 {
		if n := d.Number(math.MaxInt32, "the size of a signature"); d.err == nil && n != uint64(l.Positions) {
			d.Fail("signatures of %d positions, want %d", n, l.Positions)
		}
	}
	b := &Batch{}
	for range d.Count("ids to delete") {
		b.Deletes = append(b.Deletes, d.id())
		if d.err != nil {
			return nil
		}
	}
	var texts, fields *Packed
	if l.Texts {
		texts = d.blocks()
	}
	if l.Fields {
		fields = d.blocks()
	}
	if n := d.Count("documents"); n > 0 {
		b.Documents = make([]Document, n)
	}
	for i := range b.Documents {
		o := &b.Documents[i]
		o.ID, o.Number = d.id(), i
		if l.Bits > 0 {
			d.fingerprint(o, l.Bits)
		}
		if l.Sets {
			d.set(o, l.Positions)
		}
		o.Texts, o.Fields = d.place(texts), d.place(fields)
		if l.Passages {
			o.Words = d.Bytes(d.Number(uint64(len(d.rest)), "the number of words"), "the codes of words")
		}
		if d.err != nil {
			return nil
		}
	}
	b.Notes = d.notes()
	return b
}

func (d batchDecoder) notes() (notes []Note) {
	for range d.Count("notes") {
		note := Note{}
		copy(note.Key[:], d.Bytes(uint64(len(note.Key)), "the key of a note"))
		note.Until, note.Data = int64(d.Number(math.MaxInt64, "the time of a note")), d.String("a note")
		if d.err != nil {
			return nil
		}
		notes = append(notes, note)
	}
	return notes
}

func (d batchDecoder) fingerprint(o *Document, bits int) {
	if o.HasFingerprint = d.Number(1, "whether there is a fingerprint") == 1; o.HasFingerprint {
		p := d.Bytes(uint64(bits)/8, "a fingerprint")
		o.Fingerprint = uint64(binary.LittleEndian.Uint32(p))
		if bits < 64 || d.err != nil {
			return
		}
		o.Fingerprint = binary.LittleEndian.Uint64(p)
		for i := range bits/64 - 1 {
			o.More[i] = binary.LittleEndian.Uint64(p[8*(i+1):])
		}
	}
}

func (d batchDecoder) set(o *Document, positions int) {
	n := d.Number(uint64(len(d.rest)/8), "the size of a set")
	if n == 0 {
		return
	}
	for i := range o.Digest {
		o.Digest[i] = binary.LittleEndian.Uint64(d.Bytes(8, "a digest"))
	}
	if positions > 0 {
		o.Signature = d.Bytes(uint64(positions), "a signature")
	}
	p := d.Bytes(8*n, "a set")
	if d.err != nil {
		return
	}
	o.Set = make([]uint64, n)
	for i := range o.Set {
		o.Set[i] = binary.LittleEndian.Uint64(p[8*i:])
		if i > 0 && o.Set[i] <= o.Set[i-1] {
			d.Fail("the set of %s does not ascend", o.ID)
			return
		}
	}
}

// blocks returns blocks of texts, the places of which are still to come.
func (d batchDecoder) blocks() *Packed {
	p := &Packed{}
	for range d.Count("blocks of texts") {
		p.blocks = append(p.blocks, bytes.Clone(d.String("a block of texts"))) // a Builder keeps it
		if d.err != nil {
			break
		}
	}
	return p
}

// place reads the place of the text of the next document, and returns p. A nil p has no texts.
func (d batchDecoder) place(p *Packed) *Packed {
	if p == nil {
		return nil
	}
	at := noText
	if block := d.Number(uint64(len(p.blocks)), "the block of a text"); block > 0 {
		at = place(int(block-1), int(d.Number(math.MaxUint32, "the place of a text")))
	}
	p.places = append(p.places, at)
	return p
}
