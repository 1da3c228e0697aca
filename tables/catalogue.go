package tables

import (
	"math/bits"
)

// The catalogue has covering designs, and not only all combinations of blocks, since a covering needs
// fewer tables for headers of the same width. Six tables with headers of about 21 bits find distance 3.
// All combinations need ten tables with 25 bits, or four with 16.

// coveringDesign returns the design of a covering over fingerprints of width bits: the blocks outside of
// a don't-care set are a header.
func coveringDesign(c covering, width int) Design {
	headers := make([]uint64, len(c.DontCare))
	for i, s := range c.DontCare {
		headers[i] = lowBits(c.Blocks) &^ s
	}
	return fromBlocks(width, c.Blocks, c.K, headers)
}

// catalogue calls yield for every known design that finds distance k in fingerprints of width bits
// and has at most the given number of tables, until yield returns false. These are all combinations
// of blocks, the coverings found by search, and those of projective and affine spaces.
//
// shape.Build makes the design, which takes some microseconds per table. The size of a shape is
// known without that.
func catalogue(width, k, tables int, yield func(shape) bool) {
	for blocks := k + 1; blocks <= min(width, k+16); blocks++ {
		chosen := blocks - k
		n, ok := choose(blocks, chosen)
		if !ok || n > tables {
			continue
		}
		build := func() Design {
			d, err := NewDesign(width, blocks, chosen)
			if err != nil {
				panic(err) // blocks and chosen are in range
			}
			return d
		}
		if !yield(shape{n, chosen * width / blocks, k + 1, width / blocks, build}) {
			return
		}
	}
	for _, c := range coveringsOf(k) {
		if len(c.DontCare) > tables || c.Blocks > width {
			continue
		}
		header := 0 // blocks of all headers, added up
		for _, s := range c.DontCare {
			header += c.Blocks - bits.OnesCount64(s)
		}
		mean := header * width / c.Blocks / len(c.DontCare)
		if !yield(shape{len(c.DontCare), mean, len(c.DontCare), 0, func() Design { return coveringDesign(c, width) }}) {
			return
		}
	}
}

// A shape is the size of a design, and how to make it.
type shape struct {
	Tables     int
	HeaderBits int // about the mean width of the headers
	Groups     int // headers whose first blocks are the same are a group
	FirstBits  int // the width of these blocks
	Build      func() Design
}
