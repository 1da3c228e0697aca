package collected

import (
	"slices"

	"simsearch/internal/ints"
	"simsearch/internal/prefix"
)

// Of two near texts, the longer one often is the other with something appended that many texts have, such as "Read more here". Its
// set has all features of the other, and a few more: a surplus. A feature is boilerplate if it is in the surplus of documents of
// several groups, a share of all groups with a surplus. A set that adds only boilerplate to another one is kept only if that is not
// there. So nothing is lost but boilerplate, and a text that is cut off is no better than a whole one: what it lacks is its own.
const (
	leastGroups  = 3    // that have a feature as a surplus
	boilerplated = 0.05 // of the groups that have a surplus of which each feature is in that of another group, too
	// appendedBytes and featureBytes are how many bytes a text with only boilerplate more is longer, at most: so many, and so many
	// for each feature of the surplus. Else it says more, in words that it has elsewhere, too.
	appendedBytes, featureBytes = 64, 16
)

// A surplus is the ranks that a set has beside all features of another one of its group.
type surplus struct {
	group, set uint32
	ranks      []uint32
	own        bool // it also has a feature of no other set, which has no rank
}

// AddBoilerplate returns, for each set, whether it adds only boilerplate to another one that is near. set returns the number of one of
// sets among all, and eachPair calls a function with near pairs of them and their similarities.
func AddBoilerplate(c *Collection, sets *prefix.Sets, set func(place uint32) uint32,
	eachPair func(func(a, b uint32, similarity float64) error) error) ([]bool, error) {
	all, err := surpluses(c, sets, set, eachPair)
	groups, in := map[uint32]bool{}, map[uint32]map[uint32]bool{} // the groups of each feature
	for _, s := range all {
		for _, rank := range s.ranks {
			if in[rank] == nil {
				in[rank] = map[uint32]bool{}
			}
			in[rank][s.group] = true
		}
	}
	// What one group alone has does not count, whether it is of one set alone or also of sets that are near no other: a run that has
	// only the sets that are near others decides the same.
	shared := func(s surplus, least int) bool {
		return !s.own && !slices.ContainsFunc(s.ranks, func(rank uint32) bool { return len(in[rank]) < least })
	}
	for _, s := range all {
		if shared(s, 2) {
			groups[s.group] = true
		}
	}
	least := max(leastGroups, int(boilerplated*float64(len(groups))))
	adds := make([]bool, len(c.Sizes))
	for _, s := range all {
		if shared(s, least) {
			adds[s.set] = true
		}
	}
	return adds, err
}

// surpluses returns the surplus of each set that has all features of one that is near.
func surpluses(c *Collection, sets *prefix.Sets, set func(uint32) uint32,
	eachPair func(func(a, b uint32, similarity float64) error) error) (all []surplus, err error) {
	lengths := make([]uint32, len(c.Sizes))
	for doc, set := range c.SetOf {
		if set != NoSet {
			lengths[set] = max(lengths[set], c.Lengths[doc])
		}
	}
	groups := ints.NewDisjointSets(sets.Len())
	_ = eachPair(func(a, b uint32, _ float64) error { groups.Union(a, b); return nil })
	var small, large []uint32
	err = eachPair(func(a, b uint32, similarity float64) error {
		if c.Sizes[set(a)] > c.Sizes[set(b)] {
			a, b = b, a
		}
		setA, setB := set(a), set(b)
		n, m := c.Sizes[setA], c.Sizes[setB]
		inside := n < m && similarity == float64(n)/float64(m)
		if more := int(lengths[setB]) - int(lengths[setA]); !inside || more < 0 || more > appendedBytes+featureBytes*int(m-n) {
			return nil
		}
		alone := 0
		if large, alone, err = ranksOf(sets, large[:0], b); err != nil {
			return err
		}
		if small, _, err = ranksOf(sets, small[:0], a); err != nil {
			return err
		}
		more := slices.DeleteFunc(slices.Clone(large), func(rank uint32) bool { _, is := slices.BinarySearch(small, rank); return is })
		all = append(all, surplus{groups.Find(a), setB, more, alone > 0})
		return nil
	})
	return all, err
}

// ranksOf appends the ranks of a set, and returns how many features no other set has.
func ranksOf(sets *prefix.Sets, dst []uint32, set uint32) (ranks []uint32, alone int, err error) {
	decoder, err := sets.Decoder(set)
	if err != nil {
		return dst, 0, err
	}
	dst = slices.Grow(dst, decoder.Ranks)[:len(dst)+decoder.Ranks]
	alone = decoder.Alone
	return dst, alone, decoder.Read(dst[len(dst)-decoder.Ranks:])
}
