package prefix

import (
	"encoding/binary"
	"math"
	"slices"

	"simsearch/internal/directory"
	"simsearch/internal/radix"
	"simsearch/section"
)

// Postings lead from a feature to the sets that have it among their first features, as far as Plan says.
// Sets are numbered by size, then by their own number, so that the sizes that a query can be similar to
// are a part of each list.
type Postings struct {
	plan  Plan
	order section.Array[uint32] // the set of each number by size

	// sizes are the distinct sizes of sets, ascending. The sets of sizes[i] have the numbers from
	// starts[i] to starts[i+1].
	sizes, starts section.Array[uint32]

	// The list of rank r is lists[ends[r-1]:ends[r]]: numbers by size, as differences, as those of coded
	// sets. Ranks beyond ends have no list.
	ends  section.Array[uint32]
	lists section.Array[byte]

	// The features without a rank, in the order of their hashes: 16 bits of each beside the slot of the
	// directory, and the number by size of the set that has it.
	tags   section.Array[uint16]
	alone  section.Array[uint32]
	dir    directory.Directory
	tagsAt uint
}

// Names of the sections of postings.
const (
	secPostingsPlan  = "postings.plan"
	secPostingsOrder = "postings.order"
	secPostingsSizes = "postings.sizes"
	secPostingsStart = "postings.sizes.starts"
	secPostingsEnds  = "postings.ends"
	secPostingsLists = "postings.lists"
	secPostingsTags  = "postings.singles.tags"
	secPostingsAlone = "postings.singles.sets"
	secPostingsSlots = "postings.singles.directory"
)

// A head is the size of a set, and how many features of its prefix have no rank.
type head struct{ size, singles uint32 }

// An inverter gathers the prefixes of sets and makes postings of them.
type inverter struct {
	plan    Plan
	heads   []head
	singles []uint64
	ranks   []uint32
	// rankEnds are the ends of the prefixes in ranks.
	rankEnds []uint64
}

func (v *inverter) add(c *chunk) {
	v.heads = append(v.heads, c.heads...)
	v.singles = append(v.singles, c.singles...)
	from := uint64(len(v.ranks))
	for _, end := range c.rankEnds {
		v.rankEnds = append(v.rankEnds, from+uint64(end))
	}
	v.ranks = append(v.ranks, c.ranks...)
}

// costlyQuery is by how many times the entries that a query reads may grow by longer prefixes, which leave fewer
// candidates to compare. An entry takes more time here than in a join, since the lists are coded.
const costlyQuery = 1.6

// chooseCommon sets plan.Common to the most first features, up to MaxCommon, that do not make lists
// costly. A query that resembles a set of the collection reads the lists of the features of its prefix.
func (v *inverter) chooseCommon() {
	lengths := make([]uint32, v.lists())
	read, least := 0.0, 0.0 // entries, if each set is a query
	before := 0
	for _, common := range commons {
		for set := range v.heads {
			ranks := v.prefix(set, common)
			if before > 0 {
				ranks = ranks[len(v.prefix(set, before)):]
			}
			for _, r := range ranks {
				read += 2*float64(lengths[r]) + 1 // the square of a number grows so
				lengths[r]++
			}
		}
		if before == 0 {
			least = read
		}
		before = common
		if read > costlyQuery*least+float64(len(v.heads)) {
			break
		}
		v.plan.Common = common
	}
}

// lists returns one more than the largest rank of a prefix.
func (v *inverter) lists() int {
	if len(v.ranks) == 0 {
		return 0
	}
	return int(slices.Max(v.ranks)) + 1
}

// prefix returns the ranks of the prefix of a set, if candidates share the given number of first features.
func (v *inverter) prefix(set, common int) []uint32 {
	ranks := v.ranks[:v.rankEnds[set]]
	if set > 0 {
		ranks = ranks[v.rankEnds[set-1]:]
	}
	h := v.heads[set]
	stored := Plan{v.plan.Threshold, common}.stored(int(h.size)) - int(h.singles)
	return ranks[:min(max(0, stored), len(ranks))]
}

// postings returns the postings of the prefixes.
func (v *inverter) postings() *Postings {
	v.chooseCommon()
	p := &Postings{plan: v.plan}
	number := p.orderBySize(v.heads)
	p.invertRanks(v)
	p.invertSingles(v, number)
	return p
}

// orderBySize fills order, sizes and starts. It returns the number by size of each set.
func (p *Postings) orderBySize(heads []head) (number []uint32) {
	keys, order := make([]uint64, len(heads)), make([]uint32, len(heads))
	for i, h := range heads {
		keys[i], order[i] = uint64(h.size), uint32(i)
	}
	radix.SortPairs(keys, order)
	number = make([]uint32, len(heads))
	var sizes, starts []uint32
	for i, set := range order {
		number[set] = uint32(i)
		if i == 0 || keys[i] != keys[i-1] {
			sizes, starts = append(sizes, uint32(keys[i])), append(starts, uint32(i))
		}
	}
	starts = append(starts, uint32(len(heads)))
	p.order, p.sizes, p.starts = section.Checked(order), section.Checked(sizes), section.Checked(starts)
	return number
}

// maxListBytes is the most that lists may take, as their ends have four bytes. A collection with more has
// no postings, and is scanned.
const maxListBytes = 1<<32 - 1

