package prefix

import (
	"cmp"
	"math"
	"math/bits"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// Postings lead from a feature to the sets that have it among their first features, as far as Plan says, in the order
// of a rarity. Sets are numbered by size, then by their own number, so that the sizes that a query can be similar to
// are a part of each list.
type Postings struct {
	plan  Plan
	order section.Array[uint32] // the set of each number by size

	// sizes are the distinct sizes of sets, ascending. The sets of sizes[i] have the numbers from
	// starts[i] to starts[i+1].
	sizes, starts section.Array[uint32]

	rarity *rarityTable

	// The features of prefixes, in the order of their hashes, three numbers each: the 16 bits of the hash that follow
	// the slot of the directory, and where its sets are, the lower half first: the number by size of a single one, or
	// inLists and the place of a list in lists. Features with the same slot and the same 16 bits are one.
	dir      ints.Directory
	features section.Array[uint16]
	tagsAt   uint

	// A list has two parts, as ints.AppendNumbers makes them of numbers by size: the sets that larger or equal ones
	// need to find them (Plan.short), and the others, which only smaller ones need.
	lists section.Array[uint16]
}

// perFeature is how many numbers a feature of the postings has.
const perFeature = 3

// inLists is the bit of a place that has a list.
const inLists = 1 << 31

// Names of the sections of postings.
const (
	secPostingsPlan     = "postings.plan"
	secPostingsOrder    = "postings.order"
	secPostingsSizes    = "postings.sizes"
	secPostingsStart    = "postings.sizes.starts"
	secPostingsSlots    = "postings.directory"
	secPostingsFeatures = "postings.features"
	secPostingsLists    = "postings.lists"
)

// outline makes the directory of features, of which the given number of bits of a hash name the slot.
func (p *Postings) outline(slotBits int) {
	p.dir = ints.OutlineDirectory(64, slotBits)
	p.tagsAt = uint(64 - slotBits - 16)
}

// maxSlotBits bounds the directory.
const maxSlotBits = 32

// tag returns the 16 bits of a hash that follow those of the slot.
func (p *Postings) tag(hash uint64) uint16 { return uint16(hash >> p.tagsAt) }

// exists reports whether there are postings.
func (p *Postings) exists() bool { return p.plan.Common > 0 }

// write writes postings, whose features and lists are those of v.
func (p *Postings) write(w *section.Writer, v *inverter) error {
	w.Begin(secPostingsPlan)
	w.Uint64s([]uint64{math.Float64bits(p.plan.Threshold), uint64(p.plan.Common)})
	if !p.exists() {
		return nil
	}
	for _, s := range []struct {
		name string
		list []uint32
	}{
		{secPostingsOrder, p.order.All}, {secPostingsSizes, p.sizes.All}, {secPostingsStart, p.starts.All},
		{secPostingsSlots, p.dir.Starts},
	} {
		w.Begin(s.name)
		w.Uint32s(s.list)
	}
	w.Begin(secPostingsFeatures)
	err := v.features.write(w)
	w.Begin(secPostingsLists)
	err = cmp.Or(err, v.lists.write(w))
	p.rarity.write(w)
	return err
}

// loadPostings loads what write has written, for n sets. It checks sizes, and no contents but the plan.
func loadPostings(f *section.File, n uint64) *Postings {
	plan := f.Uint64s(secPostingsPlan, 2)
	p := &Postings{plan: Plan{math.Float64frombits(plan[0]), int(min(plan[1], maxCommon+1))}}
	if err := p.plan.check(); err != nil {
		panic(f.Corruptf(secPostingsPlan, 0, "%v", err))
	}
	sizes, slots := f.Size(secPostingsSizes)/4, f.Size(secPostingsSlots)/4
	features, lists := f.Size(secPostingsFeatures)/(2*perFeature), f.Size(secPostingsLists)/2
	slotBits := bits.Len64(slots-1) - 1
	if sizes > n || slots < 2 || slotBits > maxSlotBits || slots != 1<<slotBits+1 {
		panic(f.Corruptf(secPostingsSlots, 0, "%d elements of a directory, and %d sizes of %d sets", slots, sizes, n))
	}
	p.outline(slotBits)
	p.order = section.Integers[uint32](f, secPostingsOrder, n)
	p.sizes = section.Integers[uint32](f, secPostingsSizes, sizes)
	p.starts = section.Integers[uint32](f, secPostingsStart, sizes+1)
	starts := section.Integers[uint32](f, secPostingsSlots, slots)
	p.dir.Use(starts.All, starts.Guard)
	p.features = section.Integers[uint16](f, secPostingsFeatures, perFeature*features)
	p.lists = section.Integers[uint16](f, secPostingsLists, lists)
	p.rarity = loadRarity(f)
	return p
}

// badList returns the error of the list at a place.
func (p *Postings) badList(place uint32) error {
	return p.lists.Corruptf(min(uint64(place&^inLists), uint64(max(p.lists.Len(), 1)-1)), "no list of sets is at %d of %d", place&^inLists, p.lists.Len())
}

// set returns the set of a number by size.
func (p *Postings) set(number uint32) uint32 {
	set := p.order.At(uint64(number))
	if int64(set) >= int64(p.order.Len()) {
		panic(p.order.Corruptf(uint64(number), "set %d of %d", set, p.order.Len()))
	}
	return set
}
