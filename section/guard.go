package section

import (
	"encoding/binary"
	"sync/atomic"
)

// A Guard stands before the bytes of a section: they are to be believed only where Check has
// found no error. It remembers which blocks have been checked, so that each is checked
// once. A nil Guard is that of bytes that need no checking. It is safe for concurrent use.
type Guard struct {
	whole   atomic.Bool     // all blocks have been checked
	checked []atomic.Uint64 // a bit a block
	left    atomic.Int64    // blocks not checked yet

	name   string
	offset uint64 // of the section in the file
	length uint64 // of the section without its padding
	bytes  []byte // of the section and its padding
	sums   []byte // the stored checksums, four bytes a block
}

func newGuard(name string, offset, length uint64, bytes, sums []byte) *Guard {
	n := uint64(len(sums)) / 4
	g := &Guard{checked: make([]atomic.Uint64, (n+63)/64), name: name, offset: offset, length: length, bytes: bytes, sums: sums}
	g.left.Store(int64(n))
	g.whole.Store(n == 0)
	return g
}

// Whole reports whether every block has been checked, so that Check finds nothing more to do.
func (g *Guard) Whole() bool { return g == nil || g.whole.Load() }

// Check checks those blocks of the bytes [from, to) of the section that have not been checked
// yet. Bytes beyond the section are passed over; whoever uses them finds that out. The
// error wraps ErrCorrupt.
func (g *Guard) Check(from, to uint64) error {
	if g.Whole() {
		return nil
	}
	return g.check(from, to)
}

// CheckAll is Check for the whole section.
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
	// The last few may not be used for long, as the end of a directory, and as long each
	// use of the others would be looked at. Damage there is no matter before it is used.
	if n := int64(len(g.sums)) / 4; g.left.Load() <= n/fewLeft+1 {
		_, _ = g.checkBlocks(0, uint64(n))
	}
	return nil
}

// fewLeft is the part of the blocks that are checked without being asked for, when all others
// have been: an eighth.
const fewLeft = 8

// checkBlocks checks those of the blocks [from, to) that have not been, up to the first that is
// damaged. It reports whether there were any.
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

// checkBlock compares the checksum of block b, whatever was found before.
func (g *Guard) checkBlock(b uint64) error {
	from := b << blockShift
	to := min(from+BlockSize, uint64(len(g.bytes)))
	if got, want := Checksum(g.bytes[from:to]), binary.LittleEndian.Uint32(g.sums[4*b:]); got != want {
		return corruptf(g.name, g.offset+from, "the checksum of %d bytes is %08x, stored is %08x", to-from, got, want)
	}
	if to > g.length && !allZero(g.bytes[max(from, g.length):to]) {
		return corruptf(g.name, g.offset+g.length, "padding is not zero")
	}
	return nil
}

// verify checks all blocks anew.
func (g *Guard) verify() error {
	for b := range uint64(len(g.sums)) / 4 {
		if err := g.checkBlock(b); err != nil {
			return err
		}
	}
	g.whole.Store(true)
	return nil
}

func allZero(p []byte) bool {
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}
