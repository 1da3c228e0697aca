package prefix

import (
	"context"
	"math/bits"
	"slices"
)

// RankLists are lists of places, one for each rank that occurs. Most ranks have none.
type rankLists struct {
	blocks []rankBlock
	starts []uint64 // where each list starts, and the end of the last
	places []uint32
}

// A rankBlock says which of blockRanks ranks have a list, a bit for each. It fills a line of the cache.
type rankBlock struct {
	before  uint64 // the lists of the blocks before
	present [blockRanks / 64]uint64
}

const blockRanks = 7 * 64

// newRankLists returns empty lists of ranks less than most, with room for an entry for each of ranks.
// The error is the cause of ctx.
func newRankLists(ctx context.Context, most int, ranks []uint32) (*rankLists, error) {
	l := &rankLists{blocks: make([]rankBlock, (most+blockRanks-1)/blockRanks)}
	for some := range slices.Chunk(ranks, someRanks) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, r := range some {
			in := r % blockRanks
			l.blocks[r/blockRanks].present[in/64] |= 1 << (in % 64)
		}
	}
	lists := 0
	for i := range l.blocks {
		b := &l.blocks[i]
		b.before = uint64(lists)
		for _, word := range b.present {
			lists += bits.OnesCount64(word)
		}
	}
	l.starts = make([]uint64, lists+1)
	for some := range slices.Chunk(ranks, someRanks) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, r := range some {
			at, _ := l.at(r)
			l.starts[at]++
		}
	}
	sum := uint64(0)
	for i, n := range l.starts {
		l.starts[i] = sum
		sum += n
	}
	l.places = make([]uint32, sum)
	return l, nil
}

// someRanks is how many ranks are listed between two checks whether the context is done.
const someRanks = 1 << 16

// fill fills the lists with the places of the ranks that newRankLists was given, ascending. ends says where the
// ranks of each place end. The error is the cause of ctx.
func (l *rankLists) fill(ctx context.Context, ranks []uint32, ends []uint64) error {
	from := uint64(0)
	for place, end := range ends {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, r := range ranks[from:end] {
			at, _ := l.at(r)
			l.places[l.starts[at]] = uint32(place)
			l.starts[at]++
		}
		from = end
	}
	// Each start has moved on to the next.
	copy(l.starts[1:], l.starts[:len(l.starts)-1])
	l.starts[0] = 0
	return nil
}

// at returns the number of the list of a rank. ok is false if there is none.
func (l *rankLists) at(rank uint32) (at uint32, ok bool) {
	b, in := &l.blocks[rank/blockRanks], rank%blockRanks
	word, bit := b.present[in/64], uint64(1)<<(in%64)
	if word&bit == 0 {
		return 0, false
	}
	n := int(b.before) + bits.OnesCount64(word&(bit-1))
	for _, w := range b.present[:in/64] {
		n += bits.OnesCount64(w)
	}
	return uint32(n), true
}
