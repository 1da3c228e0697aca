package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"simsearch/hamming"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/setjoin"
	"simsearch/tables"
)

// Fingerprints are the Relation of distinct fingerprints of up to 64 bits, or of 128 or 256. The similarity of two is
// the share of bits in which they agree. It is exact as a float64, so that a threshold of SimilarityAt(k) is a
// distance of k.
type Fingerprints struct {
	width    int
	words    int            // of 64 bits, of each
	pictures imagehash.Kind // if not 0, they are compared in all positions
	of       []uint64       // by number
	values   []uint64       // ascending
	numbers  []uint32       // of each of values; nil if it is the index
	ties     []uint32       // as of pairList
}

// MaxBits is the largest number of bits of Fingerprints.
const MaxBits = 256

// SimilarityAt returns the similarity of fingerprints of so many bits at a distance of d bits. Those of fewer than 64
// bits count as of 64.
func SimilarityAt(d, bits int) float64 { return 1 - float64(d)/float64(max(64, bits)) }

// DistanceAt returns the largest distance of fingerprints whose similarity is at least t, in [0, 1].
func DistanceAt(t float64, bits int) int { return int((1 - t) * float64(max(64, bits))) }

// NewFingerprints returns the fingerprints of a list, which must be distinct, and have so many bits: 64 or, in words
// of 64 bits, 128 or
// 256. It keeps the list, and takes as much again and 4 bytes more for each of them.
func NewFingerprints(of []uint64, bits int) *Fingerprints {
	words := tables.Words(bits)
	f := &Fingerprints{width: bits, words: words, of: of, values: slices.Clone(of), numbers: make([]uint32, len(of)/words)}
	for i := range f.numbers {
		f.numbers[i] = uint32(i)
	}
	tables.SortWide(f.values, words, f.numbers)
	return f
}

// Len returns the number of fingerprints.
func (f *Fingerprints) Len() int { return len(f.of) / f.words }

// Distance returns the distance of two fingerprints, given by their numbers, in bits.
func (f *Fingerprints) Distance(a, b uint32) int {
	if f.pictures != 0 {
		return f.pictures.Distance(f.print(a), f.print(b))
	}
	return tables.Distance(f.print(a), f.print(b))
}

// Similarity returns the similarity of two fingerprints, given by their numbers.
func (f *Fingerprints) Similarity(a, b uint32) float64 {
	return SimilarityAt(f.Distance(a, b), f.width)
}

// print returns the words of a fingerprint.
func (f *Fingerprints) print(number uint32) []uint64 { return f.of[int(number)*f.words:][:f.words] }

// number returns the number of one of f.values.
func (f *Fingerprints) number(at uint32) uint32 {
	if f.numbers == nil {
		return at
	}
	return f.numbers[at]
}

// mostFew is how many pairs more than fingerprints are listed.
const mostFew = 1 << 20

// MostListed returns the largest number of near pairs of n things that are few: of fingerprints, or of sets.
func MostListed(n int, fingerprints bool) int {
	if fingerprints {
		return n + mostFew
	}
	return setjoin.MostListed(n)
}

// errMany ends a search for few pairs.
var errMany = errors.New("join: too many pairs")

// list counts no documents near each fingerprint: GroupFingerprints does.
func (f *Fingerprints) list(ctx context.Context, t float64, _ []uint32, o Options) (Relation, []uint32, error) {
	l := &pairList{n: f.Len(), ties: f.ties}
	var adding sync.Mutex
	err := f.eachPair(ctx, DistanceAt(t, f.width), o, func(pairs []uint64) error {
		adding.Lock()
		defer adding.Unlock()
		if len(l.pairs)+len(pairs) > f.Len()+mostFew {
			return errMany
		}
		for _, p := range pairs {
			a, b := f.number(uint32(p>>32)), f.number(uint32(p))
			l.pairs = append(l.pairs, nearPair{a, b, f.Similarity(a, b)})
		}
		return nil
	})
	if errors.Is(err, errMany) {
		return f, nil, nil
	}
	return l, nil, err
}

func (f *Fingerprints) connect(ctx context.Context, t float64, o Options, connected ints.DisjointSets) error {
	return f.eachPair(ctx, DistanceAt(t, f.width), o, func(pairs []uint64) error {
		for _, p := range pairs {
			connected.Union(f.number(uint32(p>>32)), f.number(uint32(p)))
		}
		return nil
	})
}

