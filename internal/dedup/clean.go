package dedup

import (
	"fmt"
	"slices"

	"simsearch/internal/collected"
	"simsearch/internal/ints"
	"simsearch/internal/terminal"
)

// Of two near texts, the longer one often is the other with something appended that many texts have, such as "Read more here". Its
// set has all features of the other, and a few more: a surplus. A feature is boilerplate if it is in the surplus of documents of
// several groups, a share of all groups with a surplus. A set that adds only boilerplate to another one is kept only if that is not
// there. So nothing is lost but boilerplate, and a text that is cut off is no better than a whole one: what it lacks is its own.
const (
	leastGroups  = 3    // that have a feature as a surplus
	boilerplated = 0.05 // of the groups that have a surplus
	// appendedBytes and featureBytes are how many bytes a text with only boilerplate more is longer, at most: so many, and so many
	// for each feature of the surplus. Else it says more, in words that it has elsewhere, too.
	appendedBytes, featureBytes = 64, 16
)

// A surplus is the ranks that a set has beside all features of another one of its group.
type surplus struct {
	group, set uint32
	ranks      []uint32
}

// judge finds the sets that add only boilerplate to another one that is near, if that matters for what is kept, and near pairs are
// few. A run that decides anew finds the same, though it has only sets that are near others: a feature that one of these alone has
// is in the surplus of one group.
func (d *Decisions) judge() error {
	c := d.c
	similar, ofSets := d.coded.(*similarSets)
	if !ofSets || c.Ends != nil || !d.grouper.Few() || !c.Options.Keep.Way.IsLongest() {
		return nil
	}
	all, err := d.surpluses(similar)
	if err != nil {
		return err
	}
	groups, in := map[uint32]bool{}, map[uint32]map[uint32]bool{} // the groups of each feature
	for _, s := range all {
		groups[s.group] = true
		for _, rank := range s.ranks {
			if in[rank] == nil {
				in[rank] = map[uint32]bool{}
			}
			in[rank][s.group] = true
		}
	}
	least := max(leastGroups, int(boilerplated*float64(len(groups))))
	d.boilerplate = make([]bool, len(c.Sizes))
	for _, s := range all {
		if !slices.ContainsFunc(s.ranks, func(rank uint32) bool { return len(in[rank]) < least }) {
			d.boilerplate[s.set] = true
		}
	}
	return nil
}

// surpluses returns the surplus of each set that has all features of one that is near, and none of its own.
func (d *Decisions) surpluses(similar *similarSets) (all []surplus, err error) {
	lengths := make([]uint32, len(d.c.Sizes))
	for doc, set := range d.c.SetOf {
		if set != collected.NoSet {
			lengths[set] = max(lengths[set], d.c.Lengths[doc])
		}
	}
	groups := ints.NewDisjointSets(similar.Len())
	_ = d.grouper.EachPair(func(a, b uint32, _ float64) error { groups.Union(a, b); return nil })
	var small, large []uint32
	err = d.grouper.EachPair(func(a, b uint32, similarity float64) error {
		if d.c.Sizes[d.set(a)] > d.c.Sizes[d.set(b)] {
			a, b = b, a
		}
		setA, setB := d.set(a), d.set(b)
		n, m := d.c.Sizes[setA], d.c.Sizes[setB]
		inside := n < m && similarity == float64(n)/float64(m)
		if more := int(lengths[setB]) - int(lengths[setA]); !inside || more < 0 || more > appendedBytes+featureBytes*int(m-n) {
			return nil
		}
		alone := 0
		if large, alone, err = similar.ranks(large[:0], b); err != nil || alone > 0 {
			return err // what no other set has is no boilerplate
		}
		if small, _, err = similar.ranks(small[:0], a); err != nil {
			return err
		}
		more := slices.DeleteFunc(slices.Clone(large), func(rank uint32) bool { _, is := slices.BinarySearch(small, rank); return is })
		all = append(all, surplus{groups.Find(a), setB, more})
		return nil
	})
	return all, err
}

// ranks appends the ranks of a set, and returns how many features no other set has.
func (s *similarSets) ranks(dst []uint32, set uint32) (ranks []uint32, alone int, err error) {
	decoder, err := s.Decoder(set)
	if err != nil {
		return dst, 0, err
	}
	dst = slices.Grow(dst, decoder.Ranks)[:len(dst)+decoder.Ranks]
	alone = decoder.Alone
	return dst, alone, decoder.Read(dst[len(dst)-decoder.Ranks:])
}

// adds reports whether a document adds only boilerplate to one that is near.
func (d *Decisions) adds(doc uint32) bool {
	set := d.c.SetOf[doc]
	return set != collected.NoSet && d.boilerplate != nil && d.boilerplate[set]
}

// boilerplateWarning says how many documents are kept that add only boilerplate to one that is removed for them, or returns "".
func (d *Decisions) boilerplateWarning() string {
	if d.c.Options.Keep.Way != collected.Longest {
		return ""
	}
	kept := map[uint32]bool{}
	for _, unit := range d.kept {
		if d.adds(unit) {
			kept[unit] = true
		}
	}
	if len(kept) < leastGroups {
		return ""
	}
	return fmt.Sprintf("%s that %s kept %s only what many texts have to one that is near, such as a notice at the end: look at some, or give keep cleanest.",
		terminal.Plural(len(kept), "document"), verb(len(kept), "is", "are"), verb(len(kept), "adds", "add"))
}
