package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"

	"simsearch/section"
)

// DecodeBatch returns the batch whose bytes Append has made for layout l. Ids, signatures and blocks of texts
// are parts of data, which must not change. path names the file of data in errors, which are
// *section.CorruptError with offsets in data, or section.ErrVersion.
//
// It takes at most 64 KiB, twice the bytes of data, 500 bytes for each document and 32 for each id that is
// deleted, of damaged data, too. A document is 2 bytes at least.
func DecodeBatch(path string, data []byte, l Layout) (*Batch, error) {
	d := batchDecoder{path: path, data: data, rest: data}
	b := d.batch(l)
	if d.err == nil && len(d.rest) > 0 {
		d.fail("%d bytes follow the batch", len(d.rest))
	}
	if d.err != nil {
		return nil, d.err
	}
	return b, nil
}

// A batchDecoder reads a batch from its beginning to its end, and keeps the first error. After an error it
// returns zeros.
type batchDecoder struct {
	path       string
	data, rest []byte
	err        error
}

func (d *batchDecoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = &section.CorruptError{File: d.path, Section: "batch", Offset: int64(len(d.data) - len(d.rest)), Reason: fmt.Sprintf(format, args...)}
	}
	d.rest = nil
}

// bytes returns the next n bytes.
func (d *batchDecoder) bytes(n uint64, what string) []byte {
	if n > uint64(len(d.rest)) {
		d.fail("%s of %d bytes, and %d are left", what, n, len(d.rest))
		return nil
	}
	p := d.rest[:n:n]
	d.rest = d.rest[n:]
	return p
}

func (d *batchDecoder) byte() byte {
	if p := d.bytes(1, "a byte"); p != nil {
		return p[0]
	}
	return 0
}

