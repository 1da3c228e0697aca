package tables

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"simsearch/hamming"
	"simsearch/internal/ground/ints"
)

// Boilerplate and constant regions of images make very many fingerprints share a header. The run of
// such a header, a heavy run, takes as long to compare as a scan. So a heavy run gets tables of its
// own, over the bits in which its entries differ. They are made when comparing the run has cost, in
// all queries, about as much as making them costs. So no run costs more than twice the cheaper of
// both, and a run that queries seldom meet takes no memory. The tables of a run are made in memory, so
// that opening an index takes no longer, and the file format has no trace of them.
const (
	// heavyFrom is the number of entries above which a run is heavy.
	heavyFrom = 1 << 12
	// matchCost is what a match costs beyond comparing, in nanoseconds: several tables show it, and it
	// is looked up in the first.
	matchCost = 20
)

// heavyRuns are the heavy runs of one table that queries have met, by their first entry and their end.
type heavyRuns struct {
	sync.Mutex
	runs map[[2]int]*heavyRun
}

type heavyRun struct {
	compared atomic.Int64 // entries compared in all queries
	tables   atomic.Pointer[runTables]
	build    sync.Mutex
	useless  bool  // tables would not be faster; guarded by build
	needs    int64 // bytes of the tables that the budget left no room for; guarded by build
}

// runTables are the tables of one run.
type runTables struct {
	tables  *Tables     // of the entries' tails, rearranged
	arrange Permutation // brings the discriminating bits to the top of a tail
	order   []uint32    // the place in the run of each value of tables
}

// get returns the heavy run of the entries [lo, hi).
func (h *heavyRuns) get(lo, hi int) *heavyRun {
	h.Lock()
	defer h.Unlock()
	at := [2]int{lo, hi}
	if h.runs == nil {
		h.runs = map[[2]int]*heavyRun{}
	}
	if h.runs[at] == nil {
		h.runs[at] = new(heavyRun)
	}
	return h.runs[at]
}

// nearHeavy does compare's work for a heavy run, by tables of the run. It makes them if it is time. q
// has the header of the run. done is false if there are no tables, and the caller has to compare.
func (t *Tables) nearHeavy(dst []hamming.Match, i, lo, hi int, q uint64, apart int, s search) (_ []hamming.Match, done bool, err error) {
	r := t.heavy[i].get(lo, hi)
	sub := r.tables.Load()
	if sub == nil {
		if r.compared.Add(int64(hi-lo)) <= int64(t.tuning.patience)*int64(hi-lo) || !r.build.TryLock() {
			return dst, false, nil
		}
		defer r.build.Unlock()
		if r.useless || !t.memory.fits(r.needs) {
			return dst, false, nil
		}
		t.tables[i].guards.checkRest(lo, hi)
		if sub, r.needs = t.newRunTables(i, lo, hi, s.k); sub == nil {
			r.useless = r.needs == 0
			return dst, false, nil
		}
		r.tables.Store(sub)
	}
	tails := &t.tables[i].tails
	tail := q & tails.mask
	// The bytes of the run were checked when its tables were made.
	found := matchBuffers.Get().(*[]hamming.Match)
	defer matchBuffers.Put(found)
	count := s.count
	if count == nil {
		unbounded := t.tally(math.MaxInt64)
		count = &unbounded
	}
	if *found, err = sub.tables.nearWithin((*found)[:0], sub.arrange.Apply(tail), s.k-apart, count); err != nil {
		return dst, true, err
	}
	for _, m := range *found {
		if s.count != nil && !s.count.spend(s.count.price.match) {
			return dst, true, errScan
		}
		j := lo + int(sub.order[m.Index])
		dst = t.found(dst, i, j, q&^tails.mask|tails.at(j), apart+int(m.Distance), s)
	}
	return dst, true, nil
}

var matchBuffers = sync.Pool{New: func() any { return new([]hamming.Match) }}

