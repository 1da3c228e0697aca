package sequences

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"simsearch/fingerprint"
	"simsearch/internal/ground/ints"
)

// A Class is submissions, such as the essays of a course, of which each may have parts of others. Of each two it
// finds chains: seeds, which are a few equal words behind one another, in the same order on both sides, with other
// words between them. A seed weighs the more the fewer submissions have it, and the fewer of its words are stop
// words.
//
//   - A word of a chain weighs what the heaviest seed does that covers it in the chain. A word that is passed over costs gapCost, on that
//     side of two on which more words are.
//   - The heaviest chain is taken first, then the heaviest of what is left, without the words that are taken on either side, until none has
//     chainWeight.
//   - The share of a submission is the weight of its words in chains, of that of all of its words, each with the heaviest seed that covers
//     it anywhere.
//
// A chain is found as minimap2 does (Li, Bioinformatics 34, 2018): a run of seeds follows one of the lookBack runs
// before it. A Class may be used by several goroutines at once; each has a Finder.
type Class struct {
	seed    int      // words of a seed
	bounds  []uint32 // of each submission: where its words begin in what follows; and their number
	ids     []uint32 // by word: the seed that begins there, if several submissions have it and not too many; else 0
	weights []uint8  // by word: what the seed that begins there weighs
	starts  []uint32 // by id: where its places begin; and their number
	places  []uint32 // words at which a seed begins, in order
	of      []uint32 // by place: the submission that has it
	common  []bool   // by id: whether it is no reason to look at two submissions that have it
	totals  []int    // by submission: what all words weigh
	texts   []uint32 // where the words of each text begin
	first   []int    // of each submission: its first text
	base    []bool   // by word: whether the base has it, in baseWords words or more behind one another; nil without one
}

const (
	fullWeight  = 100            // of a seed that two submissions have, and that has no stop words
	gapCost     = 10             // of a word that a chain passes over
	chainWeight = 2 * fullWeight // of the lightest chain
	mostHaving  = 1000           // submissions that have a seed that counts
	mostLeading = 256            // submissions that have a seed for which they are looked at
	mostInOne   = 16             // places of a seed in the first submission that are looked at; what follows them is found from these
	lookBack    = 64             // runs before one that it may follow
	breakAt     = 10             // words that are passed over behind one another, from which on there are two passages
	baseWords   = 8
)

// commonWeights are what seeds weigh that have no stop word, one, or more.
var commonWeights = [...]float64{1, .6, .2}

// ClassText is a text of a submission: hashes of its words, and which of them are stop words, which may be nil.
type ClassText struct {
	Words []uint64
	Stop  []bool
}

// NewClass returns a Class of submissions, whose seeds are so many words, one at least. Each submission is some
// texts; no seed lies in two of them. What the base has, which is hashes of words of texts that all may have, and what
// they were given weigh nothing.
func NewClass(submissions [][]ClassText, seed int, base [][]uint64, given []GivenPassage) *Class {
	c := &Class{seed: seed, bounds: []uint32{0}}
	var stops []uint8 // by word: how many stop words the seed has that begins there
	n := uint32(0)
	for _, texts := range submissions {
		c.first = append(c.first, len(c.texts))
		for _, text := range texts {
			c.texts = append(c.texts, n)
			n += uint32(len(text.Words) + breakAt) // what lies between texts is passed over
			stops = slices.Grow(stops, int(n)-len(stops))[:n]
			for i := range text.Stop {
				if text.Stop[i] {
					for at := max(0, i-seed+1); at <= i; at++ {
						stops[int(n)-len(text.Words)-breakAt+at]++
					}
				}
			}
		}
		c.bounds = append(c.bounds, n)
	}
	c.ids, c.weights = make([]uint32, n), make([]uint8, n)
	known := map[uint64]bool{}
	for _, words := range base {
		for _, gram := range fingerprint.AppendWordGrams(nil, words, seed) {
			known[gram] = true
		}
	}
	if len(base)+len(given) > 0 {
		c.base = make([]bool, n)
	}
	for _, p := range given {
		at := int(c.texts[c.first[p.Submission]+p.Text])
		Mark(c.base, [2]int{at + p.Words[0], at + p.Words[1] - seed + 1})
	}
	c.starts, c.common = []uint32{0, 0}, []bool{true} // id 0 has no places
	width := bits.Len32(n >> 20)
	var keys []uint64
	var places []uint32
	for part := range uint64(1) << width { // some of all seeds, which take much memory together
		keys, places = c.seedsOf(keys[:0], places[:0], submissions, width, part)
		ints.SortPairs(keys, places)
		for from := 0; from < len(keys); {
			to := from + 1
			for to < len(keys) && keys[to] == keys[from] {
				to++
			}
			of := places[from:to]
			if known[keys[from]] {
				for _, at := range of {
					c.base[at] = true
				}
			}
			if c.base != nil {
				of = slices.DeleteFunc(of, func(at uint32) bool { return c.base[at] })
			}
			if len(of) > 0 {
				c.add(of, commonWeights[min(int(stops[of[0]]), len(commonWeights)-1)])
			}
			from = to
		}
	}
	c.spreadBase()
	c.totals = make([]int, len(submissions))
	for i := range c.totals {
		c.totals[i] = c.total(c.bounds[i], c.bounds[i+1])
	}
	return c
}

