package prefix

import (
	"cmp"
	"math/bits"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// An inverter gathers the first features of sets and makes postings of them.
type inverter struct {
	plan   Plan
	rarity *rarityTable
	sizes  []uint32
	counts []uint32    // how many first features of each set there are
	first  spill.Lists // these, in the order of rarity, as many as maxCommon needs
	all    uint64      // how many there are
	memory int64       // for sorting features, in bytes

	features, lists units // those of Postings
	most            int   // in place of maxEntries, if it is not 0
}

// add adds the sets of a chunk. The error is that of a temporary file.
func (v *inverter) add(c *chunk) error {
	from := 0
	for i, n := range c.sizes {
		first := c.first[from:c.firstEnds[i]]
		from = c.firstEnds[i]
		v.first.Add(first)
		v.sizes, v.counts = append(v.sizes, n), append(v.counts, uint32(len(first)))
		v.all += uint64(len(first))
	}
	return v.first.Flush()
}

// chooseCommon sets plan.Common, as some of the sets say. The error is that of a temporary file.
func (v *inverter) chooseCommon() error {
	p := commonSample{plan: v.plan, every: v.all/mostSampled + 1, ends: []int{0}}
	err := v.first.Scan(v.countOf, func(set int, first []uint64) error {
		if uint64(set)*golden>>32%p.every == 0 {
			p.add(v.sizes[set], first)
		}
		return nil
	})
	v.plan.Common = p.choose(len(v.sizes))
	return err
}

// maxEntries is how many features all prefixes have together at least if there are no postings: a feature takes up to
// four units of lists, whose places have 31 bits.
const maxEntries = inLists / 4

// postings returns the postings of the prefixes, or empty ones if they have too many features. Their features and
// lists stay in v, of which nothing else is left. The error is that of a temporary file.
func (v *inverter) postings() (*Postings, error) {
	if err := v.chooseCommon(); err != nil {
		return nil, err
	}
	entries := 0
	for _, n := range v.sizes {
		entries += v.plan.stored(int(n), v.plan.Common)
	}
	if entries >= cmp.Or(v.most, maxEntries) {
		return &Postings{}, nil
	}
	p := &Postings{plan: v.plan, rarity: v.rarity}
	p.orderBySize(v.sizes)
	p.outline(ints.DirectoryBits(entries, maxSlotBits, 2))
	return p, v.invert(p, entries)
}

// Entries are sorted in parts, by the first bits of their features, so that few of them are in memory together. A
// part is partBytes, or the share mostParts of all, whichever is more, unless this exceeds the memory. Each part
// reads all first features again.
const (
	partBytes  = 64 << 20
	mostParts  = 8
	entryBytes = 16 // with what sorting takes
)

// invert makes the lists of p, and its features, of all prefixes, which have the given number of entries.
func (v *inverter) invert(p *Postings, entries int) error {
	numbers := make([]uint32, len(v.sizes)) // by size, of each set
	for number, set := range p.order.All {
		numbers[set] = uint32(number)
	}
	e := entryOrder{partBits: 0, keyBits: p.dir.Bits + 17, numberBits: bits.Len(uint(len(v.sizes)))}
	all := int64(entryBytes * entries)
	for most := min(max(partBytes, all/mostParts), max(1, v.memory)); e.keyBits > 1 &&
		(all>>e.partBits > most && e.partBits < mostPartBits || e.keyBits+e.numberBits > 64); {
		e.partBits++
		e.keyBits--
	}
	p.dir.Begin()
	keys := make([]uint64, 0, entries>>e.partBits+entries>>(e.partBits+3))
	var scratch []uint64
	for part := range uint64(1) << e.partBits {
		keys = keys[:0]
		err := v.first.Scan(v.countOf, func(set int, first []uint64) error {
			size := int(v.sizes[set])
			short, long := v.plan.Short(size, v.plan.Common), v.plan.stored(size, v.plan.Common)
			for at, f := range first[:long] {
				key := f >> p.tagsAt << 1
				if key>>e.keyBits != part {
					continue
				}
				if at >= short {
					key |= 1
				}
				keys = append(keys, key<<e.numberBits|uint64(numbers[set]))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(scratch) < len(keys) {
			scratch = make([]uint64, cap(keys))
		}
		ints.Sort(keys, scratch[:len(keys)])
		if err := v.appendPart(p, keys, part, &e); err != nil {
			return err
		}
	}
	p.dir.End()
	return nil
}

// appendPart appends the features and lists of a part, of which keys are the entries, sorted.
func (v *inverter) appendPart(p *Postings, keys []uint64, part uint64, e *entryOrder) error {
	var sets [2][]uint32
	var list []uint16
	for lo := 0; lo < len(keys); {
		key := e.key(keys[lo], part)
		sets[0], sets[1] = sets[0][:0], sets[1][:0]
		hi := lo
		for ; hi < len(keys) && e.key(keys[hi], part)>>1 == key>>1; hi++ {
			number := e.number(keys[hi])
			if of := &sets[e.key(keys[hi], part)&1]; len(*of) == 0 || (*of)[len(*of)-1] != number {
				*of = append(*of, number)
			}
		}
		place := e.number(keys[lo])
		if hi > lo+1 {
			place = uint32(v.lists.n) | inLists
			list = ints.AppendNumbers(ints.AppendNumbers(list[:0], sets[0]), sets[1])
			if err := v.lists.add(list...); err != nil {
				return err
			}
		}
		hash := key >> 1 << p.tagsAt
		p.dir.Count(hash)
		if err := v.features.add(p.tag(hash), uint16(place), uint16(place>>16)); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// mostPartBits bounds the number of parts.
const mostPartBits = 8

// countOf returns how many first features a set has.
func (v *inverter) countOf(set int) (int, bool) {
	if set >= len(v.counts) {
		return 0, false
	}
	return int(v.counts[set]), true
}

// An entryOrder is how entries are sorted: by a key, which is the slot and the tag of a feature with a bit for
// features beyond the short prefix, then by the number by size of a set. An entry of a part has no first bits of the
// key, which are equal in all of the part.
type entryOrder struct{ partBits, keyBits, numberBits int }

func (o *entryOrder) key(entry, part uint64) uint64 {
	return part<<o.keyBits | entry>>o.numberBits&(1<<o.keyBits-1)
}

func (o *entryOrder) number(entry uint64) uint32 { return uint32(entry & (1<<o.numberBits - 1)) }

// orderBySize fills order, sizes and starts.
func (p *Postings) orderBySize(of []uint32) {
	keys, order := make([]uint64, len(of)), make([]uint32, len(of))
	for i, n := range of {
		keys[i], order[i] = uint64(n), uint32(i)
	}
	ints.SortPairs(keys, order)
	var sizes, starts []uint32
	for i := range order {
		if i == 0 || keys[i] != keys[i-1] {
			sizes, starts = append(sizes, uint32(keys[i])), append(starts, uint32(i))
		}
	}
	starts = append(starts, uint32(len(of)))
	p.order, p.sizes, p.starts = section.Checked(order), section.Checked(sizes), section.Checked(starts)
}
