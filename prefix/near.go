package prefix

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sort"
)

// A Match is a set that is near a query.
type Match struct {
	Set    uint32
	Shared int // features
	Size   int // of the set
}

// Jaccard returns the similarity of the set and a query of size features.
func (m Match) Jaccard(size int) float64 {
	return float64(m.Shared) / float64(size+m.Size-m.Shared)
}

// Stats count the work of searches.
type Stats struct {
	LookUps    int64 // lists of postings
	Entries    int64 // of these lists, or sets that were scanned
	Candidates int64 // sets that were compared
}

// Near appends the sets whose similarity to query is at least t, in (0, 1], and returns the extended
// slice. query is a set of features, strictly ascending. The matches are in no particular order. Near reads
// the lists of the first features if the postings are planned for t, and compares all sets otherwise. It
// allocates only to grow dst. The error is section.ErrCorrupt, or the cause of ctx.
func (s *Sets) Near(ctx context.Context, dst []Match, query []uint64, t float64, stats *Stats) ([]Match, error) {
	if !(t > 0 && t <= 1) {
		return dst, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", t)
	}
	if s.pairsOnly {
		return dst, errPairsOnly
	}
	if len(query) == 0 || s.Len() == 0 {
		return dst, nil
	}
	q, _ := s.searches.Get().(*search)
	if q == nil {
		q = &search{}
	}
	defer func() {
		q.end()
		s.searches.Put(q)
	}()
	if err := q.begin(s, query); err != nil {
		return dst, err
	}
	start := len(dst)
	var err error
	if s.Looks(t) {
		dst, err = q.lookUp(dst, t, stats)
	} else {
		dst, err = q.scan(ctx, dst, t, stats)
	}
	if err != nil {
		dst = dst[:start]
	}
	return dst, err
}

// Looks reports whether Near uses postings at similarity t. Otherwise it compares all sets.
func (s *Sets) Looks(t float64) bool { return s.postings.exists() && t >= s.postings.plan.Threshold }

// A search is a query and the memory to answer it.
type search struct {
	sets    *Sets
	query   view
	marks   []uint64 // a bit for each rank of the query
	counts  []uint8  // how many first features each set shares with the query, by the number by size
	touched []uint32 // the sets with a count
	found   []uint32 // the candidates, by the number by size
	ranges  [][2]uint32
	places  []uint32 // of features without a rank, among those of the postings
	spans   []span   // of a join
	crowd   bool     // of a join: very many sets are near
}

func (q *search) begin(s *Sets, query []uint64) error {
	q.sets = s
	if n := (s.ranks + 63) / 64; len(q.marks) < n {
		q.marks = make([]uint64, n)
	}
	if err := s.vocabulary.see(&q.query, query); err != nil {
		q.query.ranks = q.query.ranks[:0] // they are not marked
		return err
	}
	for _, r := range q.query.ranks {
		q.marks[r/64] |= 1 << (r % 64)
	}
	return nil
}

// end prepares q for another query.
func (q *search) end() {
	for _, r := range q.query.ranks {
		q.marks[r/64] = 0
	}
	for _, x := range q.touched {
		q.counts[x] = 0
	}
	q.touched, q.found = q.touched[:0], q.found[:0]
}

// lookUp appends the near sets among those that share first features with the query.
func (q *search) lookUp(dst []Match, t float64, stats *Stats) ([]Match, error) {
	p := q.sets.postings
	if len(q.counts) < q.sets.Len() {
		q.counts = make([]uint8, q.sets.Len())
	}
	n := q.query.len()
	least := LeastSize(n, t)
	common := min(p.plan.Common, least)
	lo, hi, err := p.between(least, MostSize(n, t, math.MaxInt32))
	if err != nil || lo == hi {
		return dst, err
	}
	first := prefixLength(n, least, common)
	alone := min(first, len(q.query.singles))
	ranks := q.query.ranks[:min(first-alone, len(q.query.ranks))]
	entries, err := q.countSingles(q.query.singles[:alone], lo, hi, common)
	if err != nil {
		return dst, err
	}
	for i, r := range ranks {
		list, err := p.list(r)
		if err != nil {
			return dst, err
		}
		if len(list) >= manyEntries {
			// A set that shares at most common - 1 features before this one shares what is left of the query at
			// most (positional filter: Xiao, Wang, Lin and Yu 2008).
			if hi, err = p.upTo(mostSharing(n, n-alone-i+common-1, t), hi); err != nil {
				return dst, err
			}
		}
		n, err := q.countList(r, list, lo, hi, common)
		if err != nil {
			return dst, err
		}
		entries += n
	}
	for _, x := range q.found {
		set, err := p.set(x)
		if err != nil {
			return dst, err
		}
		m, ok, err := q.compare(set, t)
		if err != nil {
			return dst, err
		}
		if ok {
			dst = append(dst, m)
		}
	}
	if stats != nil {
		stats.LookUps += int64(alone + len(ranks))
		stats.Entries += int64(entries)
		stats.Candidates += int64(len(q.found))
	}
	return dst, nil
}