// eachPair calls do with the pairs within distance k, from any goroutine. They are numbers whose halves are indices
// of f.values.
func (f *Fingerprints) eachPair(ctx context.Context, k int, o Options, do func(pairs []uint64) error) error {
	if f.Len() < 2 {
		return context.Cause(ctx)
	}
	switch {
	case f.pictures != 0:
		return f.eachTurned(ctx, k, o, do)
	case f.words > 1:
		return tables.BuildWide(f.values, f.width, o.Threads).EachPair(ctx, k, tables.PairOptions{Threads: o.Threads, Progress: o.Progress}, do)
	}
	design, _ := o.planPairs(f.values, f.width, k)
	return tables.EachPair(ctx, f.values, f.width, k, o.ofPairs(design), do)
}

// eachTurned is eachPair for pictures.
func (f *Fingerprints) eachTurned(ctx context.Context, k int, o Options, do func(pairs []uint64) error) error {
	if o.Explain != nil {
		o.Explain(fmt.Sprintf("pairs within %d of %d pictures: each is looked up in its positions", k, f.Len()))
	}
	near, parts := f.near(k, o), (f.Len()+starTask-1)/starTask
	return parallel.Ordered(ctx, o.Threads, parts, func(_ context.Context, part int) (pairs []uint64, err error) {
		from := part * starTask
		queries := f.values[from*f.words : min(f.Len(), from+starTask)*f.words]
		err = near(queries, func(i int, matches []hamming.Match) error {
			for _, m := range matches {
				if at := from + i; m.Index < uint32(at) {
					pairs = append(pairs, uint64(m.Index)<<32|uint64(at))
				}
			}
			return context.Cause(ctx)
		})
		return pairs, err
	}, do)
}

// near returns what finds all that is within distance k of some queries, as indices of values.
func (f *Fingerprints) near(k int, o Options) func(queries []uint64, do eachNear) error {
	if f.words > 1 && f.pictures == 0 {
		w := tables.BuildWide(f.values, f.width, o.Threads)
		return func(queries []uint64, do eachNear) error {
			var found []hamming.Match
			for i := range len(queries) / f.words {
				found = w.Near(found[:0], queries[i*f.words:(i+1)*f.words], k, nil)
				if err := do(i, found); err != nil {
					return err
				}
			}
			return nil
		}
	}
	values, hashes := f.values, tables.Groups{}
	if f.pictures != 0 {
		pictures := make([]uint32, len(values)) // of each hash
		for i := range pictures {
			pictures[i] = uint32(i / f.words)
		}
		hashes = tables.Group(slices.Clone(values), 1, pictures)
		values = hashes.Values
	}
	ts := tables.Build(values, tables.Choose(f.width, len(values), min(k, f.width-1), 0).Design)
	if f.pictures != 0 {
		return func(queries []uint64, do eachNear) error { return f.nearTurned(&hashes, ts, queries, k, do) }
	}
	return func(queries []uint64, do eachNear) error { return ts.NearBatch(queries, k, do) }
}

// nearTurned finds the pictures near some, each once, of which there are tables of hashes.
func (f *Fingerprints) nearTurned(of *tables.Groups, ts *tables.Tables, queries []uint64, k int, do eachNear) error {
	var positions []uint64
	var ends []int // of those of each query
	for i, hash := range queries {
		if i%2 == 0 || hash != queries[i-1] {
			positions = f.pictures.Turned(append(positions, hash), hash)
		}
		if i%2 == 1 {
			ends = append(ends, len(positions))
		}
	}
	var found []hamming.Match
	query := 0
	return ts.NearBatch(positions, k, func(i int, matches []hamming.Match) error {
		for _, m := range matches {
			for _, picture := range of.Members(m.Index) {
				found = append(found, hamming.Match{Index: picture, Distance: m.Distance})
			}
		}
		if i+1 < ends[query] {
			return nil
		}
		slices.SortFunc(found, func(a, b hamming.Match) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Distance, b.Distance))
		})
		found = slices.CompactFunc(found, func(a, b hamming.Match) bool { return a.Index == b.Index })
		err := do(query, found)
		found, query = found[:0], query+1
		return err
	})
}

// mostPerFingerprint is how many near pairs there are for each fingerprint, on average, if most of them are near
// another one.
const mostPerFingerprint = 16

