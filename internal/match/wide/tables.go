package wide

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
)

// Tables are distinct fingerprints with the tables to search them. They are safe for concurrent use.
type Tables struct {
	width   int // bits of a fingerprint
	words   int
	n       int
	keyBits int                   // of the directories; 0 if there are no tables
	size    int                   // bytes of a number
	values  section.Array[uint64] // ascending
	tables  []table               // one for each block, or none
}

// A table finds fingerprints by a block.
type table struct {
	starts  section.Array[uint32] // 1<<keyBits + 1: the entries of key x are [starts[x], starts[x+1])
	next    section.Array[uint16] // of each entry, the bits behind the key
	numbers section.Array[byte]   // of each entry, little-endian; none in the first table, where they are those of the entries
}

// leastTabled is the number of fingerprints from which tables are faster than comparing all.
const leastTabled = 1 << 12

// spareBits says how many entries a key has: 1<<spareBits to 2<<spareBits on average, unless the block has too few bits.
const spareBits = 3

// outline returns the Tables of n fingerprints without values and tables.
func outline(n, width int) *Tables {
	t := &Tables{width: width, words: Words(width), n: n}
	if n >= leastTabled {
		t.keyBits = min(blockBits, bits.Len(uint(n))-1-spareBits)
		t.size = (bits.Len(uint(n-1)) + 7) / 8
		t.tables = make([]table, width/blockBits)
	}
	return t
}

// Build returns the tables of values, which are distinct and ascending and have a width of 128 or 256 bits. It keeps the
// values.
func Build(values []uint64, width, threads int) *Tables {
	t := outline(len(values)/Words(width), width)
	t.values = section.Checked(values)
	at := 0
	_ = parallel.Ordered(context.Background(), threads, len(t.tables), func(_ context.Context, i int) (table, error) {
		return t.build(i), nil
	}, func(b table) error {
		t.tables[at] = b
		at++
		return nil
	})
	return t
}

// Len returns the number of fingerprints.
func (t *Tables) Len() int { return t.n }

// Width returns the number of bits of a fingerprint.
func (t *Tables) Width() int { return t.width }

// Values returns all fingerprints, Words(Width()) words each.
func (t *Tables) Values() []uint64 { return t.values.All }

// key returns the key of a fingerprint in table i.
func (t *Tables) key(v []uint64, i int) uint32 {
	return uint32(bitsAt(v, blockBits*i)) >> (blockBits - t.keyBits)
}

// next returns the bits behind the key.
func (t *Tables) next(v []uint64, i int) uint16 { return bitsAt(v, (blockBits*i+t.keyBits)%t.width) }

// build returns table i.
func (t *Tables) build(i int) table {
	starts := make([]uint32, 1<<t.keyBits+1)
	at := func(j int) []uint64 { return t.values.All[j*t.words : (j+1)*t.words] }
	for j := range t.n {
		starts[t.key(at(j), i)+1]++
	}
	for x := range starts[1:] {
		starts[x+1] += starts[x]
	}
	b := table{next: section.Checked(make([]uint16, t.n))}
	if i > 0 {
		b.numbers = section.Checked(make([]byte, t.n*t.size))
	}
	ends := append([]uint32(nil), starts...)
	for j := range t.n {
		v := at(j)
		key := t.key(v, i)
		e := int(ends[key])
		ends[key]++
		b.next.All[e] = t.next(v, i)
		if i > 0 {
			for k := range t.size {
				b.numbers.All[e*t.size+k] = byte(j >> (8 * k))
			}
		}
	}
	b.starts = section.Checked(starts)
	return b
}

// number returns the number of the fingerprint of entry e of table i.
func (t *Tables) number(i int, e uint32) uint32 {
	if i == 0 {
		return e
	}
	at := uint64(e) * uint64(t.size)
	b := t.tables[i].numbers.Range(at, at+uint64(t.size))
	var x uint32
	for k, c := range b {
		x |= uint32(c) << (8 * k)
	}
	if int(x) >= t.n {
		panic(t.tables[i].numbers.Corruptf(at, "entry %d is fingerprint %d of %d", e, x, t.n))
	}
	return x
}

// value returns fingerprint x.
func (t *Tables) value(x uint32) []uint64 {
	at := uint64(x) * uint64(t.words)
	return t.values.Range(at, at+uint64(t.words))
}

// span returns the entries of a key of table i.
func (t *Tables) span(i int, key uint32) (lo, hi uint32) {
	starts := t.tables[i].starts.Range(uint64(key), uint64(key)+2)
	if lo, hi = starts[0], starts[1]; lo > hi || int(hi) > t.n {
		panic(t.tables[i].starts.Corruptf(uint64(key), "the entries of key %d are [%d, %d) of %d", key, lo, hi, t.n))
	}
	return lo, hi
}

// Check returns a section.ErrCorrupt if the tables are not those of the values. All bytes must have passed their checksums.
func (t *Tables) Check() error {
	all := t.values.All
	for j := 1; j < t.n; j++ {
		if slices.Compare(all[(j-1)*t.words:j*t.words], all[j*t.words:(j+1)*t.words]) >= 0 {
			return t.values.Corruptf(uint64(j*t.words), "fingerprint %d does not ascend", j)
		}
	}
	var errs []error
	for i := range t.tables {
		errs = append(errs, t.check(i))
	}
	return errors.Join(errs...)
}

// check checks table i: the entries of each key are all fingerprints that have it, in order.
func (t *Tables) check(i int) error {
	b, end := &t.tables[i], uint32(0)
	for key := range uint32(1) << t.keyBits {
		lo, hi := t.span(i, key)
		if lo != end {
			return b.starts.Corruptf(uint64(key), "the entries of key %d begin at %d, want %d", key, lo, end)
		}
		end = hi
		last := int64(-1)
		for e := lo; e < hi; e++ {
			x := t.number(i, e)
			v := t.value(x)
			if int64(x) <= last || t.key(v, i) != key || t.next(v, i) != b.next.All[e] {
				return b.next.Corruptf(uint64(e), "entry %d of table %d is not that of fingerprint %d", e, i, x)
			}
			last = int64(x)
		}
	}
	if int(end) != t.n {
		return b.starts.Corruptf(1<<t.keyBits, "table %d has %d entries, want %d", i, end, t.n)
	}
	return nil
}
