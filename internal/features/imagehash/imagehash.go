// Package imagehash makes 64-bit hashes of pictures that look alike after they were scaled, compressed
// again or changed a little: near pictures have hashes at a small Hamming distance.
//
//	p, err := imagehash.Decode(data, imagehash.MaxPixels) // a PNG, JPEG, GIF or WebP file
//	hash, ok := imagehash.Usual.Of(p)
//
// They are the hashes of the Python library ImageHash 4.3.2, so that those which it made can be searched beside ours.
// Hashes know light and dark alone, not colours. A picture that was turned by 90 degrees or mirrored is
// another one, unless its EXIF orientation says so.
package imagehash

import (
	"math/bits"
	"slices"

	"simsearch/internal/ground/ints"
)

// A Kind is a way to make a hash. The zero Kind is none. Its text form is its name.
type Kind uint8

// The kinds.
const (
	// Difference is the difference hash (dHash) of N. Krawetz, "Kind of Like That", 2013,
	// https://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html: the picture is
	// made small, 9 columns of 8 rows, and a bit is set if a cell is lighter than the one to its
	// left. The bits are in the order of reading, the first one is the highest. Equal cells give 0.
	Difference Kind = iota + 1
	// DCT is the hash of the discrete cosine transform (pHash) of C. Zauner, "Implementation and
	// Benchmarking of Perceptual Image Hash Functions", 2010, section 3.2.1, in the variant of the Python
	// library ImageHash: the picture is made small, 32 by 32, transformed, and a bit is set if one of
	// the 8 by 8 coefficients of the lowest frequencies is above their median. The coefficient of
	// frequency 0 counts, too: its bit, the highest one, is nearly always set.
	DCT
)

// Version is the version of the hashes. Hashes of one version can be compared. In version 1, pictures were made small
// by the mean of the pixels of each cell, which is no other library's hash.
const Version = 2

// Usual is the kind to choose if nothing speaks for another one: of 10,000 different pictures it brings the fewest near
// each other by chance (docs/IMAGES.md).
const Usual = DCT

// Unbordered is the name of the field of pictures that have a border: what Inside returns, in hexadecimal.
const Unbordered = "unbordered"

var kindNames = &ints.Names{Type: "Kind", What: "hash of pictures", First: 1, All: []string{"none", "difference", "dct"}}

// String returns the name of k.
func (k Kind) String() string { return kindNames.String(uint8(k)) }

// MarshalText returns the name of k.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), k.Validate() }

// UnmarshalText reads the name of a kind other than none. The error lists them.
func (k *Kind) UnmarshalText(name []byte) error { return ints.ParseName(kindNames, k, name) }

// Validate returns an error if there is no such kind. The zero Kind is one.
func (k Kind) Validate() error { return kindNames.Validate(uint8(k)) }

// Of returns the hash of a picture, turned as its orientation says; what is transparent is white. ok is false if
// the picture is flat: then the hash would be of noise, and equal for all pages of one colour. It panics if
// k is none of the kinds.
func (k Kind) Of(p *Picture) (hash uint64, ok bool) {
	return k.of(p, levelsOf(p.Image), turning(p.Orientation))
}

// Positions returns the hashes of a picture as it is to be seen, which is the first, and turned by quarters and
// mirrored: eight in all, or none if the picture is flat. If it has a border of one level at any side, which leaves
// half of its width and of its height at least, those of the picture without the border follow.
func (k Kind) Positions(p *Picture) (hashes []uint64) {
	l := levelsOf(p.Image)
	hashes = k.positions(p, l)
	if inner := l.withoutBorder(); inner != nil {
		hashes = append(hashes, k.positions(p, inner)...)
	}
	return hashes
}

// positions returns the hashes of all eight positions of a picture with these levels, or none if that is flat.
func (k Kind) positions(p *Picture, l *levels) (hashes []uint64) {
	for i := range 8 {
		hash, ok := k.of(p, l, turning((max(1, p.Orientation)-1+i)%8+1))
		if !ok {
			return nil
		}
		hashes = append(hashes, hash)
	}
	return hashes
}

// Turned appends to dst the hashes in other positions of a picture, of which the hash as it is to be seen is known: the
// seven others by DCT, and by Difference those that are mirrored, upside down, or both. For the zero Kind there are
// none. They are a few bits from those of Positions, usually 2 to 4 by DCT, since the median moves when waves change
// their signs. Hashes that are turned in the same way keep their distance.
func (k Kind) Turned(dst []uint64, hash uint64) []uint64 {
	// Waves change their signs if columns, or rows, are mirrored.
	const odd, oddRows = 0x5555555555555555, 0x00ff00ff00ff00ff
	switch k {
	case Difference:
		dst = append(dst, bits.ReverseBytes64(hash), ^bits.Reverse64(hash), ^bits.ReverseBytes64(bits.Reverse64(hash)))
	case DCT:
		other := transposed(hash)
		dst = append(dst, hash^odd, hash^oddRows, hash^odd^oddRows, other, other^odd, other^oddRows, other^odd^oddRows)
	}
	return dst
}

// transposed returns a hash of 8 rows of 8 bits with rows as columns (Hacker's Delight, 7-3).
func transposed(hash uint64) uint64 {
	for _, step := range [...]struct {
		by   int
		mask uint64
	}{{7, 0x00aa00aa00aa00aa}, {14, 0x0000cccc0000cccc}, {28, 0x00000000f0f0f0f0}} {
		swapped := (hash ^ hash>>step.by) & step.mask
		hash ^= swapped ^ swapped<<step.by
	}
	return hash
}

// Distance returns the least distance of a hash of one picture and one of another, in any of the positions that Turned
// knows. A picture has one or two: as it is, and inside its border.
func (k Kind) Distance(a, b []uint64) int {
	var others [8]uint64
	least := 64
	for _, one := range a {
		for _, position := range k.Turned(append(others[:0], one), one) {
			for _, other := range b {
				least = min(least, bits.OnesCount64(position^other))
			}
		}
	}
	return least
}

// Inside returns the hash of a picture without its border. ok is false if it has none, as Positions says, or is flat.
func (k Kind) Inside(p *Picture) (hash uint64, ok bool) {
	if inner := levelsOf(p.Image).withoutBorder(); inner != nil {
		hash, ok = k.of(p, inner, turning(p.Orientation))
	}
	return hash, ok
}

// of returns the hash of a picture with these levels that is turned.
func (k Kind) of(p *Picture, l *levels, t turning) (hash uint64, ok bool) {
	if p.Image.Bounds().Empty() {
		return 0, false
	}
	switch k {
	case Difference:
		cells := t.small(l, differenceColumns, differenceRows)
		return difference(cells), !flat(cells)
	case DCT:
		cells := t.small(l, dctSide, dctSide)
		return dct(cells), !flat(cells)
	}
	panic("imagehash: no such kind of hash")
}

// leastContrast is how far the darkest and the lightest cell of a picture that is not flat are apart, in levels
// of 255. JPEG moves the cells of a page of one colour by up to 2 levels.
const leastContrast = 4

// flat reports whether cells are nearly the same.
func flat(cells []uint8) bool { return slices.Max(cells)-slices.Min(cells) < leastContrast }

const (
	differenceColumns = 9
	differenceRows    = 8
)

// difference returns the difference hash of 9 columns of 8 rows.
func difference(cells []uint8) (hash uint64) {
	for y := range differenceRows {
		row := cells[y*differenceColumns:][:differenceColumns]
		for x := 1; x < len(row); x++ {
			hash <<= 1
			if row[x] > row[x-1] {
				hash |= 1
			}
		}
	}
	return hash
}