// seedsOf appends those seeds of submissions that begin with so many bits of that value, and where they are.
func (c *Class) seedsOf(
	keys []uint64, places []uint32, submissions [][]ClassText, width int, begin uint64,
) (k []uint64, p []uint32) {
	var grams []uint64
	texts := c.texts
	for _, of := range submissions {
		for _, text := range of {
			if len(text.Words) >= c.seed {
				grams = fingerprint.AppendWordGrams(grams[:0], text.Words, c.seed)
				for i, gram := range grams {
					if gram>>(64-width) == begin {
						keys, places = append(keys, gram), append(places, texts[0]+uint32(i))
					}
				}
			}
			texts = texts[1:]
		}
	}
	return keys, places
}

// spreadBase makes of seeds that begin in c.base the words that they have, if there are baseWords behind one another.
func (c *Class) spreadBase() {
	for from := 0; from < len(c.base); from++ {
		to := from
		for to < len(c.base) && c.base[to] {
			to++
		}
		if to == from {
			continue
		}
		end := to + c.seed - 1
		for i := from; i < end; i++ {
			c.base[i] = end-from >= baseWords
		}
		from = end
	}
}

// add adds a seed, whose places are in order, and which weighs so much if two submissions have it.
func (c *Class) add(places []uint32, weight float64) {
	having, in, before := 0, 0, len(c.of)
	for i, at := range places {
		for c.bounds[in+1] <= at {
			next, _ := slices.BinarySearch(c.bounds[in+1:], at+1)
			in += next
		}
		if c.of = append(c.of, uint32(in)); i == 0 || c.of[len(c.of)-2] != uint32(in) {
			having++
		}
	}
	weight *= min(1, max(0, 1-float64(having-2)/(.8*float64(len(c.bounds)-1))))
	w, id := uint8(fullWeight*weight+.5), uint32(0)
	if w > 0 && having > 1 && having <= mostHaving {
		id = uint32(len(c.starts) - 1)
		c.places = append(c.places, places...)
		c.starts, c.common = append(c.starts, uint32(len(c.places))), append(c.common, having > mostLeading)
	} else {
		c.of = c.of[:before]
	}
	for _, at := range places {
		c.ids[at], c.weights[at] = id, w
	}
}

// total returns what the words from one to another weigh.
func (c *Class) total(from, to uint32) (sum int) {
	for at := from; at < to; at++ {
		w := uint8(0)
		for i := max(from+uint32(c.seed)-1, at) - uint32(c.seed) + 1; i <= at; i++ {
			w = max(w, c.weights[i])
		}
		sum += int(w)
	}
	return sum
}

// Shared is what two submissions of a Class have in common.
type Shared struct {
	Other    int        // the submission with the larger number
	Shares   [2]float64 // of both
	Heaviest float64    // chain, in words
	Distinct int        // different seeds that both have and few others, in the passage that has most of them
	Passages []inClass  // in their order in the first submission
}

// inClass is a passage of two submissions: which of their texts have it. What is passed over counts as edits.
type inClass struct {
	Texts [2]int // of the submissions
	Passage
}

// A Finder finds what submissions of a Class share. It must not be used by several goroutines at once.
type Finder struct {
	c       *Class
	found   []int    // by submission: what the seeds that are found weigh
	seeds   []int    // by submission: how many different ones these are
	met     []int    // submissions that share a seed
	first   []int32  // by id: the first place in the submission that is asked about, and one more; 0 is none
	has     []uint64 // by id, a bit: whether it has one
	next    []int32  // by place in it, likewise: the next of the same id
	both    []int32  // by id: the last submission that was found to have it too, and one more
	ids     []uint32
	anchors []anchor
	chainer
}

// An anchor is a seed that two submissions have, at words of both.
type anchor struct{ a, b uint32 }

