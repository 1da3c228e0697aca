package tables

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
)

// Wide are distinct fingerprints with the tables to search them. They are safe for concurrent use.
type Wide struct {
	width   int // bits of a fingerprint
	words   int
	n       int
	keyBits int                   // of the directories; 0 if there are no tables
	size    int                   // bytes of a number
	values  section.Array[uint64] // ascending
	tables  []wideTable           // one for each block, or none
}

// A wideTable finds fingerprints by a block.
type wideTable struct {
	starts  section.Array[uint32] // 1<<keyBits + 1: the entries of key x are [starts[x], starts[x+1])
	next    section.Array[uint16] // of each entry, the bits behind the key
	numbers section.Array[byte]   // of each entry, little-endian; none in the first table, where they are those of the entries
}

// leastTabled is the number of fingerprints from which tables are faster than comparing all.
const leastTabled = 1 << 12

// spareBits says how many entries a key has: 1<<spareBits to 2<<spareBits on average, unless the block has too few
// bits.
const spareBits = 3

// outlineWide returns the Tables of n fingerprints without values and tables.
func outlineWide(n, width int) *Wide {
	t := &Wide{width: width, words: Words(width), n: n}
	if n >= leastTabled {
		t.keyBits = min(blockBits, bits.Len(uint(n))-1-spareBits)
		t.size = (bits.Len(uint(n-1)) + 7) / 8
		t.tables = make([]wideTable, width/blockBits)
	}
	return t
}

// BuildWide returns the tables of values, which are distinct and ascending and have a width of 128 or 256 bits. It
// keeps the values.
func BuildWide(values []uint64, width, threads int) *Wide {
	t := outlineWide(len(values)/Words(width), width)
	t.values = section.Checked(values)
	_ = t.buildAll(context.Background(), threads, func(i int, b wideTable) { t.tables[i] = b })
	return t
}

// buildAll calls take with each table, in order. The error is that of ctx.
func (t *Wide) buildAll(ctx context.Context, threads int, take func(i int, b wideTable)) error {
	at := 0
	return parallel.Ordered(ctx, threads, len(t.tables), func(ctx context.Context, i int) (wideTable, error) {
		if err := ctx.Err(); err != nil {
			return wideTable{}, err
		}
		return t.build(i), nil
	}, func(b wideTable) error {
		take(at, b)
		at++
		return nil
	})
}

// Len returns the number of fingerprints.
func (t *Wide) Len() int { return t.n }

// Width returns the number of bits of a fingerprint.
func (t *Wide) Width() int { return t.width }

// Values returns all fingerprints, Words(Width()) words each.
func (t *Wide) Values() []uint64 { return t.values.All }

// key returns the key of a fingerprint in table i.
func (t *Wide) key(v []uint64, i int) uint32 {
	return uint32(bitsAt(v, blockBits*i)) >> (blockBits - t.keyBits)
}

// next returns the bits behind the key.
func (t *Wide) next(v []uint64, i int) uint16 { return bitsAt(v, (blockBits*i+t.keyBits)%t.width) }

