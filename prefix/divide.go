package prefix

import (
	"context"
	"math/bits"
	"slices"

	"simsearch/internal/radix"
)

// A dividedList is a list of sets that have a rank in common, with those of them that have each other rank behind it in
// prefixes that are longer by one: of a pair that shares two ranks, the second one is there.
type dividedList struct {
	parts []uint64 // partKeys, ascending
	of    []part   // of each set, its parts
	ends  []uint32 // of those of each set
}

// A part is where the sets with a rank begin in dividedList.parts, and where a set is among them.
type part struct{ from, at uint32 }

// A partKey is a rank, the number of a set in the list, and whether the rank is in its short prefix, by which the set is
// found by larger ones.
func partKey(rank uint32, number int, short bool) uint64 {
	k := uint64(rank)<<32 | uint64(number)<<1
	if short {
		k |= 1
	}
	return k
}

func partOf(key uint64) (number uint32, short bool) { return uint32(key) >> 1, key&1 != 0 }

// A parter divides lists. What it returns is valid until it is used again.
type parter struct {
	dividedList
	once, more []uint64 // by remainders of hashes of ranks: whether they have been seen, and more than once
	scratch    []uint64
	seen       []uint32
}

// ahead is how many sets are read from memory at once.
const ahead = 32

// eachSet calls do with the number of each set of q.list, and its decoder. Memory is read in steps that do not wait for
// each other.
func (q *groupSearch) eachSet(do func(i int, d *decoder) error) error {
	var codes [ahead][]byte
	for from := 0; from < len(q.list); from += ahead {
		some := q.list[from:min(len(q.list), from+ahead)]
		for i, e := range some {
			code, err := q.sets.code(q.order[e.place()])
			if err != nil {
				return err
			}
			codes[i] = code
		}
		for _, code := range codes[:len(some)] {
			q.touched ^= code[0] ^ code[len(code)/2]
		}
		for i, e := range some {
			d, err := decode(codes[i], q.sets.ranks, q.sets.pairsOnly)
			if err != nil {
				return q.sets.bad(q.order[e.place()], err)
			}
			if err := do(from+i, &d); err != nil {
				return err
			}
		}
	}
	return nil
}

// divide returns q.list divided, or nil if comparing each with each is less work.
func (q *groupSearch) divide(p *parter) (*dividedList, error) {
	if smallest := q.sizeOf(q.record(q.list[0].place())); LeastShared(smallest, smallest, q.t) < 2 {
		return nil, nil // a pair may share nothing else
	}
	whole := q.work()
	if whole <= uint64(len(q.list))*uint64(q.many) {
		return nil, nil
	}
	keys, err := q.sharedParts(p)
	if err != nil {
		return nil, err
	}
	n := len(q.list)
	p.ends = slices.Grow(p.ends[:0], n+1)[:n+1]
	clear(p.ends)
	work := uint64(0)
	eachRank(keys, func(lo, hi int) {
		work += uint64(hi-lo) * uint64(hi-lo)
		for _, k := range keys[lo:hi] {
			i, _ := partOf(k)
			p.ends[i+1]++
		}
	})
	if work/2 > whole {
		return nil, nil
	}
	for i := range n {
		p.ends[i+1] += p.ends[i]
	}
	p.of = slices.Grow(p.of[:0], int(p.ends[n]))[:p.ends[n]]
	eachRank(keys, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			i, _ := partOf(keys[at])
			p.of[p.ends[i]] = part{uint32(lo), uint32(at)}
			p.ends[i]++
		}
	})
	p.parts = keys
	return &p.dividedList, nil
}

// sharedParts returns, ascending, the partKeys of ranks that several sets have, and of some others.
func (q *groupSearch) sharedParts(p *parter) ([]uint64, error) {
	b := max(12, bits.Len(uint(32*len(q.list))))
	if words := 1 << (b - 6); len(p.once) < words {
		p.once, p.more = make([]uint64, words), make([]uint64, words)
	} else {
		clear(p.once[:words])
		clear(p.more[:words])
	}
	shift := uint(32 - b)
	keys := p.parts[:0]
	err := q.eachSet(func(i int, d *decoder) error {
		short, last := q.short(d.features, 2), q.probed(d.features, 2)
		for at := d.alone; at < last && d.ranks > 0; at++ {
			r, err := d.next()
			if err != nil {
				return q.sets.bad(q.order[q.list[i].place()], err)
			}
			if r <= q.rank {
				continue
			}
			keys = append(keys, partKey(r, i, at < short))
			h := r * golden32 >> (shift & 31)
			word, bit := h>>6, uint64(1)<<(h&63)
			p.more[word] |= p.once[word] & bit
			p.once[word] |= bit
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	n := 0
	for _, k := range keys {
		h := uint32(k>>32) * golden32 >> (shift & 31)
		keys[n] = k
		n += int(p.more[h>>6] >> (h & 63) & 1)
	}
	keys = keys[:n]
	p.scratch = slices.Grow(p.scratch[:0], n)[:n]
	radix.Sort(keys, p.scratch)
	return keys, nil
}

// eachRank calls do with the bounds of the keys of each rank that two or more have.
func eachRank(keys []uint64, do func(lo, hi int)) {
	for lo := 0; lo < len(keys); {
		hi := lo + 1
		for hi < len(keys) && keys[hi]>>32 == keys[lo]>>32 {
			hi++
		}
		if hi > lo+1 {
			do(lo, hi)
		}
		lo = hi
	}
}

// compareParts compares the sets of q.list from one entry on, and before another one, with those before them that share a
// second rank. err is that of dividing.
func (q *groupSearch) compareParts(ctx context.Context, d *dividedList, from, to int, err error) error {
	if err != nil {
		return err
	}
	p := &q.parted
	p.seen = slices.Grow(p.seen[:0], len(q.list))[:len(q.list)]
	clear(p.seen)
	start, lo := uint32(0), uint32(0)
	if from > 0 {
		start = d.ends[from-1]
	}
	for i := from; i < to; i++ {
		if i%64 == 63 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		parts := d.of[start:d.ends[i]]
		start = d.ends[i]
		if len(parts) == 0 {
			continue
		}
		y := q.list[i].place()
		q.take(y, q.record(y))
		least := LeastSize(q.size, q.t)
		for q.sizeOf(q.record(q.list[lo].place())) < least {
			lo++
		}
		for _, part := range parts {
			for at := part.at; at > part.from; at-- {
				other, short := partOf(d.parts[at-1])
				if other < lo {
					break
				}
				q.out.stats.Entries++
				if !short || p.seen[other] == uint32(i) || !q.list[other].short() || q.list[other].shareBefore(q.list[i]) {
					continue
				}
				p.seen[other] = uint32(i)
				x := q.list[other].place()
				record := q.record(x)
				if !q.near(record) {
					continue
				}
				if err := q.compare(x, record); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