// NewFinder returns a Finder.
func (c *Class) NewFinder() *Finder {
	ids, all := len(c.starts), len(c.totals)
	return &Finder{c: c, found: make([]int, all), seeds: make([]int, all), first: make([]int32, ids),
		has: make([]uint64, ids/64+1), both: make([]int32, ids), chainer: chainer{seed: c.seed}}
}

// Of returns what a submission shares with those of a larger number that may is true for, in their order: it is asked
// with the most that the shares of both, the heaviest chain and the different seeds of a passage can be. Two
// submissions are looked at if they share a seed that mostLeading have at most.
func (f *Finder) Of(a int, may func(*Shared) bool) (all []Shared) {
	c := f.c
	from, end := c.bounds[a], c.bounds[a+1]
	f.begins(c, a)
	common := 0 // what the seeds weigh that are no reason
	f.met, f.next = f.met[:0], slices.Grow(f.next[:0], int(end-from))[:end-from]
	for at := end; at > from; { // so that each list is in order
		at--
		id, fresh := c.ids[at], 0
		if f.first[id] == 0 {
			fresh = 1
		}
		f.next[at-from], f.first[id] = f.first[id], int32(at-from)+1
		f.has[id>>6] |= 1 << (id & 63)
		if c.common[id] {
			common += int(c.weights[at])
			continue
		}
		places, of := c.places[c.starts[id]:c.starts[id+1]], c.of[c.starts[id]:c.starts[id+1]]
		later, last := sort.Search(len(places), func(i int) bool { return places[i] >= end }), uint32(a)
		for _, other := range of[later:] {
			if other == last {
				continue
			}
			if last = other; f.found[other] == 0 {
				f.met = append(f.met, int(other))
			}
			f.found[other], f.seeds[other] = f.found[other]+int(c.weights[at]), f.seeds[other]+fresh
		}
	}
	f.first[0], f.has[0] = 0, f.has[0]&^1
	slices.Sort(f.met)
	for _, of := range f.met {
		most, seeds := (f.found[of]+common)*c.seed, f.seeds[of] // each seed covers so many words
		f.found[of], f.seeds[of] = 0, 0
		s := Shared{Other: of, Shares: [2]float64{c.share(a, most), c.share(of, most)}, Heaviest: float64(most) / fullWeight, Distinct: seeds}
		if most < chainWeight || !may(&s) {
			continue
		}
		heaviest, sum := f.meet(of)
		s.Shares, s.Heaviest = [2]float64{c.share(a, sum), c.share(of, sum)}, float64(heaviest)/fullWeight
		if heaviest < chainWeight || !may(&s) {
			continue
		}
		if f.chain(c, a, of, f.anchors); f.sum > 0 {
			all = append(all, f.shared(a, of))
		}
	}
	for at := from; at < end; at++ {
		f.first[c.ids[at]], f.has[c.ids[at]>>6] = 0, 0
	}
	return all
}

// shared returns what the chains that were found last are of two submissions.
func (f *Finder) shared(a, b int) Shared {
	s := Shared{Other: b, Shares: [2]float64{f.c.share(a, f.sum), f.c.share(b, f.sum)}, Heaviest: float64(f.best) / fullWeight}
	ids := f.c.ids[f.c.bounds[a]:]
	for _, x := range f.anchors {
		f.both[ids[x.a]] = int32(b) + 1
	}
	for _, p := range f.passages {
		s.Passages = append(s.Passages, f.c.place(a, b, p))
		f.ids = f.ids[:0]
		for _, id := range ids[p.Query[0]:p.Query[1]] {
			if f.both[id] == int32(b)+1 && !f.c.common[id] {
				f.ids = append(f.ids, id)
			}
		}
		slices.Sort(f.ids)
		s.Distinct = max(s.Distinct, len(slices.Compact(f.ids)))
	}
	return s
}

// meet sets f.anchors to the seeds that the submission that is asked about shares with another one. It returns what the
// heaviest chain of them weighs at most, by the words between them in the other one alone, and what all chains do.
func (f *Finder) meet(of int) (heaviest, sum int) {
	f.anchors = f.anchors[:0]
	weights := f.c.weights[f.c.bounds[of]:]
	chain, last := 0, 0
	for y, id := range f.c.ids[f.c.bounds[of]:f.c.bounds[of+1]] {
		if f.has[id>>6]>>(id&63)&1 == 0 {
			continue
		}
		x := f.first[id]
		for n := 0; x > 0 && n < mostInOne; n++ {
			f.anchors = append(f.anchors, anchor{uint32(x - 1), uint32(y)})
			x = f.next[x-1]
		}
		weight := f.c.seed * int(weights[y])
		chain = max(0, chain-gapCost*max(0, y-last)) + weight
		heaviest, sum, last = max(heaviest, chain), sum+weight, y+f.c.seed
	}
	return heaviest, sum
}

