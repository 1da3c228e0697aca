package steps

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/prefix"
	"simsearch/tables"
)

// A plan divides sets into parts by their keys: the features of their prefixes, or the blocks of bits of their
// fingerprints. Two near sets have a key in common. The pair belongs to the part of the first one, in an order that
// all steps know.
//
// Features are counted in slots, by hash: a slot has the number of sets that have one of its features. The order is
// that of these counts, the rarest first, then of the features themselves. A feature of a slot that one set has joins
// nothing, and is no key.
type plan struct {
	criterion dedup.Options // says how sets are compared
	parts     int           // none if components compares all sets itself
	sets      uint64
	counts    []uint8  // of each slot, as code says; nil for fingerprints
	blocks    []uint64 // of fingerprints: masks of bits
	shift     uint     // of the slot of a key
	// heavy are the slots of so many sets that these are divided, and numbers into how many blocks. Each pair of
	// blocks is a task of its own.
	heavy   []uint32
	numbers []uint32
}

// Sections of a plan.
const (
	secCounts  = "counts"          // 1 byte a slot
	secHeavy   = "heavy.slots"     // 4 bytes
	secNumbers = "heavy.numbers"   // 4
	secSlots   = "slots.logarithm" // one number of 4 bytes
)

const (
	leastSlotBits, mostSlotBits = 10, 28
	// Fingerprints need slots only to divide heavy ones. These are counted in a cache.
	mostSlotBitsOfBlocks = 18
	// A join takes about so many bytes for each fingerprint; or for each set, and each feature of it.
	printBytes, setBytes, featureBytes = 40, 120, 4
	documentBytes                      = 256      // what components takes for a document that it compares
	programBytes                       = 24 << 20 // the program itself
	// leastHeavy is the least number of sets of a slot that is divided, and mostNumbers into how many blocks.
	leastHeavy, mostNumbers = 4096, 256
	maxParts                = 1 << 15
	// maxBlocks bounds the distance of fingerprints that are divided: blocks of fewer than 7 bits divide them into
	// too few parts.
	maxBlocks = 9
)

// plan reads all sketches and writes the plan to a file. It returns the number of parts. If c.Parts is 0 and the
// memory holds all sets, there are none: components compares these in a tenth of the time that scatter and join would
// take, or less. The plan takes a byte for each slot, of which there are about as many as features, in memory four.
func (c *Command) plan(ctx context.Context) (parts int, err error) {
	p := &plan{}
	err = c.reading([]string{sketchKind}, func(all inputs) error {
		list, err := all.sketches(setsOf)
		if err != nil {
			return err
		}
		p.criterion = all[0].how()
		if err := p.make(ctx, list, c); err != nil {
			return err
		}
		h := header{Kind: planKind, Criterion: all[0].header.Criterion, Parts: p.parts, Sets: p.sets}
		return c.write(c.In, h, func(w *section.Writer) error {
			w.Begin(secSlots)
			w.Uint32s([]uint32{uint32(64 - p.shift)})
			w.Begin(secCounts)
			_, err := w.Write(p.counts)
			w.Begin(secHeavy)
			w.Uint32s(p.heavy)
			w.Begin(secNumbers)
			w.Uint32s(p.numbers)
			return err
		})
	})
	return p.parts, err
}

func (p *plan) make(ctx context.Context, list []*sketch, c *Command) error {
	documents, features, most := uint64(0), uint64(0), mostSlotBits
	p.sets = uint64(setsIn(list))
	for _, s := range list {
		features += uint64(s.features.Len())
		for _, f := range s.Files {
			documents += uint64(f.Documents)
		}
	}
	if c.Parts == 0 && documents*documentBytes+p.bytesOf(p.sets, features)/2 <= uint64(c.How.Memory) { // the other half may be in files
		return nil
	}
	if p.criterion.ByDistance() {
		most = mostSlotBitsOfBlocks
		if err := p.setBlocks(); err != nil {
			return err
		}
	}
	slotBits := min(max(leastSlotBits, bits.Len64(features)), most, bits.Len64(uint64(c.How.Memory/16))-1)
	p.shift = uint(64 - slotBits)
	counts := make([]uint32, 1<<slotBits)
	add := func(key uint64) { // what is counted often enough is not counted on, so that no number begins again at 0
		if n := &counts[p.slot(key)]; atomic.LoadUint32(n) < math.MaxUint32/2 {
			atomic.AddUint32(n, 1)
		}
	}
	if p.blocks == nil {
		err := c.eachSet(ctx, list, func(features []uint64) {
			for _, f := range features {
				add(f)
			}
		})
		if err != nil {
			return err
		}
		p.counts = make([]uint8, len(counts))
		for slot, n := range counts {
			p.counts[slot] = code(n)
		}
		clear(counts)
	}
	var keys atomic.Uint64
	scratches := sync.Pool{New: func() any { return new([]uint64) }}
	err := c.eachSet(ctx, list, func(set []uint64) {
		of := scratches.Get().(*[]uint64)
		*of = p.keys((*of)[:0], set)
		keys.Add(uint64(len(*of)))
		for _, key := range *of {
			add(key)
		}
		scratches.Put(of)
	})
	if err != nil {
		return err
	}
	fit := p.partsFor(features, keys.Load(), c.How.Memory)
	if c.Parts > maxParts {
		return fmt.Errorf("%d parts: want at most %d", c.Parts, maxParts)
	}
	p.parts = min(maxParts, max(cmp.Or(c.Parts, len(list)), fit))
	atOnce := max(leastHeavy, keys.Load()/uint64(4*max(p.parts, fit))) // so many sets of a slot are not divided
	if c.heavy > 0 {
		atOnce = uint64(c.heavy)
	}
	for slot, n := range counts {
		if uint64(n) > atOnce {
			p.heavy = append(p.heavy, uint32(slot))
			p.numbers = append(p.numbers, uint32(min(mostNumbers, (uint64(n)+atOnce-1)/atOnce)))
		}
	}
	return nil
}

