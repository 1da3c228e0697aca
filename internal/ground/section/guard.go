package section

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"runtime"
	"sync/atomic"

	"simsearch/internal/ground/disk"
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
	whole    atomic.Bool     // all blocks have been checked
	checked  []atomic.Uint64 // a bit for each block
	left     atomic.Int64    // the number of blocks not checked yet
	expected atomic.Bool     // the system has been told that all will be read
	rest     atomic.Bool     // the blocks that were left have been checked unasked, up to a damaged one

	file   *File
	name   string
	offset uint64 // of the section in the file
	length uint64 // of the section without its padding
	bytes  []byte // of the section and its padding
	shift  uint8  // blocks have 1<<shift bytes
	sums   []byte // the stored checksums, four bytes each
	over   *Guard // checks sums; nil if they stand in the table of contents, which has been checked
}

// newGuard returns the Guard of length bytes at an offset in the file, and of their padding, without checksums.
func newGuard(f *File, name string, offset, length uint64, shift uint8) *Guard {
	g := &Guard{file: f, name: name, offset: offset, length: length, bytes: f.data[offset : offset+length+pad(length)], shift: shift}
	n := g.blocks()
	g.checked = make([]atomic.Uint64, (n+63)/64)
	g.left.Store(int64(n))
	g.whole.Store(n == 0)
	return g
}

// blocks returns the number of blocks.
func (g *Guard) blocks() uint64 { return blocks(uint64(len(g.bytes)), g.shift) }

// Whole reports whether every block has been checked. Then Check need not be called.
func (g *Guard) Whole() bool { return g == nil || g.whole.Load() }

// Check checks the blocks of the bytes [from, to) of the section, except those checked before. It ignores
// the part of the range beyond the section. It panics with a CorruptError if one is damaged.
func (g *Guard) Check(from, to uint64) {
	if !g.Whole() {
		g.mustCheck(from, to)
	}
}

// CheckAll is Check of the whole section.
func (g *Guard) CheckAll() { g.Check(0, Any) }

// mustCheck is Check of a section that is not Whole, apart so that Check is inlined.
//
//go:noinline
func (g *Guard) mustCheck(from, to uint64) {
	if err := g.check(from, to); err != nil {
		panic(err)
	}
}

// check is Check of a section that is not Whole.
func (g *Guard) check(from, to uint64) error {
	if to = min(to, g.length); from >= to {
		return nil
	}
	first, end := from>>g.shift, (to-1)>>g.shift+1
	if end-first == 1 && g.isChecked(first) {
		return nil
	}
	n := g.blocks()
	switch {
	case !g.file.large:
		g.foresee(n - uint64(g.left.Load()) + end - first)
	case to-from > longRead:
		g.Expect(from, to)
	}
	if end-first == 1 {
		fetch(g.bytes[first<<g.shift : min(end<<g.shift, uint64(len(g.bytes)))])
	}
	if err := g.checkBlocks(first, end); err != nil {
		return err
	}
	// Checking a block here and there takes ten times as long as checking one behind the other. So when a 32nd has
	// been used, and a few more, all others are checked, too, and Whole becomes true. Damage in them is reported only
	// when they are used.
	if !g.file.large && n-uint64(g.left.Load()) >= n/32+4 && g.rest.CompareAndSwap(false, true) {
		_ = g.checkBlocks(0, n)
	}
	return nil
}

// checkAlone is Check of these blocks alone, however many have been used: for whoever reads all, one behind the other.
func (g *Guard) checkAlone(from, to uint64) {
	if to = min(to, g.length); from >= to || g.Whole() {
		return
	}
	if err := g.checkBlocks(from>>g.shift, (to-1)>>g.shift+1); err != nil {
		panic(err)
	}
}

// done tells the system that the bytes [from, to) of the section are not read for now.
func (g *Guard) done(from, to uint64) {
	if g != nil {
		g.file.willRead(g.bytes[from:to], disk.Done)
	}
}

