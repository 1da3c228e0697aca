package prefix

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/ground/parallel"
)

// Scanned are the sets whose features are counted, less than 1<<32 of them.
type Scanned interface {
	// Features returns the number of features of all sets, or a guess.
	Features() uint64
	// Scan calls do with the features of each set, in order, until do returns an error. Sets are not
	// empty and strictly ascending, and valid until do returns. Scan is called several times, one after the other.
	Scan(do func(features []uint64) error) error
}

// A block is some sets, one after the other. Their features stand in parts, by their first bits: what is known of
// those of one part fits a cache, so that counting them and looking up their ranks hardly waits for memory.
type block struct {
	first  uint32   // the number of the first set
	sizes  []uint32 // of the sets
	starts []uint32 // of each part, and the end of the last
	ends   []uint32 // of what is left of each part
	// keys are the features without their first bits, which say the part; in their place, in the lowest bits, are the
	// numbers of the sets that have them. Those of a part are in the order of the sets.
	keys []uint64
}

// part returns what is left of a part.
func (b *block) part(p int) []uint64 { return b.keys[b.starts[p]:b.ends[p]] }

// keep leaves the first n keys of a part.
func (b *block) keep(p, n int) { b.ends[p] = b.starts[p] + uint32(n) }

// Blocks are the sets of a source. They stay in memory if they are few. Otherwise they are read again each time.
type blocks struct {
	src      Scanned
	threads  int
	partBits int
	room     int      // how many features are in memory at a time
	features int      // of all, or a guess
	whole    []*block // all, if they are few
	free     sync.Pool

	tell        func(done, all int64) // or nil
	done, share float64               // what has been told, and what reading all comes to
}

const (
	// A block has about blockFeatures, unless it has as many sets as there are parts.
	blockFeatures = 1 << 16
	// A part has partFeatures of all or fewer, but there are no more than 1<<mostHashParts parts, and
	// 1<<leastHashParts at least.
	partFeatures                  = 1 << 19
	leastHashParts, mostHashParts = 8, 12
	// Blocks in memory take half of it, but at most wholeBytes, or groupBytes if they are not all.
	wholeBytes, groupBytes = 96 << 20, 32 << 20
)

// newBlocks returns the blocks of src, which it reads if they fit half of the memory.
func newBlocks(ctx context.Context, src Scanned, threads int, memory int64, tell func(done, all int64)) (*blocks, error) {
	n := int(min(src.Features(), 1<<48))
	b := &blocks{src: src, threads: max(1, threads), room: int(min(wholeBytes, memory/2) / 8), features: n, tell: tell, share: 1}
	b.partBits = min(mostHashParts, max(leastHashParts, bits.Len(uint(n/partFeatures))))
	var err error
	if n <= b.room {
		err = b.read(ctx, 0, b.parts(), func(group []*block, last bool) error {
			if !last { // the source has more than it said
				return errStopped
			}
			b.whole = group
			return nil
		})
	}
	if b.whole == nil {
		b.room = min(b.room, groupBytes/8)
	}
	if err != nil && !errors.Is(err, errStopped) {
		return nil, err
	}
	return b, nil
}

func (b *blocks) parts() int { return 1 << b.partBits }

// each calls do with all features of the parts from lo on and below hi, in groups of blocks, which are valid until do
// returns.
func (b *blocks) each(ctx context.Context, lo, hi int, do func(group []*block) error) error {
	if b.whole != nil {
		return do(b.whole)
	}
	return b.read(ctx, lo, hi, func(group []*block, _ bool) error {
		err := do(group)
		for _, x := range group {
			b.free.Put(x)
		}
		return err
	})
}

// A rawBlock is sets as they are read.
type rawBlock struct {
	first    uint32
	sizes    []uint32
	features []uint64
}