// partsFor returns the number of parts of which one fits the memory, when the sets, with some features, have a number
// of keys in all.
func (p *plan) partsFor(features, keys uint64, memory int64) int {
	if p.sets == 0 {
		return 1
	}
	bytes := float64(p.bytesOf(p.sets, features))
	for parts := 1; parts < maxParts; parts *= 2 {
		copies := min(float64(parts), float64(keys)/float64(p.sets))
		if 1.5*bytes*copies/float64(parts) <= float64(room(memory)) { // some parts are larger than others
			return parts
		}
	}
	return maxParts
}

// room returns how much of the memory sets may take in a join. The rest is for counting features, for pairs, and what
// is freed.
func room(memory int64) int64 { return max(memory/8, (memory-programBytes)/2) }

// bytesOf returns about how many bytes a join of so many sets takes beside the memory that counts features.
func (p *plan) bytesOf(sets, features uint64) uint64 {
	if p.criterion.ByDistance() {
		return printBytes * sets
	}
	return setBytes*sets + featureBytes*features
}

// setBlocks divides the bits of fingerprints into a block more than bits may differ, one of which two near
// fingerprints agree in.
func (p *plan) setBlocks() error {
	if !p.criterion.ByDistance() {
		return nil
	}
	distance := p.criterion.Distance
	if distance+1 > maxBlocks {
		return fmt.Errorf("a distance of %d bits: fingerprints are divided up to a distance of %d; without a plan, step components "+
			"compares all", distance, maxBlocks-1)
	}
	design, err := tables.NewDesign(64, distance+1, 1)
	p.blocks = design.Headers()
	return err
}

// maxSets is more than all sketches of a plan can have.
const maxSets = 1 << 48

// eachSet calls do with each set of all sketches, on several goroutines.
func (c *Command) eachSet(ctx context.Context, list []*sketch, do func(features []uint64)) error {
	return c.How.Each(ctx, len(list), 1, nil, func(ctx context.Context, at, _ int) error {
		return list[at].walk(ctx, func(_ int, features []uint64, _ [2]uint64) error { do(features); return nil })
	})
}

const lookEvery = 1 << 10

// readPlan reads the plan among inputs.
func (all inputs) readPlan() (*plan, error) {
	plans := all.of(planKind)
	if len(plans) != 1 {
		return nil, fmt.Errorf("%d plans are given: name one", len(plans))
	}
	in := plans[0]
	p := &plan{parts: in.Parts, sets: in.Sets}
	if p.parts == 0 {
		return nil, fmt.Errorf("%s divides nothing: give step components all sketches, and no pairs", in.path)
	}
	slots := in.Uint32s(secSlots, 1)
	if slots[0] < 1 || slots[0] > mostSlotBits || p.parts < 1 || p.parts > maxParts || p.sets > maxSets {
		return nil, in.Corruptf(section.About, 0, "%d parts, %d sets, slots of %d bits", p.parts, p.sets, slots[0])
	}
	p.criterion = in.how()
	if err := p.setBlocks(); err != nil {
		return nil, in.Corruptf(section.About, 0, "%v", err)
	}
	p.shift = 64 - uint(slots[0])
	if p.blocks == nil {
		counts := section.Integers[uint8](in.File, secCounts, 1<<slots[0])
		counts.Check(0, uint64(counts.Len()))
		p.counts = counts.All
	}
	p.heavy = in.Uint32s(secHeavy, section.Any)
	p.numbers = in.Uint32s(secNumbers, uint64(len(p.heavy)))
	if !ascends(p.heavy) || len(p.heavy) > 0 && p.heavy[len(p.heavy)-1]>>slots[0] != 0 || slices.ContainsFunc(p.numbers, func(n uint32) bool { return n < 1 || n > mostNumbers }) {
		return nil, in.Corruptf(secHeavy, 0, "slots are not in order, or have other numbers of blocks than 1 to %d", mostNumbers)
	}
	return p, nil
}

