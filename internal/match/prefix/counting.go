package prefix

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/ground/ints"
)

// Count returns the features that occur in more than the given number of sets of src, at least 1, ascending by their
// hashes. Its tables take about the given number of bytes, if need be for some parts of the hashes after others. It
// reads src for these, at most 96 MiB at a time. tell, if not nil, is told how much of the work is done.
func Count(ctx context.Context, src Scanned, more uint32, threads int, memory int64, tell func(done, all int64)) ([]Counted, error) {
	b, err := newBlocks(ctx, src, threads, memory, tell)
	if err != nil {
		return nil, err
	}
	counts, err := b.count(ctx, more, memory)
	return slices.Concat(counts...), err
}

// Frequent returns the features that more than the given number of sets of src have, at least 1, in ascending order. It
// takes about o.Memory, and 16 bytes for each of them. The error is that of src or of ctx.
func Frequent(ctx context.Context, src Source, more uint32, o Options) ([]Counted, error) {
	return Count(ctx, src, max(1, more), o.Threads, cmp.Or(o.Memory, defaultMemory), o.Progress)
}

// count is Count of blocks, by parts of the hashes. In place of the features of the whole, it leaves their numbers
// among those that have been counted of the part. Others it takes away.
func (b *blocks) count(ctx context.Context, more uint32, memory int64) (counts [][]Counted, err error) {
	repeat, err := b.repeats(ctx)
	if err != nil {
		return nil, err
	}
	if b.whole != nil {
		return b.countWhole(ctx, more, repeat, memory)
	}
	for lo, width := 0, b.parts(); lo < b.parts(); {
		c := &counting{blocks: b, lo: lo, hi: min(b.parts(), lo+width), more: more, memory: memory}
		some, err := c.count(ctx, repeat)
		if err != nil {
			return nil, err
		}
		counts = append(counts, some...)
		lo, width = c.hi, c.hi-lo
	}
	return counts, nil
}

// Features repeat if fewer than one in fewRepeat are distinct. That is told by about as many as tried.
const tried, fewRepeat = 1 << 18, 4

// repeats reports whether features mostly occur several times, as single words do. Then a table of all is small. Of
// others, such as sequences of words, most would be in a table for one set alone, so that they are sieved before.
func (b *blocks) repeats(ctx context.Context) (bool, error) {
	n, distinct := 0, 0
	look := func(group []*block, _ bool) error {
		var t countTable
		for p := 0; p < b.parts() && n < tried; p++ {
			t.reset()
			for _, x := range group {
				for _, k := range x.part(p) {
					t.add(k>>b.partBits, 0)
				}
				n += len(x.part(p))
			}
			distinct += len(t.counts)
		}
		return errStopped
	}
	if b.whole != nil {
		_ = look(b.whole, true)
		return distinct <= n/fewRepeat, nil
	}
	room, share := b.room, b.share
	b.room, b.share = 4*tried, 0
	err := b.read(ctx, 0, b.parts(), look)
	b.room, b.share = room, share
	if errors.Is(err, errStopped) {
		err = nil
	}
	return distinct <= n/fewRepeat, err
}

// countWhole is count of the whole.
func (b *blocks) countWhole(ctx context.Context, more uint32, repeat bool, memory int64) (counts [][]Counted, err error) {
	counts = make([][]Counted, b.parts())
	var free sync.Pool // of *counter
	return counts, b.byPart(ctx, 0, b.parts(), func(p int) {
		c, _ := free.Get().(*counter)
		if c == nil {
			c = &counter{partBits: b.partBits}
		}
		defer free.Put(c)
		c.part = p
		if !repeat {
			c.sieve.reset(c.keys(b.whole), memory)
			c.sift(b.whole)
			c.sieveOut(b.whole)
		}
		c.table.reset()
		c.add(b.whole)
		counts[p] = c.counted(more)
		c.number(b.whole)
	})
}

// A counting counts the features of some parts of blocks that are read.
type counting struct {
	*blocks
	lo, hi   int // the parts
	more     uint32
	memory   int64
	counters []counter
}

// count returns the features of each part. If their tables take more than the memory, it gives up the last parts, and
// lowers c.hi.
func (c *counting) count(ctx context.Context, repeat bool) ([][]Counted, error) {
	c.counters = make([]counter, c.hi-c.lo)
	c.share = float64(c.hi-c.lo) / float64(c.parts())
	for i := range c.counters {
		c.counters[i] = counter{part: c.lo + i, partBits: c.partBits}
	}
	if !repeat {
		for c.hi > c.lo+1 && int64(c.hi-c.lo)*int64(c.features>>c.partBits) > c.memory/4 { // a sieve takes one or two bytes a feature
			c.hi = c.lo + (c.hi-c.lo)/2
		}
		c.share /= 2
		for i := range c.counters[:c.hi-c.lo] {
			c.counters[i].sieve.reset(c.features>>c.partBits, c.memory/2/int64(c.hi-c.lo))
		}
		if err := c.all(ctx, (*counter).sift); err != nil {
			return nil, err
		}
	}
	if err := c.all(ctx, func(one *counter, group []*block) {
		if !repeat {
			one.sieveOut(group)
		}
		one.add(group)
	}); err != nil {
		return nil, err
	}
	some := make([][]Counted, c.hi-c.lo)
	return some, c.byPart(ctx, 0, len(some), func(i int) {
		some[i] = c.counters[i].counted(c.more)
		c.counters[i] = counter{}
	})
}