// share returns what a weight is of that of all words of a submission, which is never 1 for less.
func (c *Class) share(submission, weight int) float64 {
	return min(1, float64(weight)/float64(max(c.totals[submission], c.seed*fullWeight)))
}

// place returns a passage of two submissions in words of their texts.
func (c *Class) place(a, b int, p Passage) inClass {
	is := inClass{Passage: p}
	for i, side := range []*[2]int{&is.Query, &is.Document} {
		of := []int{a, b}[i]
		at := c.bounds[of] + uint32(side[0])
		texts := c.texts[c.first[of]:]
		text, found := slices.BinarySearch(texts, at)
		if !found {
			text--
		}
		before := int(texts[text] - c.bounds[of])
		side[0], side[1], is.Texts[i] = side[0]-before, side[1]-before, text
	}
	return is
}

// Base returns which words of a text of a submission the base has; nil without one.
func (c *Class) Base(submission, text, words int) []bool {
	if c.base == nil {
		return nil
	}
	at := c.texts[c.first[submission]+text]
	return c.base[at : int(at)+words]
}

// A chainer finds the chains of two submissions.
type chainer struct {
	seed     int
	weights  []uint8  // by word of the first submission: of the seed that begins with it
	sums     []uint32 // likewise: what all words before it weigh
	runs     []run
	taken    [2][]bool
	passages []Passage
	best     int
	sum      int
	order    []uint64
	parts    []part
	starts   []uint32 // by word of the first submission: where its anchors end, while they are sorted
	sorted   []anchor
	ends     []uint32 // by diagonal: where its last run ends in the first submission
}

// A part is words of a run in a chain.
type part struct{ a, b, n, weight int }

// A run is words that are equal on both sides, covered by seeds that overlap.
type run struct {
	a, b, n int
	score   int // of the best chain that ends with it
	from    int // the run before it in that chain, or -1
	skip    int // words of it that are left out at its beginning in that chain
	used    bool
}

// chain sets f.passages, f.best and f.sum to what two submissions share. Anchors are equal seeds, as words of both.
func (f *chainer) chain(c *Class, a, b int, anchors []anchor) {
	f.passages, f.best, f.sum = f.passages[:0], 0, 0
	f.runsOf(c, a, b, anchors)
	for i, of := range []int{a, b} {
		f.taken[i] = zeros(f.taken[i], int(c.bounds[of+1]-c.bounds[of]))
	}
	f.score()
	f.order = f.order[:0]
	for i := range f.runs {
		if score := f.runs[i].score; score >= chainWeight {
			f.order = append(f.order, uint64(math.MaxUint32-score)<<32|uint64(i))
		}
	}
	slices.Sort(f.order)
	for _, last := range f.order {
		f.take(int(uint32(last)))
	}
	slices.SortFunc(f.passages, func(x, y Passage) int {
		return cmp.Or(cmp.Compare(x.Query[0], y.Query[0]), cmp.Compare(x.Document[0], y.Document[0]))
	})
	kept := f.passages[:0]
	for _, p := range f.passages { // what a chain passes over may be in another one
		if !slices.ContainsFunc(kept[max(0, len(kept)-lookBack):], func(o Passage) bool { return p.in(&o) }) {
			kept = append(kept, p)
		}
	}
	f.passages = kept
}

// runsOf sets f.runs to the longest runs of anchors, in the order of the words of the first submission and then of
// those of the second one.
func (f *chainer) runsOf(c *Class, a, b int, anchors []anchor) {
	idsA, idsB := c.ids[c.bounds[a]:c.bounds[a+1]], c.ids[c.bounds[b]:c.bounds[b+1]]
	f.runs, f.ends = f.runs[:0], zeros(f.ends, len(idsA)+len(idsB))
	for _, is := range f.inOrder(anchors, len(idsA)) {
		x, y := int(is.a), int(is.b)
		end := &f.ends[y-x+len(idsA)]
		if *end > is.a { // it is in the run before on its diagonal
			continue
		}
		n := 0
		for x+n < len(idsA) && y+n < len(idsB) && idsA[x+n] != 0 && idsA[x+n] == idsB[y+n] {
			n++
		}
		*end = uint32(x + n)
		f.runs = append(f.runs, run{a: x, b: y, n: n + f.seed - 1})
	}
}

