package segment

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A Batch is documents to delete, and documents to add after that. A log keeps what has not yet come to a
// segment as batches.
type Batch struct {
	Deletes   [][]byte // ids
	Documents []Document
}

// batchVersion is the first byte of a batch.
const batchVersion = 1

// Bits of the second byte of a batch: what its documents have.
const (
	batchFingerprints = 1 << iota
	batchNarrow       // fingerprints of 32 bits, in 4 bytes
	batchSets
	batchSignatures
	batchTexts
	batchFields
	batchSources
)

// batchHas returns the second byte of the batches of a layout.
func batchHas(l Layout) (has byte) {
	for bit, ok := range map[byte]bool{
		batchFingerprints: l.Bits > 0,
		batchNarrow:       l.Bits == 32,
		batchSets:         l.Sets,
		batchSignatures:   l.Sets && l.Positions > 0,
		batchTexts:        l.Texts,
		batchFields:       l.Fields,
		batchSources:      l.Sources,
	} {
		if ok {
			has |= bit
		}
	}
	return has
}

// Append appends the bytes of b to dst, as docs/FORMAT.md describes them, with what a segment of layout l
// keeps. The ids are not BadID, sets are strictly ascending, and signatures have l.Positions bytes. A source
// that a segment does not keep, as its length is too large, is left out.
//
// A document takes its id and 1 byte, 8 bytes and a bit for a fingerprint, 16 and its size for a set and 8
// for each feature. Blocks of texts take what they have.
func (b *Batch) Append(dst []byte, l Layout) []byte {
	dst = append(dst, batchVersion, batchHas(l))
	if l.Sets && l.Positions > 0 {
		dst = binary.AppendUvarint(dst, uint64(l.Positions))
	}
	dst = appendStrings(dst, len(b.Deletes), func(i int) []byte { return b.Deletes[i] })
	dst = appendStrings(dst, len(b.Documents), func(i int) []byte { return b.Documents[i].ID })
	if l.Bits > 0 {
		dst = b.appendFingerprints(dst, l.Bits)
	}
	if l.Sets {
		dst = b.appendSets(dst)
	}
	if l.Texts {
		dst = b.appendTexts(dst, func(d *Document) *Packed { return d.Texts })
	}
	if l.Fields {
		dst = b.appendTexts(dst, func(d *Document) *Packed { return d.Fields })
	}
	if l.Sources {
		dst = b.appendSources(dst)
	}
	return dst
}

// appendStrings appends how many strings there are, their lengths, and the strings.
func appendStrings[S ~string | ~[]byte](dst []byte, n int, of func(i int) S) []byte {
	dst = binary.AppendUvarint(dst, uint64(n))
	for i := range n {
		dst = binary.AppendUvarint(dst, uint64(len(of(i))))
	}
	for i := range n {
		dst = append(dst, of(i)...)
	}
	return dst
}

// appendFingerprints appends which documents have a fingerprint, and the fingerprints of those.
func (b *Batch) appendFingerprints(dst []byte, bits int) []byte {
	for lo := 0; lo < len(b.Documents); lo += 8 {
		mask := byte(0)
		for i, d := range b.Documents[lo:min(lo+8, len(b.Documents))] {
			if d.HasFingerprint {
				mask |= 1 << i
			}
		}
		dst = append(dst, mask)
	}
	for i := range b.Documents {
		switch d := &b.Documents[i]; {
		case !d.HasFingerprint:
		case bits == 32:
			dst = binary.LittleEndian.AppendUint32(dst, uint32(d.Fingerprint))
		default:
			dst = binary.LittleEndian.AppendUint64(dst, d.Fingerprint)
		}
	}
	return dst
}

