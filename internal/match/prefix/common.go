package prefix

import (
	"slices"

	"simsearch/internal/ground/ints"
)

// maxCommon is the largest number of first features that a candidate must share. The prefix of a set
// is longer by one feature for each.
const maxCommon = 16

// commons are the numbers of first features that are tried.
var commons = [numCommons]int{1, 2, 3, 4, 6, 8, 12, maxCommon}

const numCommons = 8

// step returns the least step of commons by which a feature is in a prefix, if the prefix for no common
// feature ends as many features before it.
func step(after int) uint32 {
	c, _ := slices.BinarySearch(commons[:], after+1)
	return uint32(c)
}

// A commonSample is one of every so many sets, with their first features for maxCommon.
type commonSample struct {
	plan  Plan
	every uint64
	sizes []uint32
	ends  []int // of the features of each set, after a 0
	first []uint64
}

// mostSampled is about how many features a commonSample has, and mostVisited how many pairs of a query and a set.
const mostSampled, mostVisited = 1 << 16, 1 << 19

// add adds a set of a size.
func (p *commonSample) add(size uint32, first []uint64) {
	p.first = append(p.first, first...)
	p.sizes, p.ends = append(p.sizes, size), append(p.ends, len(p.first))
}

// longPrefixes is by how many times the work on lists may grow by longer prefixes at least. costOfList and
// costOfCompare are the work of finding a list and of comparing a candidate, in entries that are read. Candidates
// among fewer than fewSets do not count.
const (
	longPrefixes  = 1.6
	costOfList    = 8
	costOfCompare = 200
	fewSets       = 1 << 12
)

// choose returns how many first features are common, so that the work is little if each of so many sets is a query.
// Half of the sets are smaller than the query, and are looked up by its long prefix in their short ones; the others
// the other way round.
func (p *commonSample) choose(sets int) int {
	features, listed := slices.Clone(p.first), make([]uint32, 0, len(p.first)) // of each the set, and in four bits the step
	for set, size := range p.sizes {
		for short := p.plan.Short(int(size), 0); len(listed) < p.ends[set+1]; {
			listed = append(listed, uint32(set)<<4|step(len(listed)-p.ends[set]-short))
		}
	}
	ints.SortPairs(features, listed)
	var lists, compared [numCommons]float64 // the work on lists, and the candidates
	shared := make([][numCommons]uint16, len(p.sizes))
	queries := min(len(p.sizes), max(1, mostVisited/max(1, len(p.sizes))))
	for q := range queries {
		p.query(q*len(p.sizes)/queries, features, listed, shared, &lists, &compared)
	}
	best := 0
	for c := 1; c < numCommons && lists[c] <= longPrefixes*lists[0]+float64(queries); c++ {
		best = c
	}
	for c := best + 1; c < numCommons && sets >= fewSets; c++ {
		if lists[c]+costOfCompare*compared[c] < lists[best]+costOfCompare*compared[best] {
			best = c
		}
	}
	return commons[best]
}

// query adds the work if one of the sets is a query. shared is memory, of how many features each set shares with it
// from each step on.
func (p *commonSample) query(query int, features []uint64, listed []uint32, shared [][numCommons]uint16, lists, compared *[numCommons]float64) {
	clear(shared)
	size, t := int(p.sizes[query]), p.plan.Threshold
	long, least := p.plan.stored(size, 0), LeastSize(size, t)
	for at, f := range p.first[p.ends[query]:p.ends[query+1]] {
		looked := step(at - long)
		for c := looked; c < numCommons; c++ {
			lists[c] += costOfList
		}
		i, _ := slices.BinarySearch(features, f)
		for ; i < len(features) && features[i] == f; i++ {
			if from := max(looked, listed[i]&0xf); from < numCommons {
				shared[listed[i]>>4][from]++
			}
		}
	}
	for set, of := range shared {
		other, entries, every := int(p.sizes[set]), 0, float64(p.every)
		if set == query {
			every = 1
		}
		for c, n := range of {
			entries += int(n)
			lists[c] += every * float64(entries)
			if entries >= min(commons[c], least) && set != query && LeastSize(max(size, other), t) <= min(size, other) {
				compared[c] += every
			}
		}
	}
}