// NearFingerprints returns the documents that have the fingerprint of another one, or one within distance k of it,
// ascending. If most have, so that finding the others takes long, it returns all documents. documents is the number
// of all documents, each of which is in a group of all; their fingerprints have up to width bits, or 128 or 256. It
// takes three sevenths of a byte per document, and 48 bytes per document that it returns. The error is that of ctx.
func NearFingerprints(ctx context.Context, documents int, all FingerprintGroups, width, k int, o Options) (near []uint32, err error) {
	words := tables.Words(width)
	f := &Fingerprints{width: width, words: words, of: all.Values, values: all.Values}
	isNear, most := ints.NewNumberedSet(f.Len()), int64(mostPerFingerprint*f.Len()+mostFew)
	var found atomic.Int64
	err = f.eachPair(ctx, k, o, func(pairs []uint64) error {
		if found.Add(int64(len(pairs))) > most {
			return errMany
		}
		addEnds(isNear, pairs)
		return nil
	})
	if errors.Is(err, errMany) {
		near = make([]uint32, documents)
		for doc := range near {
			near[doc] = uint32(doc)
		}
		return near, nil
	}
	if err != nil {
		return nil, err
	}
	c, _ := paired(documents, all, words, isNear.Has)
	return c.original, nil
}

// GroupFingerprints divides documents into groups by a distance of at most k bits between their fingerprints, which
// have up to width bits. documents is the number of all documents; all has those that take part, and is not changed.
//
// Fingerprints are taken in the order of the number of fingerprints near them and of documents equal to their first
// one. Of equally near representatives, a document belongs to the first one in the collection. GroupFingerprints
// takes three sevenths of a byte per document, 48 bytes per document that is near another one, and 24 bytes a listed
// pair, of which there are a million more than fingerprints at most, and no more than Options.PairsInMemory says. If
// there are more, it takes 4 bytes a fingerprint in their place. The error is that of ctx.
func GroupFingerprints(ctx context.Context, documents int, all FingerprintGroups, width, k int, chain bool, o Options) (*Grouping, error) {
	if k < 0 { // no two are near
		return &Grouping{Documents: []uint32{}}, nil
	}
	words := o.words(width)
	n := len(all.Values) / words
	near, most := ints.NewNumberedSet(n), n+mostFew
	if o.PairsInMemory > 0 {
		most = min(most, o.PairsInMemory)
	}
	var pairs []uint64
	var counts []uint32 // of the fingerprints near each one, if pairs are many
	count := func(pairs []uint64) {
		for _, p := range pairs {
			counts[p>>32]++
			counts[uint32(p)]++
		}
	}
	var has ints.NumberedSet // the fingerprints that have documents, unless all have
	if !all.Whole {
		has = ints.NewNumberedSet(n)
		for g, members := range all.Groups {
			if len(members) > 0 {
				has.Add(g)
			}
		}
	}
	var adding sync.Mutex
	f := &Fingerprints{width: width, words: words, pictures: o.Pictures, of: all.Values, values: all.Values}
	err := f.eachPair(ctx, k, o, func(some []uint64) error {
		if has != nil {
			some = slices.DeleteFunc(slices.Clone(some), func(p uint64) bool { return !has.Has(uint32(p>>32)) || !has.Has(uint32(p)) })
		}
		addEnds(near, some)
		adding.Lock()
		defer adding.Unlock()
		if counts == nil && len(pairs)+len(some) > most {
			counts = make([]uint32, n)
			count(pairs)
			pairs = nil
		}
		if counts != nil {
			count(some)
		} else {
			pairs = append(pairs, some...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c, numbers := paired(documents, all, words, near.Has)
	n = len(c.groups.Ends) - 1
	firsts, degrees := make([]uint32, n), make([]uint32, n)
	for g := range uint32(n) {
		members := c.groups.Members(g)
		firsts[g], degrees[g] = members[0], uint32(len(members)-1)
	}
	of := &Fingerprints{width, words, o.Pictures, c.groups.Values, c.groups.Values, nil, firsts}
	g := &Grouper{relation: of}
	if counts == nil {
		l := &pairList{n: n, ties: firsts, pairs: make([]nearPair, 0, len(pairs))}
		g.relation = l
		for _, p := range pairs {
			a, b := numbers.Before(uint32(p>>32)), numbers.Before(uint32(p))
			l.pairs = append(l.pairs, nearPair{a, b, of.Similarity(a, b)})
			degrees[a]++
			degrees[b]++
		}
	} else {
		for value, times := range counts {
			if times > 0 {
				degrees[numbers.Before(uint32(value))] += times
			}
		}
	}
	representatives, err := g.represent(ctx, SimilarityAt(k, width), c.groupOf, firsts, degrees, chain, o)
	return &Grouping{representatives, c.original}, err
}

// stars looks up what is near a fingerprint when it becomes a center, so that a crowd of fingerprints that are all
// near costs little. Some centers are looked up together, on several goroutines. They are compared with each other
// before.
func (f *Fingerprints) stars(ctx context.Context, t float64, order []uint32, first int, o Options) ([]uint32, error) {
	k := DistanceAt(t, f.width)
	st := &fingerprintStars{
		Fingerprints: f, k: k, order: order, first: first, class: o.class,
		places: make([]uint32, len(order)), nearest: make([]nearestCenter, len(order)), near: func([]uint64, eachNear) error { return nil },
	}
	for place, number := range order {
		st.places[number] = uint32(place)
	}
	if k == 0 && f.pictures == 0 { // they are distinct
		st.first = len(order)
	} else {
		st.near = f.near(k, o)
	}
	return st.divide(ctx, o)
}

// starBlock is how many centers are looked up together, and starTask how many by one goroutine at a time.
const starBlock, starTask = 1 << 12, 1 << 9

type eachNear = func(i int, matches []hamming.Match) error

// A place is the number of a fingerprint in the order.
type fingerprintStars struct {
	*Fingerprints
	k       int
	order   []uint32
	first   int
	class   []uint64 // of each fingerprint, or nil
	places  []uint32 // of each fingerprint
	nearest []nearestCenter
	near    func(queries []uint64, do eachNear) error // what is near each of some queries, as indices of values
}

// A nearestCenter is the nearest center of a fingerprint that is known so far.
type nearestCenter struct {
	place    uint32
	distance uint16
	found    bool
}

// wants reports whether the fingerprint at a place may belong to a center.
func (st *fingerprintStars) wants(place, center uint32) bool {
	return place > center && int(place) >= st.first && (st.class == nil || st.class[st.order[place]] == st.class[st.order[center]])
}

// tie returns the number by which one of equally near centers is chosen.
func (st *fingerprintStars) tie(place uint32) uint32 {
	if st.ties == nil {
		return place
	}
	return st.ties[st.order[place]]
}

// divide returns the center of each fingerprint.
func (st *fingerprintStars) divide(ctx context.Context, o Options) ([]uint32, error) {
	centers := make([]uint32, len(st.order))
	var block []uint32  // places of centers that are yet to be looked up
	var prints []uint64 // of these
	var matches []hamming.Match
	for at, number := range st.order {
		if at%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		centers[number] = number
		place, q, belongs := uint32(at), st.print(number), st.nearest[at].found
		if !belongs && at >= st.first {
			switch matches = matches[:0]; {
			case st.pictures != 0:
				for i := range block {
					if d := st.pictures.Distance(q, prints[i*st.words:][:st.words]); d <= st.k {
						matches = append(matches, hamming.Match{Index: uint32(i), Distance: uint16(d)})
					}
				}
			case st.words == 1:
				matches = hamming.Scan(matches, prints, q[0], st.k)
			default:
				matches = tables.ScanWide(matches, prints, q, st.k)
			}
			belongs = slices.ContainsFunc(matches, func(m hamming.Match) bool { return st.wants(place, block[m.Index]) })
		}
		if !belongs {
			block, prints = append(block, place), append(prints, q...)
		}
		if len(block) < starBlock && at+1 < len(st.order) {
			continue
		}
		if err := st.lookUp(ctx, block, prints, o.Threads); err != nil {
			return nil, err
		}
		if block, prints = block[:0], prints[:0]; o.Progress != nil {
			o.Progress(at+1, len(st.order))
		}
	}
	for place, n := range st.nearest {
		if n.found {
			centers[st.order[place]] = st.order[n.place]
		}
	}
	return centers, nil
}

// lookUp takes some centers, of which the fingerprints are given, for those that are near them.
func (st *fingerprintStars) lookUp(ctx context.Context, centers []uint32, prints []uint64, threads int) error {
	type nearOne struct {
		of uint32 // a place
		nearestCenter
	}
	work := func(_ context.Context, task int) (all []nearOne, err error) {
		from, to := task*starTask, min(len(centers), (task+1)*starTask)
		err = st.near(prints[from*st.words:to*st.words], func(i int, matches []hamming.Match) error {
			for _, m := range matches {
				if place := st.places[st.number(m.Index)]; st.wants(place, centers[from+i]) {
					all = append(all, nearOne{place, nearestCenter{centers[from+i], m.Distance, true}})
				}
			}
			return nil
		})
		return all, err
	}
	return parallel.Ordered(ctx, threads, (len(centers)+starTask-1)/starTask, work, func(all []nearOne) error {
		for _, f := range all {
			n := &st.nearest[f.of]
			if !n.found || f.distance < n.distance || f.distance == n.distance && st.tie(f.place) < st.tie(n.place) {
				*n = f.nearestCenter
			}
		}
		return nil
	})
}
