package prefix

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
)

// codePairs calls take with the codes of the sets of src for pairs only, of some sets after others, and where the
// code of each ends: both are valid until take returns. It returns the number of ranks. Memory and tell are those of
// Count. If src is read in several parts, it takes 16 bytes more for each feature that several sets have.
func codePairs(ctx context.Context, src Scanned, threads int, memory int64, tell func(done, all int64),
	take func(code []byte, ends []int) error) (ranks int, err error) {
	b, err := newBlocks(ctx, src, threads, memory, half(tell, 0))
	if err != nil {
		return 0, err
	}
	counts, err := b.count(ctx, 1, memory)
	if err != nil {
		return 0, err
	}
	ranks, rank := b.ranking(counts)
	b.tell, b.done, b.share = half(tell, 1), 0, 1
	var free sync.Pool // of *setCoder
	low := 64 - max(1, bits.Len(uint(ranks)))
	err = b.each(ctx, 0, b.parts(), func(group []*block) error {
		err := b.byPart(ctx, 0, b.parts(), func(p int) {
			for _, x := range group {
				rank(x, p, low)
			}
		})
		if err != nil {
			return err
		}
		work := func(_ context.Context, i int) (*setCoder, error) {
			c, _ := free.Get().(*setCoder)
			if c == nil {
				c = &setCoder{}
			}
			c.setsOf(group[i], b.partBits, low)
			return c, nil
		}
		at := 0
		return parallel.Ordered(ctx, b.threads, len(group), work, func(c *setCoder) error {
			defer free.Put(c)
			if b.whole != nil { // else reading tells it
				b.progress(len(group[at].keys))
				at++
			}
			return take(c.code, c.ends)
		})
	})
	return ranks, err
}

// half returns what tells of the first half of some work, or of the second.
func half(tell func(done, all int64), which int64) func(done, all int64) {
	if tell == nil {
		return nil
	}
	return func(done, all int64) { tell(which*all+done, 2*all) }
}

// rank replaces the features of a part by their ranks, from bit low on. It takes away those without a rank.
func (v *Vocabulary) rank(x *block, p, partBits, low int) {
	keys, n := x.part(p), 0
	up, first := uint(partBits)&63, uint64(p)<<(64-partBits)
	for _, k := range keys { // without a branch that nobody can foresee
		bucket := (first | k>>up) >> (v.shift & 63)
		keys[n] = k
		n += int(v.filter[bucket/64] >> (bucket % 64) & 1)
	}
	keys, n = keys[:n], 0
	for _, k := range keys {
		if rank, ok := v.rankOf(first | k>>up); ok {
			keys[n] = rank<<(uint(low)&63) | k&(1<<up-1)
			n++
		}
	}
	x.keep(p, n)
}

// ranking returns how many ranks there are, and a function that replaces the features of a part by them, from bit low
// on.
func (b *blocks) ranking(counts [][]Counted) (ranks int, rank func(x *block, p, low int)) {
	if b.whole == nil {
		v := newVocabulary(slices.Concat(counts...))
		return v.Len(), func(x *block, p, low int) { v.rank(x, p, b.partBits, low) }
	}
	before := make([]int, len(counts)) // features of the parts before each
	for p, of := range counts {
		before[p] = ranks
		ranks += len(of)
	}
	rankOf := make([]uint32, ranks)
	for rank, i := range byRarity(counts, ranks) {
		rankOf[i] = uint32(rank)
	}
	up := uint(b.partBits) & 63
	return ranks, func(x *block, p, low int) {
		keys, rankOf := x.part(p), rankOf[before[p]:]
		for i, k := range keys {
			keys[i] = uint64(rankOf[k>>up])<<(uint(low)&63) | k&(1<<up-1)
		}
	}
}

// A setCoder codes the sets of blocks, and has the memory to do so.
type setCoder struct {
	code          []byte
	ends          []int
	keys, scratch []uint64
	ranks, next   []uint32
}

// setsOf codes the sets of a block, of which the keys have ranks from bit low on. All of them are sorted together,
// and then dealt out to the sets.
func (c *setCoder) setsOf(x *block, partBits, low int) {
	c.keys = c.keys[:0]
	for p := range x.ends {
		c.keys = append(c.keys, x.part(p)...)
	}
	c.scratch, c.ranks, c.next = room(c.scratch, len(c.keys)), room(c.ranks, len(c.keys)), room(c.next, len(x.sizes))
	ints.SortFrom(c.keys, c.scratch, low)
	clear(c.next)
	mask := uint64(1)<<partBits - 1
	for _, k := range c.keys {
		c.next[k&mask]++
	}
	sum := uint32(0)
	for set, n := range c.next {
		c.next[set], sum = sum, sum+n
	}
	for _, k := range c.keys {
		at := &c.next[k&mask]
		c.ranks[*at] = uint32(k >> (uint(low) & 63))
		*at++
	}
	c.code, c.ends = c.code[:0], c.ends[:0]
	from := uint32(0)
	for set, to := range c.next {
		c.code = appendRanks(c.code, int(x.sizes[set]), c.ranks[from:to])
		c.ends = append(c.ends, len(c.code))
		from = to
	}
}

// room returns a slice of n elements, which is s if that has room.
func room[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
