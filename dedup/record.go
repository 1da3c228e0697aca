package dedup

import (
	"encoding/binary"

	"simsearch/analysis"
)

// A docRecord is what is remembered of a document when it has been read. Journals and states have the bytes of records, and
// what was read before is taken up as what is read now is.
type docRecord struct {
	file, line uint32 // where it was read; the line is 0 if it is the whole file
	id         []byte
	length     uint32 // of the text, or of the file of a picture, in bytes
	digest     uint64 // see digestOf
	value      []byte // of the field of Options.Keep
	units      []unit
}

// A unit is what is compared with others: a document, or a part of its text. It has a set of features, unless it is
// near nothing.
type unit struct {
	kind kind
	// digest is that of the set of a document. Of a part, it is the key of its words in their order.
	digest analysis.Digest
	size   uint32   // of the set
	set    []uint64 // nil if the sets are elsewhere
}

// A kind says what a unit is.
type kind uint8

const (
	noUnit    kind = iota // it has nothing to compare
	whole                 // a document
	longPart              // a part that may be cut
	shortPart             // a part of fewer words
	kinds
)

// append appends the bytes of r, without its sets, to dst.
func (r *docRecord) append(dst []byte) []byte {
	number := func(x uint64) { dst = binary.AppendUvarint(dst, x) }
	text := func(b []byte) {
		number(uint64(len(b)))
		dst = append(dst, b...)
	}
	number(uint64(r.file))
	number(uint64(r.line))
	text(r.id)
	number(uint64(r.length))
	dst = binary.LittleEndian.AppendUint64(dst, r.digest)
	text(r.value)
	number(uint64(len(r.units)))
	for _, u := range r.units {
		number(uint64(u.size)*uint64(kinds) + uint64(u.kind))
		if u.kind != noUnit {
			dst = binary.LittleEndian.AppendUint64(dst, u.digest[0])
			number(u.digest[1])
		}
	}
	return dst
}

// A recordReader reads records from their bytes. After an error, bad is set.
type recordReader struct {
	b   []byte
	bad bool
}

// read reads the next record. Its id and its value are parts of the bytes.
func (p *recordReader) read(r *docRecord) {
	r.file, r.line, r.id = p.uint32(), p.uint32(), p.take(p.number())
	r.length, r.digest, r.value = p.uint32(), p.uint64(), p.take(p.number())
	r.units = r.units[:0]
	for n := p.number(); n > 0 && !p.bad; n-- {
		sized := p.number()
		u := unit{kind: kind(sized % uint64(kinds)), size: uint32(sized / uint64(kinds))}
		if u.kind != noUnit {
			u.digest = analysis.Digest{p.uint64(), p.number()}
		}
		p.bad = p.bad || sized/uint64(kinds) > 1<<32-1 || u.size > 0 && u.kind != whole && u.kind != longPart
		r.units = append(r.units, u)
	}
}

// take takes the next n bytes.
func (p *recordReader) take(n uint64) []byte {
	if n > uint64(len(p.b)) {
		p.bad, p.b = true, nil
		return nil
	}
	b := p.b[:n:n]
	p.b = p.b[n:]
	return b
}

func (p *recordReader) number() uint64 {
	x, n := binary.Uvarint(p.b)
	p.take(uint64(max(n, 0)))
	p.bad = p.bad || n <= 0
	return x
}

func (p *recordReader) uint32() uint32 {
	x := p.number()
	p.bad = p.bad || x > 1<<32-1
	return uint32(x)
}

func (p *recordReader) uint64() uint64 {
	if b := p.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