func (d *batchDecoder) uint64(what string) uint64 {
	if p := d.bytes(8, what); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// number returns a number that is at most the given one, in its shortest form.
func (d *batchDecoder) number(most uint64, what string) uint64 {
	x, n := binary.Uvarint(d.rest)
	if n <= 0 || n > 1 && d.rest[n-1] == 0 {
		d.fail("%s is not a number", what)
		return 0
	}
	if x > most {
		d.fail("%s is %d, more than %d", what, x, most)
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

// strings returns what appendStrings has written, up to most strings. None is empty.
func (d *batchDecoder) strings(what string, most int) [][]byte {
	n := int(d.number(uint64(min(most, len(d.rest)/2)), "the number of "+what))
	if n == 0 {
		return nil
	}
	lengths := d.rest
	for range n {
		if d.number(math.MaxInt64, "a length") == 0 {
			d.fail("%s that are empty", what)
			return nil
		}
	}
	out := make([][]byte, n)
	for i := range out {
		length, size := binary.Uvarint(lengths)
		lengths = lengths[size:]
		if out[i] = d.bytes(length, what); d.err != nil {
			return nil
		}
	}
	return out
}

// ids returns ids that are not BadID.
func (d *batchDecoder) ids(what string) [][]byte {
	ids := d.strings(what, math.MaxInt)
	for _, id := range ids {
		if why := BadID(id); why != "" {
			d.fail("%s", why)
			return nil
		}
	}
	return ids
}

func (d *batchDecoder) batch(l Layout) *Batch {
	if v := d.byte(); d.err == nil && v != batchVersion {
		d.err = section.InFile(d.path, fmt.Errorf("%w: a batch has version %d, this program knows %d", section.ErrVersion, v, batchVersion))
		return nil
	}
	if has := d.byte(); d.err == nil && has != batchHas(l) {
		d.fail("a batch of documents that have %07b, want %07b", has, batchHas(l))
	}
	if l.Sets && l.Positions > 0 {
		if n := d.number(math.MaxInt32, "the size of a signature"); d.err == nil && n != uint64(l.Positions) {
			d.fail("signatures of %d positions, want %d", n, l.Positions)
		}
	}
	b := &Batch{Deletes: d.ids("ids to delete")}
	ids := d.ids("ids")
	if d.err != nil {
		return nil
	}
	if len(ids) > 0 {
		b.Documents = make([]Document, len(ids))
	}
	for i, id := range ids {
		b.Documents[i].ID = id
	}
	if l.Bits > 0 {
		d.fingerprints(b.Documents, l.Bits)
	}
	if l.Sets {
		d.sets(b.Documents, l.Positions)
	}
	if l.Texts {
		p := d.texts(len(b.Documents))
		for i := range b.Documents {
			b.Documents[i].Texts, b.Documents[i].Text = p, i
		}
	}
	if l.Fields {
		p := d.texts(len(b.Documents))
		for i := range b.Documents {
			b.Documents[i].Fields, b.Documents[i].Text = p, i
		}
	}
	if l.Sources {
		d.sources(b.Documents)
	}
	return b
}

func (d *batchDecoder) fingerprints(documents []Document, bits int) {
	masks := d.bytes(uint64(len(documents)+7)/8, "which documents have fingerprints")
	if d.err != nil {
		return
	}
	if rest := len(documents) % 8; rest > 0 && masks[len(masks)-1]>>rest != 0 {
		d.fail("fingerprints of more documents than there are")
	}
	for i := range documents {
		if masks[i/8]>>(i%8)&1 == 0 {
			continue
		}
		p := d.bytes(uint64(bits)/8, "a fingerprint")
		if d.err != nil {
			return
		}
		documents[i].HasFingerprint = true
		if bits == 32 {
			documents[i].Fingerprint = uint64(binary.LittleEndian.Uint32(p))
		} else {
			documents[i].Fingerprint = binary.LittleEndian.Uint64(p)
		}
	}
}

func (d *batchDecoder) sets(documents []Document, positions int) {
	sizes := d.rest
	total := uint64(0)
	for range documents {
		total += d.number(uint64(len(d.rest)/8), "the size of a set")
	}
	if total > uint64(len(d.rest)/8) {
		d.fail("%d features in %d bytes", total, len(d.rest))
	}
	if d.err != nil {
		return
	}
	features := make([]uint64, 0, total)
	for i := range documents {
		n, size := binary.Uvarint(sizes)
		sizes = sizes[size:]
		if n == 0 {
			continue
		}
		o := &documents[i]
		o.Digest = Digest{d.uint64("a digest"), d.uint64("a digest")}
		if positions > 0 {
			o.Signature = d.bytes(uint64(positions), "a signature")
		}
		p := d.bytes(8*n, "a set")
		if d.err != nil {
			return
		}
		lo := len(features)
		for ; len(p) > 0; p = p[8:] {
			x := binary.LittleEndian.Uint64(p)
			if len(features) > lo && x <= features[len(features)-1] {
				d.fail("the set of document %d does not ascend", i)
				return
			}
			features = append(features, x)
		}
		o.Set = features[lo:len(features):len(features)]
	}
}

func (d *batchDecoder) texts(documents int) *Packed {
	p := &Packed{blocks: d.strings("blocks of texts", documents)}
	sizes := make([]uint64, len(p.blocks))
	for i, block := range p.blocks {
		var h zstd.Header
		if err := h.Decode(block); err != nil || h.Skippable {
			d.fail("block %d of texts is no zstd frame", i)
			return nil
		}
		if sizes[i] = math.MaxUint32; h.HasFCS {
			sizes[i] = min(h.FrameContentSize, math.MaxUint32)
		}
		if sizes[i] == 0 {
			d.fail("block %d of texts is empty", i)
			return nil
		}
	}
	p.places = make([]uint64, documents)
	for i := range p.places {
		block := d.number(uint64(len(p.blocks)), "the block of a text")
		if block == 0 {
			p.places[i] = noText
			continue
		}
		p.places[i] = place(int(block-1), int(d.number(sizes[block-1]-1, "the place of a text")))
	}
	return p
}

func (d *batchDecoder) sources(documents []Document) {
	paths := d.strings("paths", len(documents))
	names := make([]Source, len(paths))
	for i, path := range paths {
		format, name, ok := bytes.Cut(path, []byte{0})
		if !ok {
			d.fail("path %d has no format", i)
			return
		}
		names[i] = Source{Format: string(format), Path: string(name)}
	}
	for i := range documents {
		number := d.number(uint64(len(paths)), "the file of a source")
		if number == 0 {
			continue
		}
		s := names[number-1]
		s.Offset = int64(d.number(math.MaxInt64, "the offset of a source"))
		s.Length = int64(d.number(math.MaxUint32, "the length of a source"))
		if s.Digest = d.uint64("the digest of a source"); d.err != nil {
			return
		}
		documents[i].Source = &s
	}
}
