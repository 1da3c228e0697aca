package store

import (
	"math/bits"
	"sync/atomic"

	"simsearch/internal/kernels"
)

// A Recent says of a fingerprint that no document in memory is near it, or that some may be. Most queries have no match
// among the documents that came last, and then need not be searched for in any of the segments that hold them.
//
// It has a table for each block of bits, of which there is one more than the distance in bits. Two fingerprints within
// the distance are equal in one block at least. A bucket has those with the same bits, up to its size, in the order in
// which they came. Of each it has 32 bits, which are within the distance, too. A bucket that has no room is full: all may
// be in it.
//
// A Recent is a superset: it never forgets a fingerprint. One goroutine adds to it while others ask, which are told of all
// that was added before they were given it.
type Recent struct {
	k       int
	blocks  []block
	bucket  int // bits of the number of a bucket
	added   int
	buckets []bucket // of the first block, then of the second, …
}

// A block is some bits of a fingerprint.
type block struct {
	from int // its lowest bit
	bits int
}

// A bucket is a cache line. What lies before its count does not change any more.
type bucket struct {
	count atomic.Uint32 // bucketSize+1 if there are more
	rests [bucketSize]uint32
}

const (
	bucketSize  = 15
	bucketMean  = 6  // fingerprints that a bucket has at most on average: then one in 2,000 is full
	leastBucket = 8  // bits
	mostBucket  = 16 // bits
	leastBlock  = 10 // bits: with narrower blocks, most buckets would be full
)

// canBeRecent reports whether a Recent can tell what is within k of fingerprints of the given width.
func canBeRecent(width, k int) bool { return k >= 0 && width/(k+1) >= leastBlock }

// newRecent returns a Recent for about n fingerprints. canBeRecent must be true of the width and the distance.
func newRecent(width, k, n int) *Recent {
	r := &Recent{k: k, bucket: min(max(bits.Len(uint(n/bucketMean)), leastBucket), mostBucket, width/(k+1))}
	for i := range k + 1 {
		from := i * width / (k + 1)
		r.blocks = append(r.blocks, block{from, (i+1)*width/(k+1) - from})
	}
	r.buckets = make([]bucket, len(r.blocks)<<r.bucket)
	return r
}

// room returns how many fingerprints r is planned for.
func (r *Recent) room() int {
	if r.bucket == min(mostBucket, r.blocks[0].bits) {
		return 1 << 62 // a larger one would not be better
	}
	return bucketMean << r.bucket
}

// of returns the bucket of block i for a fingerprint, and the 32 bits above the block, or around the end.
func (r *Recent) of(i int, fp uint64) (*bucket, uint32) {
	b := r.blocks[i]
	turned := bits.RotateLeft64(fp, -b.from)
	return &r.buckets[i<<r.bucket|int(turned&(1<<r.bucket-1))], uint32(turned >> r.bucket)
}

// add adds a fingerprint.
func (r *Recent) add(fp uint64) {
	r.added++
	for i := range r.blocks {
		b, rest := r.of(i, fp)
		n := b.count.Load()
		if n > bucketSize || kernels.MaskWithin32(b.rests[:n], rest, 0) != 0 {
			continue
		}
		if n < bucketSize {
			b.rests[n] = rest
		}
		b.count.Store(n + 1)
	}
}

// None reports that no fingerprint is within k of q. If it is false, there may be some.
func (r *Recent) None(q uint64, k int) bool {
	if r == nil || k > r.k {
		return false
	}
	if k < 0 {
		return true
	}
	var counts [mostBlocks]uint32
	for i := range r.blocks { // the cache misses overlap
		b, _ := r.of(i, q)
		counts[i] = b.count.Load()
	}
	for i, n := range counts[:len(r.blocks)] {
		if n == 0 {
			continue
		}
		if n > bucketSize {
			return false
		}
		if b, rest := r.of(i, q); kernels.MaskWithin32(b.rests[:n], rest, k) != 0 {
			return false
		}
	}
	return true
}

// mostBlocks is the largest number of blocks: those of 64 bits that have leastBlock each.
const mostBlocks = 64 / leastBlock

// Cover returns a Recent of all documents in memory, or nil if there are none or it would not help. It is for the parts
// that Show has returned last.
func (s *State) Cover() *Recent {
	if s.layout.Bits == 0 || !canBeRecent(s.layout.Bits, s.options.Distance) {
		return nil
	}
	n, missing := 0, 0
	for _, h := range s.parts {
		if h.Memory {
			n += int(h.Stored())
			if s.recent == nil || h.in != s.recent {
				missing += int(h.Stored())
			}
		}
	}
	if n == 0 {
		s.recent = nil
		return nil
	}
	const few = 1 << 12 // so many that are in no part any more do no harm
	if r := s.recent; r == nil || r.added+missing > min(r.room(), 2*n+few) {
		s.recent = newRecent(s.layout.Bits, s.options.Distance, n)
	}
	for _, h := range s.parts {
		if h.Memory && h.in != s.recent {
			for _, fp := range h.Fingerprints() {
				s.recent.add(fp)
			}
			h.in = s.recent
		}
	}
	return s.recent
}