// longRead is the number of bytes from which a disk is told that they will be read. It reads these together, and one
// page after the other if they are taken without a word.
const longRead = 1 << 13

// Expect tells the system that Check of the bytes [from, to) follows. A search that checks several places of a file
// that may not be in memory tells all of them first, so that the disk reads them at the same time.
func (g *Guard) Expect(from, to uint64) {
	if g.Whole() {
		return
	}
	if to = min(to, g.length); from >= to {
		return
	}
	first, end := from>>g.shift, (to-1)>>g.shift+1
	if !g.isChecked(first) || !g.isChecked(end-1) {
		g.file.willRead(g.bytes[from:to], disk.Soon)
		g.over.Expect(4*first, 4*end)
	}
}

// foresee is told how many blocks are going to be checked. If these are many, as of a batch of queries or a scan, the
// system is told that the whole section will be read: a disk takes as long for a 256th of it, one place after the
// other. A few are not worth it.
func (g *Guard) foresee(blocks uint64) {
	if blocks > 16+g.blocks()/256 && !g.expected.Load() && g.expected.CompareAndSwap(false, true) {
		g.file.willRead(g.bytes, disk.Whole)
	}
}

// fetch brings a block into the cache. Its lines come at once, where a checksum would wait for one after the other.
func fetch(block []byte) {
	var x byte
	for i := 0; i < len(block); i += align {
		x |= block[i]
	}
	runtime.KeepAlive(x)
}

// isChecked reports whether block b has been checked.
func (g *Guard) isChecked(b uint64) bool { return g.checked[b/64].Load()>>(b%64)&1 != 0 }

// checkBlocks checks the blocks [from, to), except those checked before, up to the first damaged one.
func (g *Guard) checkBlocks(from, to uint64) (err error) {
	for from < to && err == nil {
		word := from / 64
		if !g.over.Whole() {
			if err = g.over.check(4*from, 4*min(to, 64*word+64)); err != nil {
				return err
			}
		}
		var passed uint64
		for ; from < to && from/64 == word; from++ {
			if g.isChecked(from) {
				continue
			}
			if err = g.checkBlock(from); err != nil {
				break
			}
			passed |= 1 << (from % 64)
		}
		if passed != 0 {
			fresh := bits.OnesCount64(passed &^ g.checked[word].Or(passed))
			if fresh > 0 && g.left.Add(-int64(fresh)) == 0 {
				g.whole.Store(true)
			}
		}
	}
	return err
}

// checkBlock compares the checksum of block b, even if it has been checked before. It does not check that checksum.
func (g *Guard) checkBlock(b uint64) error {
	from := b << g.shift
	to := min(from+1<<g.shift, uint64(len(g.bytes)))
	if got, want := Checksum(g.bytes[from:to]), binary.LittleEndian.Uint32(g.sums[4*b:]); got != want {
		return g.Corruptf(from, "the checksum of %d bytes is %08x, stored is %08x", to-from, got, want)
	}
	if to > g.length && !allZero(g.bytes[max(from, g.length):to]) {
		return g.Corruptf(g.length, "padding is not zero")
	}
	return nil
}

func allZero(p []byte) bool { return len(bytes.TrimLeft(p, "\x00")) == 0 }

// Damages calls bad with a CorruptError for each damaged part of the sections of f, in the order of the file, but for
// the checksums of a section, which come before it. Damaged blocks that are neighbours in a section are one part. It
// checks all blocks, even those checked before.
func (f *File) Damages(bad func(error)) {
	f.willRead(f.data, disk.InOrder)
	for g := range f.guards {
		g.damages(bad)
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
			to := min((b+1)<<g.shift, uint64(len(g.bytes)))
			err = g.Corruptf(first<<g.shift, "%d bytes fail the checksums of %d blocks", to-first<<g.shift, b-first+1)
		}
		bad(err)
	}
}