func (p *Postings) invertRanks(v *inverter) {
	ends := make([]uint64, v.lists()+1)
	for set := range v.heads {
		for _, r := range v.prefix(set, p.plan.Common) {
			ends[r+1]++
		}
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	// Longer prefixes reach further ranks than those of the plan.
	for len(ends) > 1 && ends[len(ends)-1] == ends[len(ends)-2] {
		ends = ends[:len(ends)-1]
	}
	n := len(ends) - 1
	entries := make([]uint32, ends[n])
	next := slices.Clone(ends[:n])
	for x, set := range p.order.All { // so that each list ascends
		for _, r := range v.prefix(int(set), p.plan.Common) {
			entries[next[r]] = uint32(x)
			next[r]++
		}
	}
	var lists []byte
	listEnds := make([]uint32, n)
	for r := range n {
		list := entries[ends[r]:ends[r+1]]
		least := uint32(0)
		for _, x := range list {
			lists = binary.AppendUvarint(lists, uint64(x-least))
			least = x + 1
		}
		if uint64(len(lists)) > maxListBytes {
			*p = Postings{}
			return
		}
		listEnds[r] = uint32(len(lists))
	}
	p.ends, p.lists = section.Checked(listEnds), section.Checked(lists)
}

func (p *Postings) invertSingles(v *inverter, number []uint32) {
	if p.plan.Common == 0 {
		return
	}
	var hashes []uint64
	var sets []uint32
	from := 0
	for set, h := range v.heads {
		stored := min(int(h.singles), p.plan.stored(int(h.size)))
		for _, f := range v.singles[from : from+stored] {
			hashes, sets = append(hashes, f), append(sets, number[set])
		}
		from += int(h.singles)
	}
	radix.SortPairs(hashes, sets)
	p.outlineSingles(len(hashes))
	p.dir.Build(hashes)
	tags := make([]uint16, len(hashes))
	for i, h := range hashes {
		tags[i] = p.tag(h)
	}
	p.tags, p.alone = section.Checked(tags), section.Checked(sets)
}

// outlineSingles makes the directory of n features without a rank. A slot has four to eight.
func (p *Postings) outlineSingles(n int) {
	p.dir = directory.Outline(64, directory.Bits(n, 40, 2))
	p.tagsAt = uint(64 - p.dir.Bits - 16)
}

// tag returns the 16 bits of a hash that follow those of the slot.
func (p *Postings) tag(hash uint64) uint16 { return uint16(hash >> p.tagsAt) }

// exists reports whether there are postings.
func (p *Postings) exists() bool { return p.plan.Common > 0 }

func (p *Postings) write(w *section.Writer) {
	w.Begin(secPostingsPlan)
	w.Uint64s([]uint64{math.Float64bits(p.plan.Threshold), uint64(p.plan.Common)})
	for _, s := range []struct {
		name string
		list []uint32
	}{
		{secPostingsOrder, p.order.All}, {secPostingsSizes, p.sizes.All}, {secPostingsStart, p.starts.All},
		{secPostingsEnds, p.ends.All}, {secPostingsAlone, p.alone.All}, {secPostingsSlots, p.dir.Starts},
	} {
		w.Begin(s.name)
		w.Uint32s(s.list)
	}
	w.Begin(secPostingsLists)
	_, _ = w.Write(p.lists.All)
	w.Begin(secPostingsTags)
	w.Uint16s(p.tags.All)
}

// loadPostings loads what write has written, for n sets. It checks sizes, and no contents but the plan.
func loadPostings(f *section.File, n uint64) (*Postings, error) {
	plan, err := f.Uint64s(secPostingsPlan, 2)
	if err != nil {
		return nil, err
	}
	p := &Postings{plan: Plan{math.Float64frombits(plan[0]), int(min(plan[1], MaxCommon+1))}}
	if plan[1] == 0 {
		return &Postings{}, nil
	}
	if err := p.plan.check(); err != nil {
		return nil, f.Corruptf(secPostingsPlan, 0, "%v", err)
	}
	length := func(name string, bytes uint64) (n uint64) {
		if err == nil {
			n, err = f.Size(name)
		}
		return n / bytes
	}
	sizes, ends, lists, alone := length(secPostingsSizes, 4), length(secPostingsEnds, 4), length(secPostingsLists, 1), length(secPostingsAlone, 4)
	if err != nil {
		return nil, err
	}
	if sizes > n || alone >= 1<<32 {
		return nil, f.Corruptf(secPostingsSizes, 0, "%d sizes of %d sets with %d features of prefixes that have no rank", sizes, n, alone)
	}
	p.outlineSingles(int(alone))
	var starts section.Array[uint32]
	for _, l := range []struct {
		name string
		into *section.Array[uint32]
		n    uint64
	}{
		{secPostingsOrder, &p.order, n}, {secPostingsSizes, &p.sizes, sizes}, {secPostingsStart, &p.starts, sizes + 1},
		{secPostingsEnds, &p.ends, ends}, {secPostingsAlone, &p.alone, alone}, {secPostingsSlots, &starts, p.dir.Len()},
	} {
		if *l.into, err = section.Integers[uint32](f, l.name, l.n); err != nil {
			return nil, err
		}
	}
	p.dir.Use(starts.All, starts.Guard)
	if p.lists, err = section.Integers[byte](f, secPostingsLists, lists); err != nil {
		return nil, err
	}
	p.tags, err = section.Integers[uint16](f, secPostingsTags, alone)
	return p, err
}
