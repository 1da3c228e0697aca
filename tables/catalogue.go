package tables

import (
	"math/bits"
)

//go:generate go run ./gendesigns

// The catalogue has covering designs, and not only all combinations of blocks, since a covering needs
// fewer tables for headers of the same width. Six tables with headers of about 21 bits find distance 3.
// All combinations need ten tables with 25 bits, or four with 16.
//
// gendesigns finds coverings by simulated annealing. A test checks exhaustively that each of them finds
// its distance. A search of one minute found smaller coverings than several published ones. With mean
// headers of 21 bits, k = 4 takes 12 tables, k = 5 takes 28 and k = 6 takes 52; k = 5 takes 16 tables
// with 17 bits. The coverings of affine and projective spaces are constructed. An affine space has one
// table fewer than the projective space, with headers of nearly the same width.

// A covering is a list of sets of blocks such that any k blocks are all in one of the sets. A design
// with these don't-care sets finds distance k.
type covering struct {
	k, blocks int
	dontCare  []uint64 // bit i stands for block i
}

// design returns the design of a covering over fingerprints of width bits.
func (c covering) design(width int) Design {
	headers := make([]uint64, len(c.dontCare))
	for i, s := range c.dontCare {
		headers[i] = lowBits(c.blocks) &^ s
	}
	return fromBlocks(width, c.blocks, c.k, headers)
}

// projective returns the covering of the projective space PG(k, 2). Its blocks are the 2^(k+1)-1
// points, that is the vectors other than 0. Its don't-care sets are the 2^(k+1)-1 hyperplanes. Any k
// points lie in a hyperplane, since they span at most k of k+1 dimensions.
func projective(k int) covering {
	return hyperplanes(k, func(uint64) bool { return true })
}

// affine returns the covering of the affine space AG(k, 2). Its blocks are the 2^k points of PG(k, 2)
// outside one hyperplane. Its don't-care sets are the 2^(k+1)-2 other hyperplanes, each with half of
// these points.
func affine(k int) covering {
	return hyperplanes(k, func(point uint64) bool { return point&1 == 1 })
}

// hyperplanes returns the covering of the chosen points of PG(k, 2), of which there are at most 64.
func hyperplanes(k int, chosen func(point uint64) bool) covering {
	c := covering{k: k}
	var points []uint64
	for p := uint64(1); p < 1<<(k+1); p++ {
		if chosen(p) {
			points = append(points, p)
		}
	}
	c.blocks = len(points)
	for normal := uint64(1); normal < 1<<(k+1); normal++ {
		var plane uint64
		for i, p := range points {
			if bits.OnesCount64(p&normal)%2 == 0 {
				plane |= 1 << i
			}
		}
		if plane != 0 {
			c.dontCare = append(c.dontCare, plane)
		}
	}
	return c
}

// Catalogue calls yield for every known design that finds distance k in fingerprints of width bits
// and has at most the given number of tables, until yield returns false. These are all combinations
// of blocks, the coverings found by search, and those of projective and affine spaces.
//
// Shape.Build makes the design, which takes some microseconds per table. The size of a Shape is
// known without that.
func Catalogue(width, k, tables int, yield func(Shape) bool) {
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
		if !yield(Shape{n, chosen * width / blocks, build}) {
			return
		}
	}
	for _, c := range coveringsFor(k) {
		if len(c.dontCare) > tables || c.blocks > width {
			continue
		}
		header := 0 // blocks of all headers, added up
		for _, s := range c.dontCare {
			header += c.blocks - bits.OnesCount64(s)
		}
		mean := header * width / c.blocks / len(c.dontCare)
		if !yield(Shape{len(c.dontCare), mean, func() Design { return c.design(width) }}) {
			return
		}
	}
}

// coveringsFor returns the coverings for distance k.
func coveringsFor(k int) []covering {
	var out []covering
	for _, c := range coverings {
		if c.k == k {
			out = append(out, c)
		}
	}
	if 2 <= k && k <= 6 {
		out = append(out, affine(k))
	}
	if 2 <= k && k <= 5 { // PG(6, 2) has more points than a fingerprint has bits
		out = append(out, projective(k))
	}
	return out
}

// A Shape is the size of a design, and how to make it.
type Shape struct {
	Tables     int
	HeaderBits int // about the mean width of the headers
	Build      func() Design
}