// newRunTables returns tables of the entries [lo, hi) of table i for queries within k. It returns nil if
// comparing the entries is about as fast, or if the budget leaves no room for the tables. needs is the
// number of bytes that the tables would take if there is no room for them, and otherwise 0.
func (t *Tables) newRunTables(i, lo, hi, k int) (_ *runTables, needs int64) {
	n, tailBits := hi-lo, int(t.tables[i].dir.Shift)
	header := discriminating(n, func(j int) uint64 { return t.tables[i].tails.at(lo + j) })
	width := bits.OnesCount64(header)
	if k >= width {
		return nil, 0
	}
	plan := Choose(width, n, k, 0)
	scan := costsFor(n).Scan * float64(n)
	matches := float64(n) * ball(width, k) / math.Exp2(float64(width))
	if plan.Nanoseconds+matchCost*matches > scan/2 {
		return nil, 0
	}
	// Entries within k of a query are so on the discriminating bits, too: a design for these bits finds
	// them.
	headers := plan.Design.Headers()
	for h := range headers {
		headers[h] <<= tailBits - width
	}
	design, err := FromHeaders(tailBits, plan.Design.Exact(), headers)
	if err != nil {
		return nil, 0 // impossible: they are the headers of a design, moved
	}
	bytes := int64(bytesOf(n, design) + 4*n)
	if !t.memory.reserve(bytes) {
		return nil, bytes
	}
	r := &runTables{arrange: NewPermutation(tailBits, header), order: make([]uint32, n)}
	values := make([]uint64, n)
	for j := range values {
		values[j], r.order[j] = r.arrange.Apply(t.tables[i].tails.at(lo+j)), uint32(j)
	}
	ints.SortPairs(values, r.order)
	for j := 1; j < n; j++ {
		if values[j] == values[j-1] {
			t.memory.release(bytes)
			return nil, 0 // the table is corrupt; comparing finds what there is
		}
	}
	r.tables = Build(values, design)
	r.tables.tuning, r.tables.memory = t.tuning, t.memory
	if r.tables.averageRuns()*costsFor(n).Candidate > scan/2 {
		t.memory.release(bytes)
		return nil, 0 // the bits discriminate, but not independently
	}
	return r, 0
}

// averageRuns returns how many entries a query for a value of the tables compares, on average over a
// sample of the values.
func (t *Tables) averageRuns() float64 {
	step := len(t.values)/64 + 1
	n, sum := 0, 0
	for j := 0; j < len(t.values); j += step {
		for i := range t.tables {
			tb := &t.tables[i]
			h := tb.perm.Apply(t.values[j]) >> tb.dir.Shift
			sum += int(tb.dir.Starts[h+1] - tb.dir.Starts[h])
		}
		n++
	}
	return float64(sum) / float64(n)
}

// minHeavyBudget is part of the default budget of the tables of heavy runs, in bytes. The default is
// minHeavyBudget or twice Tables.Bytes, whichever is greater.
const minHeavyBudget = 256 << 20

// A heavyMemory counts the bytes of the tables of heavy runs, and of the heavy runs of these.
type heavyMemory struct {
	used, budget atomic.Int64
}

// fits reports whether the budget leaves room for the given number of bytes.
func (m *heavyMemory) fits(bytes int64) bool { return m.used.Load()+bytes <= m.budget.Load() }

// reserve counts bytes as used and reports true, unless they exceed the budget.
func (m *heavyMemory) reserve(bytes int64) bool {
	if m.used.Add(bytes) > m.budget.Load() {
		m.used.Add(-bytes)
		return false
	}
	return true
}

// release undoes reserve.
func (m *heavyMemory) release(bytes int64) { m.used.Add(-bytes) }

// SetHeavyBudget sets the number of bytes that the tables of all heavy runs may take. A heavy run is
// that of a header which more than 4096 values share. Near and NearBatch make tables of such a run
// when comparing it has cost about as much as making them. If the budget leaves no room for them, they
// go on comparing, with the same answers. A budget of 0 or less allows no tables. Tables made before
// are kept.
//
// The budget does not include the 16 n bytes that are in use while tables of n values are made.
// SetHeavyBudget is safe for concurrent use.
func (t *Tables) SetHeavyBudget(bytes int64) { t.memory.budget.Store(bytes) }

// HeavyBytes returns the number of bytes that the tables of heavy runs take. They are not part of
// Bytes. It is safe for concurrent use.
func (t *Tables) HeavyBytes() int64 { return t.memory.used.Load() }
