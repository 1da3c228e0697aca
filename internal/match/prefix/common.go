package prefix

import "simsearch/internal/ground/ints"

// maxCommon is the largest number of first features that a candidate must share. The prefix of a set
// is longer by one feature for each.
const maxCommon = 16

// commons are the numbers of first features that are tried.
var commons = [numCommons]int{1, 2, 3, 4, 6, 8, 12, maxCommon}

const numCommons = 8

// step returns the least step of commons by which a feature is in a prefix, if the prefix for no common
// feature ends as many features before it.
func step(after int) uint32 {
	c := 0
	for c < numCommons && commons[c] <= after {
		c++
	}
	return uint32(c)
}

// mostSampled is about how many first features choose how many are common. They are those of some features, in all
// sets.
const mostSampled = 1 << 18

// A commonSample is some features, as often as sets have them in their prefixes. It tells how many entries of lists
// are read for each of commons.
type commonSample struct {
	features []uint64
	steps    []uint32 // from which on a set is looked up by the feature, and from which on it is listed by it, eight bits each
}

// Add adds a feature of a set that has so many features behind the prefixes, for no common feature, that are looked
// up, and that are listed.
func (p *commonSample) Add(feature uint64, looked, listed int) {
	p.features, p.steps = append(p.features, feature), append(p.steps, step(looked)<<8|step(listed))
}

// Choose returns the most first features that do not make lists costly: the work may grow by the given factor, as
// longer prefixes leave fewer candidates to compare. perList is the work of finding a list, in entries. One of so
// many features has been added, of a number of sets.
func (p *commonSample) Choose(costly, perList float64, one, sets int) (common int) {
	ints.SortPairs(p.features, p.steps)
	var work [numCommons]float64
	for lo := 0; lo < len(p.features); {
		var isLooked, isListed [numCommons + 1]int
		hi := lo
		for ; hi < len(p.features) && p.features[hi] == p.features[lo]; hi++ {
			isLooked[p.steps[hi]>>8]++
			isListed[p.steps[hi]&0xff]++
		}
		lo = hi
		looked, listed := 0, 0
		for c := range work {
			looked, listed = looked+isLooked[c], listed+isListed[c]
			work[c] += float64(looked) * (perList + float64(listed)) * float64(one)
		}
	}
	common = commons[0]
	for c := range commons {
		if work[c] > costly*work[0]+float64(sets) {
			break
		}
		common = commons[c]
	}
	return common
}