// read is each of the source. last says that a group is the last one, which may be empty.
func (b *blocks) read(ctx context.Context, lo, hi int, do func(group []*block, last bool) error) error {
	var free sync.Pool // of *rawBlock
	work := func(_ context.Context, raw *rawBlock) (*block, error) {
		x := b.inParts(raw)
		free.Put(raw)
		return x, nil
	}
	var group []*block
	n := 0
	err := parallel.Stream(ctx, b.threads, b.raw(lo, hi, &free), work, func(x *block) error {
		if n > 0 && n+len(x.keys) > b.room {
			if err := do(group, false); err != nil {
				return err
			}
			group, n = group[:0], 0
		}
		group, n = append(group, x), n+len(x.keys)
		return nil
	})
	if err != nil {
		return err
	}
	return do(group, true)
}

// raw yields the features of the parts from lo on and below hi. It takes raw blocks from free.
func (b *blocks) raw(lo, hi int, free *sync.Pool) func(yield func(*rawBlock, error) bool) {
	low := uint(64 - b.partBits)
	return func(yield func(*rawBlock, error) bool) {
		raw := &rawBlock{}
		next, scanned := uint32(0), 0
		err := b.src.Scan(func(features []uint64) error {
			next++
			scanned += len(features)
			if lo > 0 { // features ascend
				features = features[below(features, uint64(lo)<<low):]
			}
			if hi < b.parts() {
				features = features[:below(features, uint64(hi)<<low)]
			}
			raw.features, raw.sizes = append(raw.features, features...), append(raw.sizes, uint32(len(features)))
			if len(raw.features) < blockFeatures && len(raw.sizes) < b.parts() {
				return nil
			}
			if !yield(raw, nil) {
				return errStopped
			}
			b.progress(scanned)
			if raw, _ = free.Get().(*rawBlock); raw == nil {
				raw = &rawBlock{features: make([]uint64, 0, blockFeatures+blockFeatures/8)}
			}
			raw.first, raw.sizes, raw.features, scanned = next, raw.sizes[:0], raw.features[:0], 0
			return nil
		})
		switch {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(nil, err)
		case len(raw.sizes) > 0:
			yield(raw, nil)
		}
	}
}

// progress tells that features have been read.
func (b *blocks) progress(features int) {
	if b.tell == nil {
		return
	}
	b.done += b.share * float64(features)
	all := int64(b.features)
	b.tell(min(int64(b.done), all), all)
}

// below returns how many of the ascending features are less than x.
func below(features []uint64, x uint64) int {
	i, _ := slices.BinarySearch(features, x)
	return i
}

// inParts returns the block of a raw one.
func (b *blocks) inParts(raw *rawBlock) *block {
	x, _ := b.free.Get().(*block)
	if x == nil {
		x = &block{starts: make([]uint32, b.parts()+1), ends: make([]uint32, b.parts())}
	}
	x.first, x.sizes = raw.first, append(x.sizes[:0], raw.sizes...)
	x.keys = slices.Grow(x.keys[:0], len(raw.features))[:len(raw.features)]
	keys, next := x.keys, x.ends
	up, low := uint(b.partBits)&63, uint(64-b.partBits)&63
	clear(next)
	for _, f := range raw.features {
		next[f>>low]++
	}
	sum := uint32(0)
	for p, n := range next {
		x.starts[p], next[p], sum = sum, sum, sum+n
	}
	x.starts[len(next)] = sum
	rest := raw.features
	for set, size := range raw.sizes {
		for _, f := range rest[:size] {
			at := &next[f>>low]
			keys[*at] = f<<up | uint64(set)
			*at++
		}
		rest = rest[size:]
	}
	return x
}

// byPart calls do with each part from lo on and below hi, on several goroutines.
func (b *blocks) byPart(ctx context.Context, lo, hi int, do func(p int)) error {
	tasks := min(hi-lo, 8*b.threads)
	work := func(_ context.Context, i int) (struct{}, error) {
		for p := lo + i*(hi-lo)/tasks; p < lo+(i+1)*(hi-lo)/tasks; p++ {
			do(p)
		}
		return struct{}{}, nil
	}
	return parallel.Ordered(ctx, b.threads, tasks, work, func(struct{}) error { return nil })
}
