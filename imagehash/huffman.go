package imagehash

// A huffmanTree maps the bits of a JPEG to entries of a table: the low byte is the number of bits to pass, and the rest is
//
//   - of means: the size of the difference that follows, which is not passed;
//   - of other coefficients: how many coefficients the code stands for. The bits of the value are passed, too.
//
// 0 is no code.
type huffmanTree struct {
	short [1 << shortBits]uint16 // by the first bits
	// Codes of each length that are longer: the first one and the one behind the last, from the highest bit of 16 on, and
	// the place of its entry.
	first, end [17]uint32
	at         [17]int
	entries    []uint16
}

// shortBits is the length of the codes that are looked up at once: nearly all, in a table of 8 KB.
const shortBits = 12

// newHuffmanTree reads a table and returns its size in bytes, or nil if it is none. others says that it is not of means.
func newHuffmanTree(s []byte, others bool) (tree *huffmanTree, size int) {
	if len(s) < 16 {
		return nil, 0
	}
	n := 0
	for _, count := range s[:16] {
		n += int(count)
	}
	if n > 256 || len(s) < 16+n {
		return nil, 0
	}
	t := &huffmanTree{}
	code, values := uint32(0), s[16:16+n]
	for length := 1; length <= 16; length++ {
		shift := 16 - length
		t.first[length], t.at[length] = code<<shift, len(t.entries)
		for range s[length-1] {
			if code >= 1<<length {
				return nil, 0
			}
			entry := entryOf(values[len(t.entries)], length, others)
			t.entries = append(t.entries, entry)
			if length <= shortBits {
				from := code << (shortBits - length)
				for i := range uint32(1) << (shortBits - length) {
					t.short[from+i] = entry
				}
			}
			code++
		}
		t.end[length] = code << shift
		code <<= 1
	}
	return t, 16 + n
}

// entryOf returns the entry of a code of so many bits.
func entryOf(value byte, length int, others bool) uint16 {
	run, size := uint16(value>>4), uint16(value&15)
	switch {
	case !others:
		return uint16(value)<<8 | uint16(length)
	case size == 0 && run < 15: // no more coefficients
		return blockSide*blockSide<<8 | uint16(length)
	}
	return (run+1)<<8 | uint16(length) + size
}

// entry returns the entry of the code that bits begin with, at the highest one.
func (t *huffmanTree) entry(bits uint64) uint16 {
	if e := t.short[bits>>(64-shortBits)]; e != 0 {
		return e
	}
	code := uint32(bits >> 48)
	for length := shortBits + 1; length <= 16; length++ {
		if code >= t.first[length] && code < t.end[length] {
			return t.entries[t.at[length]+int(code-t.first[length])>>(16-length)]
		}
	}
	return 0
}

// A bitReader reads the bits of a scan. Behind its end there are zeros; inside reports whether any of these were read.
type bitReader struct {
	data  []byte
	at    int    // of the next byte
	bits  uint64 // from the highest one on
	count int    // of them; less than 0 if more were read than there are
}

// fill makes 32 bits or more ready.
func (b *bitReader) fill() {
	for b.count <= 56 && b.at < len(b.data) {
		next := b.data[b.at]
		if next == 0xff {
			if b.at+1 == len(b.data) || b.data[b.at+1] != 0 {
				return // a marker
			}
			b.at++
		}
		b.at++
		b.bits |= uint64(next) << (56 - b.count)
		b.count += 8
	}
}

// pass passes n bits, at most 31.
func (b *bitReader) pass(n uint) {
	b.bits <<= n
	if b.count -= int(n); b.count < 0 {
		b.at = len(b.data) // all that follows are zeros
	}
}

// take returns the next n bits, at most 16.
func (b *bitReader) take(n uint) uint32 {
	b.fill()
	value := uint32(b.bits >> (64 - n))
	b.pass(n)
	return value
}

// inside reports whether no bits behind the end were read.
func (b *bitReader) inside() bool { return b.count >= 0 }

// passRestart passes the marker of a restart, which the rest of a byte comes before.
func (b *bitReader) passRestart() bool {
	b.fill()
	if b.count < 0 || b.count > 7 || b.at+2 > len(b.data) || b.data[b.at] != 0xff || b.data[b.at+1]&^7 != markerRestart {
		return false
	}
	b.at += 2
	b.bits, b.count = 0, 0
	return true
}