// inOrder returns anchors in the order of their words of the first submission, which has so many. Those of one word
// are in the order of their words of the second one, and stay so.
func (f *chainer) inOrder(anchors []anchor, words int) []anchor {
	f.starts = zeros(f.starts, words+1)
	for _, is := range anchors {
		f.starts[is.a+1]++
	}
	for i := range words {
		f.starts[i+1] += f.starts[i]
	}
	f.sorted = slices.Grow(f.sorted[:0], len(anchors))[:len(anchors)]
	for _, is := range anchors {
		f.sorted[f.starts[is.a]] = is
		f.starts[is.a]++
	}
	return f.sorted
}

// begins begins with a submission, which is the first of those that follow.
func (f *chainer) begins(c *Class, a int) {
	f.weights = c.weights[c.bounds[a]:c.bounds[a+1]]
	f.sums = append(f.sums[:0], 0)
	for at := range f.weights {
		f.sums = append(f.sums, f.sums[at]+uint32(slices.Max(f.weights[max(0, at-f.seed+1):at+1])))
	}
}

// weightOf returns what the words of a run from one on and before another one weigh: each as much as the heaviest seed
// of the run that has it.
func (f *chainer) weightOf(r *run, from, to int) (sum int) {
	last := r.n - f.seed // where its last seed begins
	for t := from; t < to; t++ {
		if t >= f.seed-1 && t <= last { // all seeds that have a word are of the run, up to that
			end := min(to, last+1)
			sum += int(f.sums[r.a+end] - f.sums[r.a+t])
			t = end - 1
			continue
		}
		sum += int(slices.Max(f.weights[r.a+max(0, t-f.seed+1) : r.a+min(t, last)+1]))
	}
	return sum
}

// score finds the best chain that ends with each run, of runs that are not further than lookBack before each other.
func (f *chainer) score() {
	longest, best := 0, 0
	for i := range f.runs {
		r := &f.runs[i]
		own := f.weightOf(r, 0, r.n)
		r.score, r.from, r.skip = own, -1, 0
		for j := i - 1; j >= max(0, i-lookBack); j-- {
			o := &f.runs[j]
			if gapCost*(r.a-o.a-longest) > best {
				break // no earlier one is near enough
			}
			skip := max(0, o.a+o.n-r.a, o.b+o.n-r.b)
			if o.a >= r.a || o.b >= r.b || skip >= r.n {
				continue
			}
			gap := max(r.a+skip-o.a-o.n, r.b+skip-o.b-o.n)
			if s := o.score - gapCost*gap + own - f.weightOf(r, 0, skip); s > r.score {
				r.score, r.from, r.skip = s, j, skip
			}
		}
		longest, best = max(longest, r.n), max(best, r.score)
	}
}

// take adds the passages of the chain that ends with a run, as far as its runs and words are in no chain yet, and if
// it is heavy enough.
func (f *chainer) take(last int) {
	f.parts = f.parts[:0]
	weight, base := f.runs[last].score, 0
	for i := last; i >= 0; i = f.runs[i].from {
		r := &f.runs[i]
		if r.used {
			base = r.score // of what is in another chain
			break
		}
		r.used = true
		for t := r.n; t > r.skip; {
			if t--; f.isTaken(r, t) {
				weight -= f.weightOf(r, t, t+1)
				continue
			}
			end := t + 1
			for t > r.skip && !f.isTaken(r, t-1) {
				t--
			}
			f.parts = append(f.parts, part{r.a + t, r.b + t, end - t, f.weightOf(r, t, end)})
		}
	}
	if weight -= base; weight < chainWeight {
		return
	}
	f.best = max(f.best, weight)
	var p Passage
	matched, own := 0, 0
	end := func() {
		if own >= chainWeight && matched >= 2*f.seed { // less is a few words far from all others
			p.Words = max(p.Query[1]-p.Query[0], p.Document[1]-p.Document[0])
			p.Edits = p.Words - matched
			f.passages = append(f.passages, p)
		}
	}
	for _, x := range f.parts {
		f.sum += x.weight
		for t := range x.n {
			f.taken[0][x.a+t], f.taken[1][x.b+t] = true, true
		}
		if own > 0 && max(p.Query[0]-x.a-x.n, p.Document[0]-x.b-x.n) < breakAt {
			p.Query[0], p.Document[0], matched, own = x.a, x.b, matched+x.n, own+x.weight
			continue
		}
		end()
		p, matched, own = Passage{Query: [2]int{x.a, x.a + x.n}, Document: [2]int{x.b, x.b + x.n}}, x.n, x.weight
	}
	end()
}

func (f *chainer) isTaken(r *run, t int) bool { return f.taken[0][r.a+t] || f.taken[1][r.b+t] }
