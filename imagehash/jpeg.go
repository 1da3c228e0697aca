package imagehash

import "encoding/binary"

// The means of a JPEG
//
// A JPEG (ITU-T T.81) has the coefficients of blocks of 8 by 8 pixels, and the first one of each block is its mean.
// Averages of a picture need nothing else, so that neither other coefficients are computed nor colours. In a sequential file they
// must be passed over, since they stand in between; a progressive one has the means in scans of their own, at
// its beginning.
//
// What is rare is left to the decoder of the standard library: more than 8 bits, arithmetic coding, colours that are not
// YCbCr, luma of fewer pixels than another component, and everything that is damaged.

const blockSide = 8 // pixels

// A component is one of the colours of a JPEG.
type component struct {
	id, h, v, quantizer uint8
	dc, ac              uint8 // its Huffman tables, in the current scan
	last                int32 // mean of the last block, before it is scaled
}

// A jpegReader reads the means of the blocks of the luma.
type jpegReader struct {
	data       []byte // what has not been read
	components []component
	width      int // in pixels, as height
	height     int
	columns    int // of blocks of the luma, with those that fill the last units
	rows       int
	means      []int32 // of the blocks, before they are scaled

	progressive bool
	restart     int                // units between restarts, 0 for none
	quantizers  [4]int32           // the first element of each table, 0 without a table
	tables      [2][4]*huffmanTree // of means and of other coefficients
	bits        bitReader
}

// jpegMeans returns the means of the blocks of a JPEG, or nil if another decoder must read it.
func jpegMeans(data []byte) *levels {
	if Format(data) != "JPEG" {
		return nil
	}
	r := &jpegReader{data: data[2:]}
	if !r.read() {
		return nil
	}
	quantizer := r.quantizers[r.components[0].quantizer]
	line := make([]uint8, (r.width+blockSide-1)/blockSide)
	return &levels{r.width, r.height, blockSide, func(y int) []uint8 {
		for i, mean := range r.means[y*r.columns:][:len(line)] {
			line[i] = uint8(min(255, max(0, (int64(mean)*int64(quantizer)+4)>>3+128)))
		}
		return line
	}}
}

// Markers.
const (
	markerBaseline    = 0xc0
	markerExtended    = 0xc1
	markerProgressive = 0xc2
	markerHuffman     = 0xc4
	markerRestart     = 0xd0 // to 0xd7
	markerEnd         = 0xd9
	markerScan        = 0xda
	markerQuantizers  = 0xdb
	markerInterval    = 0xdd
	markerAdobe       = 0xee
)

// read reads segments until the means are known. It returns false if they cannot be.
func (r *jpegReader) read() bool {
	for {
		marker, segment, ok := r.segment()
		if !ok {
			return false
		}
		switch marker {
		case markerBaseline, markerExtended, markerProgressive:
			r.progressive = marker == markerProgressive
			ok = r.frame(segment)
		case markerHuffman:
			ok = r.huffman(segment)
		case markerQuantizers:
			ok = r.quantizer(segment)
		case markerInterval:
			if ok = len(segment) == 2; ok {
				r.restart = int(binary.BigEndian.Uint16(segment))
			}
		case markerAdobe:
			// The last byte says how three components are coded: 1 is YCbCr.
			ok = len(segment) < 12 || string(segment[:5]) != "Adobe" || segment[11] == 1
		case markerScan:
			var done bool
			if done, ok = r.scan(segment); done && ok {
				return r.quantizers[r.components[0].quantizer] != 0
			}
		default:
			// Other frames are lossless, hierarchical or arithmetic; other segments say nothing of pixels.
			ok = marker >= 0xe0 || marker == 0xc8
		}
		if !ok {
			return false
		}
	}
}

// segment returns the next segment, behind what a scan has left. ok is false at the end.
func (r *jpegReader) segment() (marker byte, segment []byte, ok bool) {
	for at := 0; at+4 <= len(r.data); at++ {
		m := r.data[at+1]
		if r.data[at] != 0xff || m == 0 || m == 0xff || m >= markerRestart && m < markerRestart+8 {
			continue
		}
		size := int(binary.BigEndian.Uint16(r.data[at+2:]))
		if m == markerEnd || size < 2 || size > len(r.data)-at-2 {
			return 0, nil, false
		}
		segment = r.data[at+4 : at+2+size]
		r.data = r.data[at+2+size:]
		return m, segment, true
	}
	return 0, nil, false
}

// frame reads the header of the frame.
func (r *jpegReader) frame(s []byte) bool {
	if r.components != nil || len(s) < 6 || s[0] != 8 || len(s) != 6+3*int(s[5]) || s[5] != 1 && s[5] != 3 {
		return false
	}
	r.height, r.width = int(binary.BigEndian.Uint16(s[1:])), int(binary.BigEndian.Uint16(s[3:]))
	for c := s[6:]; len(c) > 0; c = c[3:] {
		r.components = append(r.components, component{id: c[0], h: c[1] >> 4, v: c[1] & 15, quantizer: c[2] & 3})
	}
	luma := &r.components[0]
	if len(r.components) == 1 {
		luma.h, luma.v = 1, 1 // units are single blocks
	} else if luma.id == 'R' && r.components[1].id == 'G' && r.components[2].id == 'B' {
		return false
	}
	for _, c := range r.components {
		if c.h < 1 || c.v < 1 || c.h > luma.h || c.v > luma.v || luma.h > 4 || luma.v > 4 || luma.h%c.h != 0 || luma.v%c.v != 0 {
			return false
		}
	}
	across, down := r.units()
	r.columns, r.rows = across*int(luma.h), down*int(luma.v)
	r.means = make([]int32, r.columns*r.rows)
	return r.width > 0 && r.height > 0
}

