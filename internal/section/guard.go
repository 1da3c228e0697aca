package section

import (
	"encoding/binary"
	"sync/atomic"
)

// Checksums are of blocks, and are compared when a block is first used. Reading the file of ten million
// documents when it is opened would take longer than most queries. Once all blocks of a section have been
// checked, a search pays one load for it.
//
// A checksum does not make a number right that leads from one place of a file to another. So a reader
// checks such numbers against bounds at every step.

// A Guard checks the bytes of a section before they are used: a byte may be used only if Check of it has
// returned no error. The Guard remembers which blocks have been checked, so that each is checked once. A
// nil Guard is for bytes that need no checking. A Guard is safe for concurrent use.
type Guard struct {
	whole   atomic.Bool     // all blocks have been checked
	checked []atomic.Uint64 // a bit for each block
	left    atomic.Int64    // the number of blocks not checked yet

	file   *File
	name   string
	offset uint64 // of the section in the file
	length uint64 // of the section without its padding
	bytes  []byte // of the section and its padding
	sums   []byte // the stored checksums, four bytes each
}

func newGuard(file *File, name string, offset, length uint64, bytes, sums []byte) *Guard {
	n := uint64(len(sums)) / 4
	g := &Guard{checked: make([]atomic.Uint64, (n+63)/64), file: file, name: name, offset: offset, length: length, bytes: bytes, sums: sums}
	g.left.Store(int64(n))
	g.whole.Store(n == 0)
	return g
}

// Whole reports whether every block has been checked. Then Check need not be called.
func (g *Guard) Whole() bool { return g == nil || g.whole.Load() }

// Check checks the blocks of the bytes [from, to) of the section, except those checked before. It ignores
// the part of the range beyond the section. The error is a CorruptError.
func (g *Guard) Check(from, to uint64) error {
	if g.Whole() {
		return nil
	}
	return g.check(from, to)
}

// CheckAll is Check of the whole section.
func (g *Guard) CheckAll() error {
	if g.Whole() {
		return nil
	}
	return g.check(0, g.length)
}

func (g *Guard) check(from, to uint64) error {
	if to = min(to, g.length); from >= to {
		return nil
	}
	some, err := g.checkBlocks(from>>blockShift, (to-1)>>blockShift+1)
	if err != nil || !some {
		return err
	}
	// The last blocks, such as the end of a directory, may not be used for long. They are checked now, so
	// that Whole becomes true. Damage in them is reported only when they are used.
	if n := int64(len(g.sums)) / 4; g.left.Load() <= n/fewLeft+1 {
		_, _ = g.checkBlocks(0, uint64(n))
	}
	return nil
}

// fewLeft is the divisor of the number of blocks that gives how many are checked unasked: when an eighth
// of the blocks is left, they are checked, too.
const fewLeft = 8

// checkBlocks checks the blocks [from, to), except those checked before, up to the first damaged one. some
// reports whether there were any to check.
func (g *Guard) checkBlocks(from, to uint64) (some bool, err error) {
	for b := from; b < to; b++ {
		if g.checked[b/64].Load()>>(b%64)&1 != 0 {
			continue
		}
		if err := g.checkBlock(b); err != nil {
			return some, err
		}
		some = true
		if bit := uint64(1) << (b % 64); g.checked[b/64].Or(bit)&bit == 0 && g.left.Add(-1) == 0 {
			g.whole.Store(true)
		}
	}
	return some, nil
}

// checkBlock compares the checksum of block b, even if it has been checked before.
func (g *Guard) checkBlock(b uint64) error {
	from := b << blockShift
	to := min(from+BlockSize, uint64(len(g.bytes)))
	if got, want := Checksum(g.bytes[from:to]), binary.LittleEndian.Uint32(g.sums[4*b:]); got != want {
		return g.Corruptf(from, "the checksum of %d bytes is %08x, stored is %08x", to-from, got, want)
	}
	if to > g.length && !allZero(g.bytes[max(from, g.length):to]) {
		return g.Corruptf(g.length, "padding is not zero")
	}
	return nil
}

// verifyBlocks checks the blocks [from, to), even those checked before.
func (g *Guard) verifyBlocks(from, to uint64) error {
	for b := from; b < to; b++ {
		if err := g.checkBlock(b); err != nil {
			return err
		}
	}
	return nil
}

// blocks returns the number of blocks.
func (g *Guard) blocks() uint64 { return uint64(len(g.sums)) / 4 }

func allZero(p []byte) bool {
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}

// Damages calls bad with a CorruptError for each damaged part of the sections of f, in the order of the file. Damaged
// blocks that are neighbours in a section are one part. It checks all blocks, even those checked before.
func (f *File) Damages(bad func(error)) {
	for _, e := range f.entries {
		e.guard.damages(bad)
	}
}

func (g *Guard) damages(bad func(error)) {
	blocks := g.blocks()
	for b := uint64(0); b < blocks; b++ {
		err := g.checkBlock(b)
		if err == nil {
			continue
		}
		first := b
		for b+1 < blocks && g.checkBlock(b+1) != nil {
			b++
		}
		if b > first {
			to := min((b+1)<<blockShift, uint64(len(g.bytes)))
			err = g.Corruptf(first<<blockShift, "%d bytes fail the checksums of %d blocks", to-first<<blockShift, b-first+1)
		}
		bad(err)
	}
}
