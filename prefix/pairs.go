package prefix

import (
	"context"
	"fmt"
	"sort"

	"simsearch/internal/parallel"
	"simsearch/internal/radix"
)

// A Pair is two near sets, with A < B.
type Pair struct {
	A, B   uint32
	Shared int // features
}

// PairOptions say how Pairs works. They do not change what it finds.
type PairOptions struct {
	Threads int
	// Progress, if not nil, is called with the number of sets whose pairs have been found, and of all sets.
	Progress func(done, all int)
	Stats    *PairStats // if not nil, counts the work
}

// PairStats count the work of Pairs.
type PairStats struct {
	Common     int   // how many first features a candidate shares
	Postings   int64 // of the sets
	Entries    int64 // postings that were read
	Candidates int64 // pairs that were compared
	Pairs      int64
}

// Pairs calls yield with all pairs of sets whose similarity is at least t, in (0, 1], some at a time. Each
// pair comes once; their order depends on nothing but the sets and t. The slice is valid until yield
// returns. Pairs takes 8 bytes a set, about 4 bytes a posting, which a tenth of the features have at
// t = 0.8, and 5 bytes a set for each thread. It works in two passes: the first indexes short prefixes, the
// second looks up those of each set in the lists of smaller sets (Bayardo, Ma and Srikant 2007; Xiao, Wang,
// Lin and Yu 2008). The error is section.ErrCorrupt, the cause of ctx, or that of yield.
func (s *Sets) Pairs(ctx context.Context, t float64, o PairOptions, yield func([]Pair) error) error {
	if !(t > 0 && t <= 1) {
		return fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	if err := s.check(); err != nil {
		return err
	}
	j, err := newJoin(ctx, s, t)
	if err != nil {
		return err
	}
	n := len(j.order)
	tasks := (n + joinSets - 1) / joinSets
	work := func(ctx context.Context, i int) (*joined, error) {
		return j.task(ctx, uint32(i*joinSets), uint32(min(n, (i+1)*joinSets)))
	}
	var stats PairStats
	done := 0
	err = parallel.Ordered(ctx, o.Threads, tasks, work, func(found *joined) error {
		stats.Entries += found.stats.Entries
		stats.Candidates += found.stats.Candidates
		stats.Pairs += int64(len(found.pairs))
		if done++; o.Progress != nil {
			o.Progress(min(n, done*joinSets), n)
		}
		return yield(found.pairs)
	})
	if o.Stats != nil {
		stats.Common, stats.Postings = j.common, int64(len(j.lists))
		*o.Stats = stats
	}
	return err
}

// check checks all sets against their checksums, so that reading them needs no further check.
func (s *Sets) check() error {
	if err := s.ends.Check(0, uint64(s.ends.Len())); err != nil {
		return err
	}
	return s.coded.Check(0, uint64(s.coded.Len()))
}

// joinSets is how many sets a goroutine joins at a time.
const joinSets = 1 << 9

// A join is the sets in the order of their sizes, and the lists of their short prefixes.
type join struct {
	sets   *Sets
	t      float64
	common int      // first features that a candidate shares
	order  []uint32 // sets by size, then by number
	sizes  []uint32 // of these sets

	// lists[starts[r]:starts[r+1]] are the places in order of the sets that have rank r in their short
	// prefix, ascending.
	starts []uint64
	lists  []uint32
}

func newJoin(ctx context.Context, s *Sets, t float64) (*join, error) {
	j := &join{sets: s, t: t, common: 1}
	n := s.Len()
	keys := make([]uint64, n)
	j.order, j.sizes = make([]uint32, n), make([]uint32, n)
	for i := range uint32(n) {
		size, err := s.Size(i)
		if err != nil {
			return nil, err
		}
		keys[i], j.order[i] = uint64(size), i
	}
	radix.SortPairs(keys, j.order)
	for i, size := range keys {
		j.sizes[i] = uint32(size)
	}
	p, err := j.prefixes(ctx)
	if err != nil {
		return nil, err
	}
	j.chooseCommon(p)
	j.index(p)
	return j, nil
}

// short returns how many first features of a set of n features must be indexed to find it by sets of at
// least n features. probed returns how many first features of a set of n must be looked up to find sets of
// at most n features.
func (j *join) short(n, common int) int { return prefixLength(n, LeastShared(n, n, j.t), common) }

func (j *join) probed(n, common int) int { return prefixLength(n, LeastSize(n, j.t), common) }

// prefixes are the ranks of the first features of all sets, in the order of the join: those that a query
// looks up if candidates share MaxCommon first features.
type prefixes struct {
	ranks []uint32
	ends  []uint64
	alone []uint32 // the features of each set that have no rank
}

// of returns the ranks among the first n features of the set at place.
func (p *prefixes) of(place, n int) []uint32 {
	ranks := p.ranks[:p.ends[place]]
	if place > 0 {
		ranks = ranks[p.ends[place-1]:]
	}
	return ranks[:min(len(ranks), max(0, n-int(p.alone[place])))]
}

func (j *join) prefixes(ctx context.Context) (*prefixes, error) {
	p := &prefixes{ends: make([]uint64, len(j.order)), alone: make([]uint32, len(j.order))}
	for place, set := range j.order {
		if place%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d, err := j.sets.decoder(set)
		if err != nil {
			return nil, err
		}
		p.alone[place] = uint32(d.alone)
		for left := min(j.probed(d.features, MaxCommon)-d.alone, d.ranks); left > 0; left-- {
			r, err := d.next()
			if err != nil {
				return nil, j.sets.bad(set, err)
			}
			p.ranks = append(p.ranks, r)
		}
		p.ends[place] = uint64(len(p.ranks))
	}
	return p, nil
}

// chooseCommon chooses how many first features a candidate must share: the most that do not make the
// lists costly.
func (j *join) chooseCommon(p *prefixes) {
	n := j.sets.vocabulary.Len()
	indexed, looked := make([]uint32, n), make([]uint32, n) // how often each rank is
	read, least := uint64(0), uint64(0)                     // entries that would be read
	before := 0
	for _, common := range commons {
		for place, size := range j.sizes {
			was, now := p.of(place, j.probed(int(size), before)), p.of(place, j.probed(int(size), common))
			if before == 0 {
				was = nil
			}
			for _, r := range now[len(was):] {
				looked[r]++
				read += uint64(indexed[r])
			}
			was, now = p.of(place, j.short(int(size), before)), p.of(place, j.short(int(size), common))
			if before == 0 {
				was = nil
			}
			for _, r := range now[len(was):] {
				indexed[r]++
				read += uint64(looked[r])
			}
		}
		if before == 0 {
			least = read
		}
		before = common
		if float64(read) > costly*float64(least)+float64(len(j.order)) {
			break
		}
		j.common = common
	}
}

// index makes the lists.
func (j *join) index(p *prefixes) {
	j.starts = make([]uint64, j.sets.vocabulary.Len()+1)
	for place, size := range j.sizes {
		for _, r := range p.of(place, j.short(int(size), j.common)) {
			j.starts[r+1]++
		}
	}
	for i := 1; i < len(j.starts); i++ {
		j.starts[i] += j.starts[i-1]
	}
	j.lists = make([]uint32, j.starts[len(j.starts)-1])
	next := append([]uint64(nil), j.starts[:len(j.starts)-1]...)
	for place, size := range j.sizes {
		for _, r := range p.of(place, j.short(int(size), j.common)) {
			j.lists[next[r]] = uint32(place)
			next[r]++
		}
	}
}

// joined is what one task has found.
type joined struct {
	pairs []Pair
	stats PairStats
}

// task finds the pairs of the sets at places [from, to) with sets at lower places.
func (j *join) task(ctx context.Context, from, to uint32) (*joined, error) {
	out := &joined{}
	q, _ := j.sets.searches.Get().(*search)
	if q == nil {
		q = &search{}
	}
	defer j.sets.searches.Put(q)
	if len(q.counts) < len(j.order) {
		q.counts = make([]uint8, len(j.order))
	}
	if n := (j.sets.vocabulary.Len() + 63) / 64; len(q.marks) < n {
		q.marks = make([]uint64, n)
	}
	q.sets = j.sets
	for place := from; place < to; place++ {
		if place%64 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := j.one(q, place, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// one finds the pairs of the set at place with sets at lower places.
func (j *join) one(q *search, place uint32, out *joined) error {
	defer q.end()
	set, size := j.order[place], int(j.sizes[place])
	d, err := j.sets.decoder(set)
	if err != nil {
		return err
	}
	first := j.probed(size, j.common) - d.alone
	if first <= 0 {
		q.query.ranks = q.query.ranks[:0]
		return nil
	}
	least := LeastSize(size, j.t)
	q.query.singles, q.query.ranks = q.query.singles[:0], q.query.ranks[:0]
	lowest := uint32(sort.Search(int(place), func(i int) bool { return int(j.sizes[i]) >= least }))
	common := min(j.common, least)
	for i := 0; i < first && d.ranks > 0; i++ {
		r, err := d.next()
		if err != nil {
			return j.sets.bad(set, err)
		}
		q.query.ranks = append(q.query.ranks, r)
		out.stats.Entries += j.count(q, j.lists[j.starts[r]:j.starts[r+1]], lowest, place, common)
	}
	if len(q.found) == 0 {
		q.query.ranks = q.query.ranks[:0]
		return nil
	}
	for d.ranks > 0 {
		r, err := d.next()
		if err != nil {
			return j.sets.bad(set, err)
		}
		q.query.ranks = append(q.query.ranks, r)
	}
	for _, r := range q.query.ranks {
		q.marks[r/64] |= 1 << (r % 64)
	}
	out.stats.Candidates += int64(len(q.found))
	for _, x := range q.found {
		other := j.order[x]
		shared, ok, err := q.sharesEnough(other, size, int(j.sizes[x]), j.t)
		if err != nil {
			return err
		}
		if ok {
			out.pairs = append(out.pairs, Pair{min(set, other), max(set, other), shared})
		}
	}
	return nil
}

// count counts the places of a list in [lo, hi), and returns how many there are.
func (j *join) count(q *search, list []uint32, lo, hi uint32, common int) int64 {
	if len(list) > 0 && list[0] < lo {
		list = list[sort.Search(len(list), func(i int) bool { return list[i] >= lo }):]
	}
	n := int64(0)
	for _, x := range list {
		if x >= hi {
			break
		}
		n++
		q.count(x, common)
	}
	return n
}

// giveUpEvery is the number of ranks after which a comparison looks whether enough can be shared.
const giveUpEvery = 16

// sharesEnough compares the marked set of a features with a set of b features.
func (q *search) sharesEnough(set uint32, a, b int, t float64) (shared int, ok bool, err error) {
	d, err := q.sets.decoder(set)
	if err != nil {
		return 0, false, err
	}
	least := LeastShared(a, b, t)
	for d.ranks > 0 {
		if shared+d.ranks < least {
			return shared, false, nil
		}
		for i := min(d.ranks, giveUpEvery); i > 0; i-- {
			r, err := d.next()
			if err != nil {
				return 0, false, q.sets.bad(set, err)
			}
			shared += int(q.marks[r/64] >> (r % 64) & 1)
		}
	}
	return shared, shared >= least, nil
}