// build returns table i.
func (t *Wide) build(i int) wideTable {
	starts := make([]uint32, 1<<t.keyBits+1)
	at := func(j int) []uint64 { return t.values.All[j*t.words : (j+1)*t.words] }
	for j := range t.n {
		starts[t.key(at(j), i)+1]++
	}
	for x := range starts[1:] {
		starts[x+1] += starts[x]
	}
	b := wideTable{next: section.Checked(make([]uint16, t.n))}
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
func (t *Wide) number(i int, e uint32) uint32 {
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
func (t *Wide) value(x uint32) []uint64 {
	at := uint64(x) * uint64(t.words)
	return t.values.Range(at, at+uint64(t.words))
}

// span returns the entries of a key of table i.
func (t *Wide) span(i int, key uint32) (lo, hi uint32) {
	starts := t.tables[i].starts.Range(uint64(key), uint64(key)+2)
	if lo, hi = starts[0], starts[1]; lo > hi || int(hi) > t.n {
		panic(t.tables[i].starts.Corruptf(uint64(key), "the entries of key %d are [%d, %d) of %d", key, lo, hi, t.n))
	}
	return lo, hi
}

// Check returns a section.ErrCorrupt if the tables are not those of the values. All bytes must have passed their
// checksums.
func (t *Wide) Check() error {
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
func (t *Wide) check(i int) error {
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

// DescribeWide says in words what tables n fingerprints of a width have.
func DescribeWide(n, width int) string { return outlineWide(n, width).describe() }

func (t *Wide) describe() string {
	if len(t.tables) == 0 {
		return fmt.Sprintf("no tables of so few fingerprints of %d bits", t.width)
	}
	return fmt.Sprintf("%d tables by blocks of %d bits, directories of %d bits", len(t.tables), blockBits, t.keyBits)
}

// Explain says in words what the tables are, and how a query within distance k uses them if fingerprints are spread
// evenly.
func (t *Wide) Explain(k int) string {
	thresholds, planned := t.choose(nil, k, t.uniform)
	if !planned {
		return fmt.Sprintf("%s; a query within %d compares all %d fingerprints", t.describe(), k, t.n)
	}
	keys := 0.
	for _, threshold := range thresholds {
		keys += ball(t.keyBits, threshold)
	}
	return fmt.Sprintf("%s; a query within %d looks up %.0f keys", t.describe(), k, keys)
}

// Names of the sections, as internal/ground/section/FORMAT.md lists them.
const (
	sectionWideDesign = "wide.design"
	// SectionWideValues has the fingerprints, ascending.
	SectionWideValues = "wide.values"
)

func wideSection(i int, part string) string { return fmt.Sprintf("wide.%d.%s", i, part) }

// WriteWide builds the tables of values as Build does, and writes their sections to w. At most threads tables are in
// memory at a time. The error is that of ctx. w keeps the errors of writing.
func WriteWide(ctx context.Context, w *section.Writer, values []uint64, width, threads int) error {
	t := outlineWide(len(values)/Words(width), width)
	t.values = section.Checked(values)
	w.Begin(sectionWideDesign)
	w.Uint64s([]uint64{uint64(t.n)})
	w.Uint32s([]uint32{uint32(width), uint32(t.keyBits)})
	w.Begin(SectionWideValues)
	w.Uint64s(values)
	return t.buildAll(ctx, threads, func(i int, b wideTable) {
		w.Begin(wideSection(i, "directory"))
		w.Uint32s(b.starts.All)
		w.Begin(wideSection(i, "next"))
		w.Uint16s(b.next.All)
		if i > 0 {
			w.Begin(wideSection(i, "numbers"))
			_, _ = w.Write(b.numbers.All) // w keeps the error
		}
	})
}

// LoadWide returns the tables that Write put into f. They refer to the bytes of f, which must not change while they
// are used. Load checks the sizes of all sections, and no contents: searches check a block of a section when they
// first use it. Both panic with a disk.Damage if f is damaged.
func LoadWide(f *section.File) *Wide {
	head := f.Bytes(sectionWideDesign)
	if len(head) != 16 {
		panic(f.Corruptf(sectionWideDesign, 0, "the design takes %d bytes, want 16", len(head)))
	}
	n, width, keyBits := binary.LittleEndian.Uint64(head), int(binary.LittleEndian.Uint32(head[8:])), int(binary.LittleEndian.Uint32(head[12:]))
	if n > math.MaxUint32 || width != Widths[0] && width != Widths[1] {
		panic(f.Corruptf(sectionWideDesign, 0, "%d fingerprints of %d bits", n, width))
	}
	t := outlineWide(int(n), width)
	if keyBits != t.keyBits {
		panic(f.Corruptf(sectionWideDesign, 12, "keys of %d bits, want %d", keyBits, t.keyBits))
	}
	t.values = section.Integers[uint64](f, SectionWideValues, n*uint64(t.words))
	for i := range t.tables {
		b := &t.tables[i]
		b.starts = section.Integers[uint32](f, wideSection(i, "directory"), 1<<t.keyBits+1)
		b.next = section.Integers[uint16](f, wideSection(i, "next"), n)
		if i == 0 {
			continue
		}
		b.numbers = section.Integers[byte](f, wideSection(i, "numbers"), n*uint64(t.size))
	}
	return t
}
