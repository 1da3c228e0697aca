package selfjoin

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/kernels"
)

// A join is how values are divided. All goroutines read it.
type join struct {
	values  []uint64 // ascending
	width   int
	k       int
	options Options
	back    kernels.Moves // what was done to the values and is undone for pairs; nil if nothing was
	masks   []uint64      // the headers of all groups, one group after the other
	groups  []group
	tasks   []task

	large int        // the number of gathered values above which a task is worked on alone
	alone sync.Mutex // is held meanwhile
}

// A group is the headers that have their first bits in common.
type group struct {
	first   uint64        // the bits by which values are divided into buckets; none if all are in one bucket
	bits    int           // the number of these bits
	key     key           // of the bits of first in a value: the number of its bucket
	moves   kernels.Moves // bring first to the top of a value
	sorted  bool          // first is the highest bits
	ends    []uint32      // bucket i has ends[i+1]-ends[i] values
	headers []header
}

// A header is one header of a group.
type header struct {
	number int // in join.masks
	key    key // of bits that are not in first, in a value that moves have moved
}

// A task is the buckets [from, to) of a group. Their numbers, and no others, begin with the bits of top. If there is
// one bucket, a task is about one header.
type task struct {
	group    int
	from, to int
	bits     int // of top
	top      uint64
	headers  []header
}

const (
	// bucketBits is the binary logarithm of the number of values of a bucket, on average: 256 KiB, and as much for
	// sorting them.
	bucketBits = 15
	// spareBits is how many first bits may be missing if another class of bits would be needed for them.
	spareBits = 3
	// leastParts and mostParts are binary logarithms of the number of parts of a group. Threads have enough to do
	// with the least.
	leastParts, mostParts = 3, 10
)

// newJoin divides headers into groups, and these into tasks. It copies the values if the bits of a class are
// scattered over them.
func newJoin(values []uint64, h Headers, k int, o Options) *join {
	j := &join{values: values, width: h.Width, k: k, options: o}
	masks, classes := h.Masks, classesOf(h)
	if slices.ContainsFunc(classes, func(class uint64) bool { return pieces(class) > 1 }) {
		j.back = kernels.MovesTo(h.Width, classes...)
		j.values, masks = make([]uint64, len(values)), slices.Clone(masks)
		j.back.ApplyAll(j.values, values)
		ints.Sort(j.values, make([]uint64, len(values)))
		for i, m := range masks {
			masks[i] = j.back.Apply(m)
		}
		classes = classesOf(Headers{h.Width, masks})
	}
	wanted := wantedBits(len(values))
	of := map[uint64][]uint64{} // the headers of a group
	var firsts []uint64
	for _, mask := range masks {
		first := firstOf(mask, classes, wanted)
		if of[first] == nil {
			firsts = append(firsts, first)
		}
		of[first] = append(of[first], mask)
	}
	for _, first := range firsts {
		g := group{first: first, bits: bits.OnesCount64(first), key: packed(first), moves: kernels.MovesTo(h.Width, first, lowBits(h.Width)&^first)}
		g.sorted = first == lowBits(g.bits)<<(h.Width-g.bits)
		for _, mask := range of[first] {
			g.headers = append(g.headers, header{len(j.masks), packed(widest(g.moves.Apply(mask&^first), mostKeyBits))})
			j.masks = append(j.masks, mask)
		}
		j.groups = append(j.groups, g)
	}
	j.divide()
	return j
}

// wantedBits returns by how many bits n values are divided into buckets.
func wantedBits(n int) int { return max(0, bits.Len(uint(n))-bucketBits) }

// FirstBits returns the number of bits that headers must have in common to share buckets of n values.
func FirstBits(n int) int { return max(0, wantedBits(n)-spareBits) }

// divide makes the tasks. With less memory there are more of them.
func (j *join) divide() {
	n, threads := len(j.values), max(1, j.options.Threads)
	memory := j.options.Memory
	if most := wordSize * int64(n) / 2; memory == 0 || memory > most {
		memory = most
	}
	each := max(1, int(memory/wordSize)/threads) // values that a task gathers
	j.large = 2 * each
	parts := min(mostParts, max(leastParts, bits.Len(uint((n+n/8)/each))))
	for i := range j.groups {
		g := &j.groups[i]
		t := task{group: i, to: 1, bits: min(parts, g.bits), headers: g.headers}
		for h := range g.headers {
			if g.bits == 0 {
				t.headers = g.headers[h : h+1]
				j.tasks = append(j.tasks, t)
			}
		}
		for ; g.bits > 0 && t.top < 1<<t.bits; t.top++ {
			t.from, t.to = int(t.top)<<(g.bits-t.bits), int(t.top+1)<<(g.bits-t.bits)
			j.tasks = append(j.tasks, t)
		}
	}
}

const wordSize = 8

// count finds out how many values each bucket has.
func (j *join) count(ctx context.Context) error {
	for i := range j.groups {
		g := &j.groups[i]
		if g.ends = make([]uint32, 1<<g.bits+1); !g.sorted {
			continue
		}
		shift := j.width - g.bits
		at := 0
		for b := range 1 << g.bits {
			at += sort.Search(len(j.values)-at, func(i int) bool { return j.values[at+i]>>shift > uint64(b) })
			g.ends[b+1] = uint32(at)
		}
	}
	var adding sync.Mutex
	tasks := min(len(j.values)>>bucketBits+1, 4*max(1, j.options.Threads))
	err := parallel.Ordered(ctx, j.options.Threads, tasks, func(ctx context.Context, i int) (struct{}, error) {
		counts := make([][]uint32, len(j.groups))
		for some := range slices.Chunk(j.values[i*len(j.values)/tasks:(i+1)*len(j.values)/tasks], 1<<12) {
			if ctx.Err() != nil {
				break
			}
			for i := range j.groups {
				g := &j.groups[i]
				if g.sorted {
					continue
				}
				if counts[i] == nil {
					counts[i] = make([]uint32, 1<<g.bits)
				}
				c, key, mask := counts[i], g.key, uint64(1<<g.bits-1)
				for _, x := range some {
					c[key.of(x)&mask]++
				}
			}
		}
		adding.Lock()
		defer adding.Unlock()
		for i, c := range counts {
			for b, n := range c {
				j.groups[i].ends[b+1] += n
			}
		}
		return struct{}{}, context.Cause(ctx)
	}, func(struct{}) error { return nil })
	for i := range j.groups {
		if g := &j.groups[i]; !g.sorted {
			for b := range 1 << g.bits {
				g.ends[b+1] += g.ends[b]
			}
		}
	}
	return err
}