// ascends reports whether numbers are strictly ascending.
func ascends[T cmp.Ordered](numbers []T) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			return false
		}
	}
	return true
}

// mix spreads the bits of a number (the finalizer of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// slot returns the slot of a key.
func (p *plan) slot(key uint64) uint32 { return uint32(mix(key) >> p.shift) }

// code returns a count as a plan has it: exactly up to 15, and then in steps of an eighth. It is not less for a
// greater count.
func code(n uint32) uint8 {
	if n < 16 {
		return uint8(n)
	}
	exponent := bits.Len32(n) - 1 // at least 4
	return uint8(16 + 8*(exponent-4) + int(n>>(exponent-3))&7)
}

// keys appends the keys of a set, in their order.
func (p *plan) keys(dst, set []uint64) []uint64 {
	if p.blocks != nil {
		for i, mask := range p.blocks {
			dst = append(dst, blockKey(set[0]&mask, i))
		}
		return dst
	}
	dst = append(dst, set...)
	slices.SortFunc(dst, func(a, b uint64) int {
		if d := int(p.count(a)) - int(p.count(b)); d != 0 {
			return d
		}
		return cmp.Compare(a, b)
	})
	n := len(set)
	dst = dst[:prefix.Needed(n, prefix.LeastSize(n, p.criterion.Threshold), 1)]
	return slices.DeleteFunc(dst, func(f uint64) bool { return p.count(f) < 2 })
}

// count returns the code of how many sets have a feature of its slot.
func (p *plan) count(feature uint64) uint8 { return p.counts[p.slot(feature)] }

// blockKey returns the key of a block of bits of a fingerprint, which ends with the number of the block.
func blockKey(bits uint64, block int) uint64 { return mix(bits)&^15 | uint64(block) }

// first returns the first key that two near sets have in common. That of features is in the prefixes of both, or they
// would share too few.
func (p *plan) first(a, b []uint64) (key uint64) {
	if p.blocks != nil {
		i := slices.IndexFunc(p.blocks, func(mask uint64) bool { return (a[0]^b[0])&mask == 0 })
		return blockKey(a[0]&p.blocks[i], i)
	}
	least := 256
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i], b[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			if n := int(p.count(x)); n < least { // of equal counts, the first
				least, key = n, x
			}
			i, j = i+1, j+1
		}
	}
	return key
}

// number returns into how many blocks the sets of a slot are divided.
func (p *plan) number(slot uint32) uint64 {
	if i, ok := slices.BinarySearch(p.heavy, slot); ok {
		return uint64(p.numbers[i])
	}
	return 1
}

// place returns the part where sets meet that have a key in a slot in common, of two blocks of its sets, i <= j. Each
// part of fingerprints has the keys of one block of bits, or the whole of some if there are fewer parts than these.
func (p *plan) place(key uint64, slot uint32, i, j uint64) (part int) {
	h := mix(uint64(slot)<<16 | i<<8 | j)
	block, blocks := 0, max(1, len(p.blocks))
	if p.blocks != nil {
		block = int(key & 15)
	}
	if p.parts <= blocks {
		return block % p.parts
	}
	return block + blocks*int(h%uint64((p.parts-block+blocks-1)/blocks))
}

// blocksOf returns the masks of the blocks of bits of a part of fingerprints.
func (p *plan) blocksOf(part int) (masks []uint64) {
	if p.parts > len(p.blocks) {
		return p.blocks[part%len(p.blocks):][:1]
	}
	for i := part; i < len(p.blocks); i += p.parts {
		masks = append(masks, p.blocks[i])
	}
	return masks
}

// places calls do with each part that a set goes to, by its keys. lot says to which block of a slot it belongs.
func (p *plan) places(keys []uint64, lot uint64, do func(part int)) {
	for _, key := range keys {
		slot := p.slot(key)
		n := p.number(slot)
		mine := lot % n
		for other := range n {
			do(p.place(key, slot, min(mine, other), max(mine, other)))
		}
	}
}

// owner returns the part that a pair belongs to, by its first key in common.
func (p *plan) owner(key, lotA, lotB uint64) (part int) {
	slot := p.slot(key)
	n := p.number(slot)
	i, j := lotA%n, lotB%n
	return p.place(key, slot, min(i, j), max(i, j))
}
