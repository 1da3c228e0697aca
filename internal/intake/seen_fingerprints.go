package intake

import "math/bits"

// seenFingerprints are remembered fingerprints, in the order in which they were added. Each takes about 100
// bytes.
type seenFingerprints struct {
	k, width int
	values   []uint64
	// Two fingerprints within k differ in at most k of k + 1 blocks of bits, so that they agree on one.
	blocks []block // none if looking at all fingerprints is as fast
}

// A block is the fingerprints by the value of some of their bits, in chains.
type block struct {
	shift, width int
	last         map[uint64]uint32 // the last fingerprint of each value, from 1
	before       []uint32          // the one before each in its chain, from 1; 0 if it is the first
}

// narrow is the width of blocks, in bits, below which chains are so long that all fingerprints are looked
// at instead.
const narrow = 8

// newSeenFingerprints returns a memory of fingerprints of so many bits, for searches within distance k.
func newSeenFingerprints(k, width int) *seenFingerprints {
	f := &seenFingerprints{k: k, width: width}
	if n := k + 1; k >= 0 && width/n >= narrow {
		for i := range n {
			from, to := i*width/n, (i+1)*width/n
			f.blocks = append(f.blocks, block{shift: from, width: to - from, last: map[uint64]uint32{}})
		}
	}
	return f
}

// Add remembers a fingerprint under the next number, which counts from 0.
func (f *seenFingerprints) Add(fp uint64) {
	f.values = append(f.values, fp)
	for i := range f.blocks {
		b := &f.blocks[i]
		value := b.of(fp)
		b.before = append(b.before, b.last[value])
		b.last[value] = uint32(len(f.values))
	}
}

// of returns the bits of fp that are in the block.
func (b *block) of(fp uint64) uint64 { return fp << (64 - b.shift - b.width) >> (64 - b.width) }

// Near calls yield with the numbers of fingerprints within distance k of fp, in no certain order, until
// yield returns false. It may call it with the same number more than once.
func (f *seenFingerprints) Near(fp uint64, yield func(i int) bool) {
	near := func(i int) bool { return bits.OnesCount64(f.values[i]^fp) <= f.k }
	if len(f.blocks) == 0 {
		for i := range f.values {
			if near(i) && !yield(i) {
				return
			}
		}
		return
	}
	for i := range f.blocks {
		b := &f.blocks[i]
		for at := b.last[b.of(fp)]; at > 0; at = b.before[at-1] {
			if near(int(at-1)) && !yield(int(at-1)) {
				return
			}
		}
	}
}
