package prefix

import (
	"cmp"

	"simsearch/internal/directory"
	"simsearch/internal/radix"
	"simsearch/internal/vocabulary"
	"simsearch/section"
)

// An inverter gathers the first features of sets and makes postings of them.
type inverter struct {
	plan   Plan
	rarity *vocabulary.Rarity
	sizes  []uint32
	first  []uint64 // in the order of rarity, as many as MaxCommon needs
	ends   []uint64 // of each set in first
	most   int      // in place of maxEntries, if it is not 0
}

// add adds the sets of a chunk.
func (v *inverter) add(c *chunk) {
	from := uint64(len(v.first))
	v.sizes, v.first = append(v.sizes, c.sizes...), append(v.first, c.first...)
	for _, end := range c.firstEnds {
		v.ends = append(v.ends, from+uint64(end))
	}
}

// prefix returns the first features of a set.
func (v *inverter) prefix(set uint32) []uint64 {
	first := v.first[:v.ends[set]]
	if set > 0 {
		first = first[v.ends[set-1]:]
	}
	return first
}

// costlyQuery is by how many times the work on lists may grow by longer prefixes, which leave fewer candidates to
// compare. costOfList is the work of finding a list, in entries that are read.
const (
	costlyQuery = 1.6
	costOfList  = 8
)

// chooseCommon sets plan.Common, if each set is a query. It counts some of the features in all sets. Half of the sets are smaller
// than the query, and are looked up by its long prefix in their short ones; the others the other way round.
func (v *inverter) chooseCommon() {
	some := uint64(1) // a power of two
	for uint64(len(v.first))/some > mostSampled {
		some *= 2
	}
	var sample inPrefixes
	for set, n := range v.sizes {
		short, long := v.plan.short(int(n), 0), v.plan.stored(int(n), 0)
		for at, f := range v.prefix(uint32(set)) {
			if f&(some-1) == 0 {
				sample.add(f, at-long, at-short)
			}
		}
	}
	v.plan.Common = sample.choose(costlyQuery, costOfList, int(some), len(v.sizes))
}

// maxEntries is how many features all prefixes have together at least if there are no postings: a feature takes up to four
// units of lists, whose places have 31 bits.
const maxEntries = inLists / 4

// postings returns the postings of the prefixes, or empty ones if they have too many features. It spoils v.
func (v *inverter) postings() *Postings {
	v.chooseCommon()
	entries := 0
	for _, n := range v.sizes {
		entries += v.plan.stored(int(n), v.plan.Common)
	}
	if entries >= cmp.Or(v.most, maxEntries) {
		return &Postings{}
	}
	p := &Postings{plan: v.plan, rarity: v.rarity}
	p.orderBySize(v.sizes)
	p.outline(directory.Bits(entries, maxSlotBits, 2))
	keys, numbers := v.entries(p, entries)
	radix.SortPairs(keys, numbers)
	p.invert(keys, numbers)
	return p
}

// entries returns the features of all prefixes as keys, which are their slots and tags with a bit for features beyond the
// short prefix, and the numbers by size of their sets. The numbers of equal keys ascend.
func (v *inverter) entries(p *Postings, n int) (keys []uint64, numbers []uint32) {
	keys, numbers = make([]uint64, 0, n), make([]uint32, 0, n)
	for number, set := range p.order.All {
		size := int(v.sizes[set])
		short, long := v.plan.short(size, v.plan.Common), v.plan.stored(size, v.plan.Common)
		for at, f := range v.prefix(set)[:long] {
			key := f >> p.tagsAt << 1
			if at >= short {
				key |= 1
			}
			keys, numbers = append(keys, key), append(numbers, uint32(number))
		}
	}
	v.first, v.ends = nil, nil
	return keys, numbers
}

// invert makes lists of entries, whose keys ascend.
func (p *Postings) invert(keys []uint64, numbers []uint32) {
	var hashes []uint64
	var features, lists []uint16
	var parts [2][]uint32
	for lo := 0; lo < len(keys); {
		parts[0], parts[1] = parts[0][:0], parts[1][:0]
		hi := lo
		for ; hi < len(keys) && keys[hi]>>1 == keys[lo]>>1; hi++ {
			if part := &parts[keys[hi]&1]; len(*part) == 0 || (*part)[len(*part)-1] != numbers[hi] {
				*part = append(*part, numbers[hi])
			}
		}
		place := numbers[lo]
		if hi > lo+1 {
			place = uint32(len(lists)) | inLists
			lists = appendNumbers(appendNumbers(lists, parts[0]), parts[1])
		}
		hash := keys[lo] >> 1 << p.tagsAt
		hashes = append(hashes, hash)
		features = append(features, p.tag(hash), uint16(place), uint16(place>>16))
		lo = hi
	}
	p.dir.Build(hashes)
	p.features, p.lists = section.Checked(features), section.Checked(lists)
}

// orderBySize fills order, sizes and starts.
func (p *Postings) orderBySize(of []uint32) {
	keys, order := make([]uint64, len(of)), make([]uint32, len(of))
	for i, n := range of {
		keys[i], order[i] = uint64(n), uint32(i)
	}
	radix.SortPairs(keys, order)
	var sizes, starts []uint32
	for i := range order {
		if i == 0 || keys[i] != keys[i-1] {
			sizes, starts = append(sizes, uint32(keys[i])), append(starts, uint32(i))
		}
	}
	starts = append(starts, uint32(len(of)))
	p.order, p.sizes, p.starts = section.Checked(order), section.Checked(sizes), section.Checked(starts)
}