// units returns the number of units of a scan of all components.
func (r *jpegReader) units() (across, down int) {
	luma := r.components[0]
	return units(r.width, int(luma.h)), units(r.height, int(luma.v))
}

// units returns how many units of so many blocks cover n pixels.
func units(n, blocks int) int { return (n + blocks*blockSide - 1) / (blocks * blockSide) }

// quantizer reads tables of quantization, of which the first element is of means.
func (r *jpegReader) quantizer(s []byte) bool {
	for len(s) > 0 {
		id, size := s[0]&15, 64
		wide := s[0]>>4 == 1
		if wide {
			size = 128
		}
		if id > 3 || len(s) < 1+size {
			return false
		}
		if r.quantizers[id] = int32(s[1]); wide {
			r.quantizers[id] = int32(binary.BigEndian.Uint16(s[1:]))
		}
		s = s[1+size:]
	}
	return true
}

// huffman reads Huffman tables.
func (r *jpegReader) huffman(s []byte) bool {
	for len(s) > 0 {
		class, id := s[0]>>4, s[0]&15
		if class > 1 || id > 3 {
			return false
		}
		tree, size := newHuffmanTree(s[1:], class == 1)
		if tree == nil {
			return false
		}
		r.tables[class][id], s = tree, s[1+size:]
	}
	return true
}

// scan reads a scan. done says that the means are known, and ok is false if they cannot be read.
func (r *jpegReader) scan(s []byte) (done, ok bool) {
	if r.components == nil || len(s) < 1 || len(s) != 4+2*int(s[0]) {
		return false, false
	}
	var of []*component
	for c := s[1 : 1+2*int(s[0])]; len(c) > 0; c = c[2:] {
		for i := range r.components {
			if r.components[i].id == c[0] {
				r.components[i].dc, r.components[i].ac = c[1]>>4&3, c[1]&3
				of = append(of, &r.components[i])
			}
		}
	}
	if len(of) != int(s[0]) || len(of) == 0 {
		return false, false
	}
	first, last, high, low := s[len(s)-3], s[len(s)-2], s[len(s)-1]>>4, s[len(s)-1]&15
	if r.progressive && (first != 0 || last != 0) || of[0] != &r.components[0] {
		return false, true // of other coefficients, or other components
	}
	if !r.progressive && (high != 0 || low != 0) || low > 13 {
		return false, false
	}
	r.bits = bitReader{data: r.data}
	ok = r.readUnits(of, high, low)
	r.data = r.data[r.bits.at:]
	return !r.progressive || low == 0, ok
}

// readUnits reads the blocks of a scan, unit by unit.
func (r *jpegReader) readUnits(of []*component, high, low uint8) bool {
	across, down := r.units()
	if len(of) == 1 {
		across, down = units(r.width, 1), units(r.height, 1)
	}
	luma := of[0]
	for n := range across * down {
		if n%max(1, r.restart) == 0 && (n == 0 || r.restart > 0) {
			if n > 0 && !r.bits.passRestart() {
				return false
			}
			for _, c := range of {
				c.last = 0
			}
		}
		for _, c := range of {
			h, v := int(c.h), int(c.v)
			if len(of) == 1 {
				h, v = 1, 1
			}
			for b := range h * v {
				mean, ok := r.block(c, high)
				if !ok {
					return false
				}
				if c != luma {
					continue
				}
				at := &r.means[(n/across*v+b/h)*r.columns+n%across*h+b%h]
				if high == 0 {
					*at = mean << low
				} else {
					*at |= mean << low
				}
			}
		}
	}
	return r.bits.inside()
}

// block returns the mean of the next block or, if high is not 0, a bit of it.
func (r *jpegReader) block(c *component, high uint8) (mean int32, ok bool) {
	if high != 0 {
		return int32(r.bits.take(1)), true
	}
	means, others := r.tables[0][c.dc], r.tables[1][c.ac]
	if means == nil || others == nil && !r.progressive {
		return 0, false
	}
	r.bits.fill()
	entry := means.entry(r.bits.bits)
	size := entry >> 8
	if entry == 0 || size > 15 {
		return 0, false
	}
	r.bits.pass(uint(entry & 0xff))
	if size > 0 {
		value := int32(r.bits.take(uint(size)))
		if value < 1<<(size-1) {
			value += -1<<size + 1
		}
		c.last += value
		if c.last < -1<<16 || c.last > 1<<16 {
			return 0, false
		}
	}
	if r.progressive {
		return c.last, true
	}
	for k := 1; k < blockSide*blockSide; {
		r.bits.fill()
		entry := others.entry(r.bits.bits)
		if entry == 0 {
			return 0, false
		}
		r.bits.pass(uint(entry & 0xff))
		k += int(entry >> 8)
	}
	return c.last, true
}