// appendSets appends the sizes of the sets, then each set that is not empty: its digest, signature and
// features. Differences of the sorted features would save less than a byte of each: they are hashes, so that
// neighbours in a set of 100 differ by 57 bits.
func (b *Batch) appendSets(dst []byte) []byte {
	for i := range b.Documents {
		dst = binary.AppendUvarint(dst, uint64(len(b.Documents[i].Set)))
	}
	for i := range b.Documents {
		d := &b.Documents[i]
		if len(d.Set) == 0 {
			continue
		}
		dst = binary.LittleEndian.AppendUint64(dst, d.Digest[0])
		dst = binary.LittleEndian.AppendUint64(dst, d.Digest[1])
		dst = append(dst, d.Signature...)
		for _, x := range d.Set {
			dst = binary.LittleEndian.AppendUint64(dst, x)
		}
	}
	return dst
}

// appendTexts appends the blocks that have texts of the documents, and the place of each text.
func (b *Batch) appendTexts(dst []byte, of func(d *Document) *Packed) []byte {
	numbers := map[packedBlock]int{}
	var blocks [][]byte
	places := make([]byte, 0, 4*len(b.Documents))
	for i := range b.Documents {
		d := &b.Documents[i]
		p := of(d)
		if p == nil || p.places[d.Text] == noText {
			places = append(places, 0)
			continue
		}
		at := p.places[d.Text]
		number, ok := numbers[packedBlock{p, at >> 32}]
		if !ok {
			number = len(blocks)
			numbers[packedBlock{p, at >> 32}] = number
			blocks = append(blocks, p.blocks[at>>32])
		}
		places = binary.AppendUvarint(places, uint64(number)+1)
		places = binary.AppendUvarint(places, at&math.MaxUint32)
	}
	dst = appendStrings(dst, len(blocks), func(i int) []byte { return blocks[i] })
	return append(dst, places...)
}

// appendSources appends the formats and paths, each once, and the source of each document.
func (b *Batch) appendSources(dst []byte) []byte {
	numbers := map[string]int{}
	var paths []string
	var sources []byte
	for i := range b.Documents {
		s := b.Documents[i].Source
		if s == nil || s.Offset < 0 || s.Length < 0 || s.Length > math.MaxUint32 {
			sources = append(sources, 0)
			continue
		}
		key := s.Format + "\x00" + s.Path
		number, ok := numbers[key]
		if !ok {
			number = len(paths)
			numbers[key] = number
			paths = append(paths, key)
		}
		sources = binary.AppendUvarint(sources, uint64(number)+1)
		sources = binary.AppendUvarint(sources, uint64(s.Offset))
		sources = binary.AppendUvarint(sources, uint64(s.Length))
		sources = binary.LittleEndian.AppendUint64(sources, s.Digest)
	}
	dst = appendStrings(dst, len(paths), func(i int) string { return paths[i] })
	return append(dst, sources...)
}

// AddBatch adds copies of the documents of a batch, with their texts and fields. What the batch deletes is the
// business of the caller.
func (b *Builder) AddBatch(batch *Batch) {
	texts, fields := map[packedBlock]int{}, map[packedBlock]int{}
	for i := range batch.Documents {
		d := &batch.Documents[i]
		b.addUnpacked(d)
		if b.layout.Texts {
			b.texts.addCopy(d.Texts, d.Text, texts)
		}
		if b.layout.Fields {
			b.fields.addCopy(d.Fields, d.Text, fields)
		}
	}
}

// A packedBlock is a block of texts that is copied once.
type packedBlock struct {
	p      *Packed
	number uint64
}

// addCopy adds the next document, whose text is text i of p, with a copy of its block. copies has the numbers
// of the copies that have been made. It has no text if p is nil.
func (b *textBuilder) addCopy(p *Packed, i int, copies map[packedBlock]int) {
	if p == nil || p.places[i] == noText {
		b.places = append(b.places, noText)
		return
	}
	at := p.places[i]
	from := packedBlock{p, at >> 32}
	number, ok := copies[from]
	if !ok {
		number = len(b.ends)
		copies[from] = number
		base := b.base
		b.addBlocks(&Packed{blocks: [][]byte{bytes.Clone(p.blocks[from.number])}})
		b.base = base
	}
	b.places = append(b.places, place(number, int(uint32(at))))
}