// all calls do with each counter and all that is read.
func (c *counting) all(ctx context.Context, do func(one *counter, group []*block)) error {
	return c.each(ctx, c.lo, c.hi, func(group []*block) error {
		err := c.byPart(ctx, c.lo, c.hi, func(p int) { do(&c.counters[p-c.lo], group) })
		taken := int64(0)
		for i := range c.counters[:c.hi-c.lo] {
			taken += c.counters[i].table.bytes()
		}
		for ; taken > c.memory && c.hi > c.lo+1; taken /= 2 {
			c.hi = c.lo + (c.hi-c.lo)/2
			clear(c.counters[c.hi-c.lo:])
		}
		return err
	})
}

// A counter counts the features of a part.
type counter struct {
	part, partBits int
	sieve          sieve
	table          countTable
	order, scratch []uint64
	numbers        []uint32 // of what is counted, and one more, by their places in the table; or 0
}

// keys returns how many keys of the part there are.
func (c *counter) keys(group []*block) (n int) {
	for _, x := range group {
		n += len(x.part(c.part))
	}
	return n
}

// A sieve tells which features may be of several sets. It has two bits for each of some 4 to 8 buckets a feature:
// whether a feature is in it, and whether several are.
type sieve struct {
	words []struct{ once, more uint64 } // bits of 64 buckets
	shift uint
}

// reset makes an empty sieve of n features, which takes no more than the memory.
func (s *sieve) reset(n int, memory int64) {
	b := max(6, min(bits.Len(uint(n))+2, bits.Len64(uint64(memory))+1))
	s.shift = uint(64 - b)
	s.words = slices.Grow(s.words[:0], 1<<(b-6))[:1<<(b-6)]
	clear(s.words)
}

// sift puts features into the sieve.
func (c *counter) sift(group []*block) {
	words, shift, up := c.sieve.words, c.sieve.shift&63, uint(c.partBits)&63
	for _, x := range group {
		for _, k := range x.part(c.part) {
			h := k >> up * golden >> shift
			at, bit := &words[h/64], uint64(1)<<(h%64)
			at.more |= at.once & bit
			at.once |= bit
		}
	}
}

// sieveOut takes away the features that one set has, or most of them.
func (c *counter) sieveOut(group []*block) {
	words, shift, up := c.sieve.words, c.sieve.shift&63, uint(c.partBits)&63
	for _, x := range group {
		keys, n := x.part(c.part), 0
		for _, k := range keys { // without a branch that nobody can foresee
			h := k >> up * golden >> shift
			keys[n] = k
			n += int(words[h/64].more >> (h % 64) & 1)
		}
		x.keep(c.part, n)
	}
}

// add counts features, and replaces them by their places in the table.
func (c *counter) add(group []*block) {
	up := uint(c.partBits) & 63
	for _, x := range group {
		keys := x.part(c.part)
		for i, k := range keys {
			set := k & (1<<up - 1)
			keys[i] = uint64(c.table.add(k>>up, x.first+uint32(set)))<<up | set
		}
	}
}

// counted returns the features that more than the given number of sets have, ascending. It leaves their numbers.
func (c *counter) counted(more uint32) []Counted {
	t := &c.table
	c.order = c.order[:0]
	for _, s := range t.counts {
		if s.Sets > more {
			c.order = append(c.order, s.Feature<<c.partBits)
		}
	}
	ints.SortFew(c.order, &c.scratch)
	c.numbers = room(c.numbers, len(t.counts))
	clear(c.numbers)
	counted := make([]Counted, len(c.order))
	for i, h := range c.order {
		at, _ := t.find(h >> c.partBits)
		counted[i], c.numbers[at] = t.counts[at], uint32(i+1)
		counted[i].Feature |= uint64(c.part) << (64 - c.partBits)
	}
	return counted
}

// number replaces places by the numbers of what is counted. It takes away others.
func (c *counter) number(group []*block) {
	up := uint(c.partBits) & 63
	for _, x := range group {
		keys, n := x.part(c.part), 0
		for _, k := range keys {
			number := c.numbers[k>>up]
			keys[n] = uint64(number-1)<<up | k&(1<<up-1)
			n += int(min(1, number))
		}
		x.keep(c.part, n)
	}
}

// A countTable counts features, in the order in which they come. It is a hash table with open addressing.
type countTable struct {
	counts []Counted
	slots  []uint32 // the place of a feature in counts, and one more; or 0
	shift  uint
}

// reset empties the table.
func (t *countTable) reset() {
	t.counts = t.counts[:0]
	clear(t.slots)
}

// bytes returns what the table takes.
func (t *countTable) bytes() int64 { return int64(16*cap(t.counts) + 4*len(t.slots)) }

// find returns the place of a feature, or the slot that it would have. There must be room.
func (t *countTable) find(feature uint64) (at int, slot uint64) {
	mask := uint64(len(t.slots) - 1)
	for i := feature * golden >> (t.shift & 63); ; i++ {
		n := t.slots[i&mask]
		if n == 0 {
			return -1, i & mask
		}
		if t.counts[n-1].Feature == feature {
			return int(n - 1), 0
		}
	}
}

// add counts a feature of a set, and returns its place.
func (t *countTable) add(feature uint64, set uint32) (at int) {
	if len(t.counts) >= len(t.slots)/2 {
		t.grow()
	}
	at, slot := t.find(feature)
	if at < 0 {
		at = len(t.counts)
		t.counts = append(t.counts, Counted{Feature: feature, First: set})
		t.slots[slot] = uint32(at + 1)
	}
	t.counts[at].Sets++
	return at
}

func (t *countTable) grow() {
	const first = 8
	b := max(first, bits.Len(uint(len(t.slots))))
	t.slots, t.shift = make([]uint32, 1<<b), uint(64-b)
	for at, c := range t.counts {
		_, slot := t.find(c.Feature)
		t.slots[slot] = uint32(at + 1)
	}
}
