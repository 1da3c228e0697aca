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
