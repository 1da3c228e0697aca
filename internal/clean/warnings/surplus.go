package warnings

import (
	"slices"

	"simsearch/internal/ground/ints"
)

// Sets have features.
type Sets interface {
	// Features appends the features of a set, ascending: numbers that are equal if the features are. Those that no
	// other set has may be left out, and are counted: alone. It returns the extended slice.
	Features(dst []uint64, set uint32) (features []uint64, alone int)
}

// Of two near texts, the longer one often is the other with something appended that many texts have, such as "Read
// more here". Its set has all features of the other, and a few more: a surplus. A feature is boilerplate if it is in
// the surplus of documents of several groups, a share of all groups with a surplus. A set that adds only boilerplate
// to another one is kept only if that is not there. So nothing is lost but boilerplate, and a text that is cut off is
// no better than a whole one: what it lacks is its own.
const (
	leastGroups  = 3    // that have a feature as a surplus
	boilerplated = 0.05 // of the groups that have a surplus of which each feature is in that of another group, too
	// appendedBytes and featureBytes are how many bytes a text with only boilerplate more is longer, at most: so
	// many, and so many for each feature of the surplus. Else it says more, in words that it has elsewhere, too.
	appendedBytes, featureBytes = 64, 16
)

// A surplus is the features that a set has beside all of another one of its group.
type surplus struct {
	group, set uint32
	features   []uint64
	alone      bool // it has others, which are in no other set
}

// AddBoilerplate returns, for each set of a collection, whether it adds only boilerplate to another one that is near.
// sizes has the number of features of each set, and lengths the bytes of the longest text that has it. eachPair calls
// a function with the near pairs and their similarities; it is called twice.
func AddBoilerplate(sets Sets, sizes, lengths []uint32, eachPair func(func(a, b uint32, similarity float64) error) error) ([]bool, error) {
	all, err := surpluses(sets, sizes, lengths, eachPair)
	groups, in := map[uint32]bool{}, map[uint64]map[uint32]bool{} // the groups of each feature
	for _, s := range all {
		for _, f := range s.features {
			if in[f] == nil {
				in[f] = map[uint32]bool{}
			}
			in[f][s.group] = true
		}
	}
	// What one group alone has does not count, whether it is of one set alone or also of sets that are near no other:
	// a run that has only the sets that are near others decides the same.
	shared := func(s surplus, least int) bool {
		return !s.alone && !slices.ContainsFunc(s.features, func(f uint64) bool { return len(in[f]) < least })
	}
	for _, s := range all {
		if shared(s, 2) {
			groups[s.group] = true
		}
	}
	least := max(leastGroups, int(boilerplated*float64(len(groups))))
	adds := make([]bool, len(sizes))
	for _, s := range all {
		if shared(s, least) {
			adds[s.set] = true
		}
	}
	return adds, err
}

// surpluses returns the surplus of each set that has all features of one that is near.
func surpluses(sets Sets, sizes, lengths []uint32, eachPair func(func(a, b uint32, similarity float64) error) error) (all []surplus, err error) {
	groups := ints.NewDisjointSets(len(sizes))
	_ = eachPair(func(a, b uint32, _ float64) error { groups.Union(a, b); return nil })
	var small, large []uint64
	err = eachPair(func(a, b uint32, similarity float64) error {
		if sizes[a] > sizes[b] {
			a, b = b, a
		}
		n, m := sizes[a], sizes[b]
		inside := n < m && similarity == float64(n)/float64(m)
		if more := int(lengths[b]) - int(lengths[a]); !inside || more < 0 || more > appendedBytes+featureBytes*int(m-n) {
			return nil
		}
		alone := 0
		large, alone = sets.Features(large[:0], b)
		small, _ = sets.Features(small[:0], a)
		more := slices.DeleteFunc(slices.Clone(large), func(f uint64) bool { _, is := slices.BinarySearch(small, f); return is })
		all = append(all, surplus{groups.Find(a), b, more, alone > 0})
		return nil
	})
	return all, err
}