// count counts that the set of number x shares a first feature. It is a candidate if it shares common, up to
// which it is counted.
func (q *search) count(x uint32, common int) {
	c := q.counts[x]
	if int(c) >= common {
		return
	}
	if c == 0 {
		q.touched = append(q.touched, x)
	}
	if c++; int(c) == common {
		q.found = append(q.found, x)
	}
	q.counts[x] = c
}

// countList counts the sets of the list of a rank with numbers in [lo, hi).
func (q *search) countList(rank uint32, list []byte, lo, hi uint32, common int) (entries int, err error) {
	p := q.sets.postings
	next := uint64(0)
	for i := 0; i < len(list); entries++ {
		d := uint64(list[i])
		i++
		if d >= 0x80 {
			d &= 0x7f
			for shift := 7; ; shift += 7 {
				if i >= len(list) || shift > 28 {
					return 0, p.badList(rank)
				}
				c := uint64(list[i])
				i++
				d |= c & 0x7f << shift
				if c < 0x80 {
					break
				}
			}
		}
		next += d
		if next >= uint64(hi) {
			break
		}
		if next >= uint64(lo) {
			q.count(uint32(next), common)
		}
		next++
	}
	return entries, nil
}

// countSingles counts the sets with numbers in [lo, hi) that seem to have features without a rank. Memory is read in
// steps that do not wait for each other.
func (q *search) countSingles(features []uint64, lo, hi uint32, common int) (entries int, err error) {
	p := q.sets.postings
	q.ranges, q.places = q.ranges[:0], q.places[:0]
	for _, f := range features {
		slot := p.dir.Slot(f)
		if err := p.dir.Check(slot, slot); err != nil {
			return 0, err
		}
		from, to, ok := p.dir.Entries(slot, slot, p.tags.Len())
		if !ok {
			return 0, p.dir.Bad(slot, slot, p.tags.Len())
		}
		q.ranges = append(q.ranges, [2]uint32{uint32(from), uint32(to)})
	}
	if p.tags.Guard.Whole() {
		touched := uint16(0)
		for _, r := range q.ranges {
			if int(r[0]) < p.tags.Len() {
				touched ^= p.tags.All[r[0]]
			}
		}
		q.query.touched += uint64(touched) // as in Vocabulary.lookUp
	}
	for i, f := range features {
		from, to := q.ranges[i][0], q.ranges[i][1]
		tags, err := p.tags.Range(uint64(from), uint64(to))
		if err != nil {
			return 0, err
		}
		tag := p.tag(f)
		for j, other := range tags {
			if other == tag {
				q.places = append(q.places, from+uint32(j))
			}
		}
	}
	for _, place := range q.places {
		x, err := p.alone.At(uint64(place))
		if err != nil {
			return 0, err
		}
		if lo <= x && x < hi {
			q.count(x, common)
		}
	}
	return len(q.places), nil
}

// scan appends the near sets among all.
func (q *search) scan(ctx context.Context, dst []Match, t float64, stats *Stats) ([]Match, error) {
	err := q.each(ctx, func() float64 { return t }, func(m Match) { dst = append(dst, m) })
	if stats != nil {
		stats.Entries += int64(q.sets.Len())
		stats.Candidates += int64(q.sets.Len())
	}
	return dst, err
}

// Each calls do with every set that shares a feature with query and whose similarity is at least least(),
// which may grow. It compares all sets. query is strictly ascending. The error is section.ErrCorrupt, or the
// cause of ctx.
func (s *Sets) Each(ctx context.Context, query []uint64, least func() float64, do func(Match)) error {
	if s.pairsOnly {
		return errPairsOnly
	}
	q, _ := s.searches.Get().(*search)
	if q == nil {
		q = &search{}
	}
	defer func() {
		q.end()
		s.searches.Put(q)
	}()
	if err := q.begin(s, query); err != nil || len(query) == 0 {
		return err
	}
	return q.each(ctx, least, do)
}

func (q *search) each(ctx context.Context, least func() float64, do func(Match)) error {
	for i := range uint32(q.sets.Len()) {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m, ok, err := q.compare(i, least())
		if err != nil {
			return err
		}
		if ok && m.Shared > 0 {
			do(m)
		}
	}
	return nil
}

// compare compares the query with a set. ok reports whether their similarity is at least t.
func (q *search) compare(set uint32, t float64) (m Match, ok bool, err error) {
	d, err := q.sets.decoder(set)
	if err != nil {
		return m, false, err
	}
	m = Match{Set: set, Size: d.features}
	n := q.query.len()
	if !Similar(min(n, m.Size), n, m.Size, t) {
		return m, false, nil
	}
	for d.ranks > 0 {
		r, err := d.next()
		if err != nil {
			return m, false, q.sets.bad(set, err)
		}
		m.Shared += int(q.marks[r/64] >> (r % 64) & 1)
	}
	if len(q.query.singles) > 0 {
		singles, err := d.singles()
		if err != nil {
			return m, false, q.sets.bad(set, err)
		}
		m.Shared += sharedSingles(q.query.singles, singles)
	}
	return m, Similar(m.Shared, n, m.Size, t), nil
}

// sharedSingles returns how many features are in both of two ascending lists, the second as bytes.
func sharedSingles(a []uint64, b []byte) (n int) {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], binary.LittleEndian.Uint64(b)
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[8:]
		}
		if x == y {
			n++
		}
	}
	return n
}

// between returns the numbers by size [lo, hi) of the sets with at least least and at most most features.
func (p *Postings) between(least, most int) (lo, hi uint32, err error) {
	sizes, err := p.sizes.Range(0, uint64(p.sizes.Len()))
	if err != nil {
		return 0, 0, err
	}
	starts, err := p.starts.Range(0, uint64(p.starts.Len()))
	if err != nil {
		return 0, 0, err
	}
	from := sort.Search(len(sizes), func(i int) bool { return int(sizes[i]) >= least })
	to := sort.Search(len(sizes), func(i int) bool { return int(sizes[i]) > most })
	lo, hi = starts[from], starts[max(from, to)]
	if lo > hi || int64(hi) > int64(p.order.Len()) {
		return 0, 0, p.starts.Corruptf(uint64(from), "the sets of %d to %d features have the numbers [%d, %d) of %d", least, most, lo, hi, p.order.Len())
	}
	return lo, hi, nil
}

// upTo returns the number by size before which the sets of up to most features are, or hi if that is less.
func (p *Postings) upTo(most int, hi uint32) (uint32, error) {
	sizes, err := p.sizes.Range(0, uint64(p.sizes.Len()))
	if err != nil {
		return 0, err
	}
	start, err := p.starts.At(uint64(sort.Search(len(sizes), func(i int) bool { return int(sizes[i]) > most })))
	return min(hi, start), err
}

// set returns the set of a number by size, which must be less than the number of sets.
func (p *Postings) set(number uint32) (uint32, error) {
	set, err := p.order.At(uint64(number))
	if err == nil && int64(set) >= int64(p.order.Len()) {
		err = p.order.Corruptf(uint64(number), "set %d of %d", set, p.order.Len())
	}
	return set, err
}

// list returns the list of a rank.
func (p *Postings) list(rank uint32) ([]byte, error) {
	if int64(rank) >= int64(p.ends.Len()) {
		return nil, nil
	}
	lo, hi := uint32(0), uint32(0)
	if rank == 0 {
		end, err := p.ends.At(0)
		if err != nil {
			return nil, err
		}
		hi = end
	} else {
		both, err := p.ends.Range(uint64(rank)-1, uint64(rank)+1)
		if err != nil {
			return nil, err
		}
		lo, hi = both[0], both[1]
	}
	if lo > hi || uint64(hi) > uint64(p.lists.Len()) {
		return nil, p.ends.Corruptf(uint64(rank), "the list of rank %d spans [%d, %d) of %d", rank, lo, hi, p.lists.Len())
	}
	return p.lists.Range(uint64(lo), uint64(hi))
}

// badList returns the error of the list of a rank.
func (p *Postings) badList(rank uint32) error {
	at := uint32(0)
	if rank > 0 {
		at = p.ends.All[rank-1]
	}
	return p.lists.Corruptf(uint64(at), "the list of rank %d is cut off", rank)
}
