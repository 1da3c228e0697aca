package tables

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/kernels"
)

// Dense tables are those of very many fingerprints. There are few of them, so that the runs are long: 15,000 entries
// of a billion. Their tails take 5 bytes an entry. A directory of longer headers, the slots, gives the bits between
// the header and the tail. Only the few entries that pass by their lowest 32 bits are looked up there. The first
// table has only the values.
//
// A unary bitmap of the middle bits would take 4.66 bytes an entry, and slots and bytes take 5.07. The bitmap would
// need a search of its own.

const (
	// denseSlots is the number of bits of slots. The tails of 64-bit fingerprints have 40 bits beside them.
	denseSlots = 24
	// denseBytes is how many bytes a fingerprint dense tables may take.
	denseBytes = 26
	// leastTail and denseTail are the least and the largest number of bits beside the slots: 32, and a byte.
	leastTail, denseTail = 32, 40
)

// dense returns d for dense tables with slots of the given number of bits. ok is false if there are no such tables:
// the slots do not begin with each header, or leave too few bits or too many.
func (d Design) dense(slotBits int) (_ Design, ok bool) {
	for _, p := range d.permutations {
		ok = p.HeaderBits() <= slotBits
		if !ok {
			return d, false
		}
	}
	if tail := d.width - slotBits; slotBits > 30 || tail < leastTail || tail > denseTail {
		return d, false
	}
	d.slots = slotBits
	return d, true
}

// IsDense reports whether the tables of d are dense.
func (d Design) IsDense() bool { return d.slots > 0 }

// Dense returns the design of dense tables with the least expected time of a query within distance k among n uniform
// fingerprints of 64 bits. They take at most 23 bytes a fingerprint, and 200 MB. They find the distance by equal
// headers, if such tables take no more. Looking up longer headers nearby is faster in memory. But each look-up waits
// for the disk if the tables are larger than the memory: three tables of a billion fingerprints are asked for 25
// headers, and four tables for 4.
func Dense(n, k int) (p Plan) {
	k = max(k, leastDense)
	most := denseBytes * float64(max(n, 1<<denseSlots))
	for exact := k; exact > 0; exact-- {
		if p = chooseWithin(64, n, k, exact, most, true); p.Design.IsDense() && p.Bytes <= most {
			break
		}
	}
	return p
}

// leastDense is the least distance that dense tables are planned for: headers for shorter ones are longer than slots.
const leastDense = 2

// slots say the highest bits of the entries of a dense table by their places.
type slots struct {
	ints.Directory
	guard *section.Guard
}

func (d Design) outlineSlots() *slots {
	return &slots{Directory: ints.OutlineDirectory(d.width, d.slots)}
}

// of returns the slot of entry i of n: the last one that begins at i or before. Entries are nearly uniform, and so
// the search begins at the slot that i would have if they were. It checks what it reads by guard, which may be nil.
func (s *slots) of(i, n int, guard *section.Guard) uint64 {
	begins := func(slot int) bool { // at i or before
		if !guard.Whole() {
			guard.Check(4*uint64(slot), 4*uint64(slot)+4)
		}
		return int(s.Starts[slot]) <= i
	}
	last := len(s.Starts) - 2
	lo := min(int(uint64(i)<<s.Bits/uint64(n)), last)
	hi, step := lo+1, 1
	for lo > 0 && !begins(lo) { // down, until lo begins at i or before
		lo, hi = max(0, lo-step), lo
		step *= 2
	}
	for step = 1; hi <= last && begins(hi); step *= 2 { // up, until hi begins behind i
		lo, hi = hi, min(hi+step, last+1)
	}
	for hi-lo > 1 {
		if middle := int(uint(lo+hi) / 2); begins(middle) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return uint64(lo)
}

// check checks what of reads for the entries [lo, hi).
func (s *slots) check(lo, hi, n int) {
	if s == nil || s.guard.Whole() {
		return
	}
	if hi-lo > 1<<10 {
		s.guard.CheckAll()
		return
	}
	for i := lo; i < hi; i++ {
		s.of(i, n, s.guard)
	}
}

// Names of the sections of dense tables, as internal/ground/section/FORMAT.md lists them.
const sectionSlots = "tables.slots"

func sectionSlotsOf(i int) string { return fmt.Sprintf("tables.%d.slots", i) }
func sectionNext(i int) string    { return fmt.Sprintf("tables.%d.next", i) }

// loadSlots returns d for dense tables if those of f are.
func (d Design) loadSlots(f *section.File) Design {
	if !f.Has(sectionSlots) {
		return d
	}
	b := f.Bytes(sectionSlots)
	if len(b) != 4 {
		panic(f.Corruptf(sectionSlots, 0, "the bits of slots take %d bytes, want 4", len(b)))
	}
	bits := binary.LittleEndian.Uint32(b)
	d, ok := d.dense(int(min(bits, 64)))
	if !ok {
		panic(f.Corruptf(sectionSlots, 0, "slots of %d bits for %v", bits, d))
	}
	return d
}

// loadDense reads the sections of table i into its outline, but for the directory.
func (t *table) loadDense(f *section.File, i int, values section.Array[uint64]) {
	if i == 0 {
		t.tails.full, t.guards.rest, t.guards.restSize = values.All, values.Guard, 8
		return
	}
	n := uint64(values.Len())
	s := t.tails.slots
	starts, guard := integers[uint32](f, sectionSlotsOf(i), s.Len())
	s.Use(starts, guard)
	s.guard, t.guards.slots = guard, s
	t.tails.low, t.guards.low = integers[uint32](f, sectionLow(i), n)
	t.tails.next, t.guards.rest = integers[uint8](f, sectionNext(i), n)
	t.guards.restSize, t.guards.n = 1, int(n)
}

// WriteOptions say how WriteParts works. They leave what it writes as it is.
type WriteOptions struct {
	Threads int // at least one
	// Memory is about how many bytes dense tables take while they are made, beside their directories; 0 is 1 GiB.
	// With less memory, the values are read more often. The entries of a header are always brought together, even if
	// they take more.
	Memory  int64
	Disk    disk.FS // of temporary files, a byte a value, if the design is dense; nil is that of the system
	TempDir string
	// Progress, if not nil, is called with the number of finished parts of a table that is made, and that of all
	// parts of all tables.
	Progress func(done, parts int)
}

const (
	// perEntry is how many bytes an entry takes on each thread while its part is made, and until it is written.
	perEntry = 26
	// mostParts is the binary logarithm of the largest number of parts of a table.
	mostParts = 12
	// gatherAtOnce is how many values are looked at before those that belong to a part are kept.
	gatherAtOnce = 1 << 12
)

// partBits returns the binary logarithm of the number of parts in which a dense table of n values is made.
func (o *WriteOptions) partBits(n, headerBits int) int {
	memory := o.Memory
	if memory == 0 {
		memory = 1 << 30
	}
	each := max(1, int(memory/perEntry)/max(1, o.Threads))
	bits := 1
	for n>>bits > each && bits < min(mostParts, headerBits) {
		bits++
	}
	return bits
}

// writeDense writes the tables of a dense design, one after the other. A table is made in parts, each of the values
// whose headers begin with some bits, which are gathered in their order and sorted by their headers.
func (d Design) writeDense(ctx context.Context, w *section.Writer, values []uint64, o WriteOptions) error {
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	done, parts := 0, 0
	for i := range d.permutations[1:] {
		parts += 1 << o.partBits(len(values), d.permutations[i+1].HeaderBits())
	}
	progress := o.Progress
	o.Progress = func(int, int) {
		if done++; progress != nil {
			progress(done, parts)
		}
	}
	first := d.outline(len(values), 0)
	first.dir.Build(values)
	w.Begin(sectionDirectory(0))
	w.Uint32s(first.dir.Starts)
	for i := 1; i < len(d.permutations); i++ {
		if err := d.writeDenseTable(ctx, w, values, i, o); err != nil {
			return err
		}
	}
	return nil
}

// A densePart is some entries of a dense table.
type densePart struct {
	low  []uint32
	next []uint8
}

// writeDenseTable writes table i, which is not the first.
func (d Design) writeDenseTable(ctx context.Context, w *section.Writer, values []uint64, i int, o WriteOptions) (err error) {
	t := d.outline(len(values), i)
	s, perm := t.tails.slots, t.perm
	s.Begin()
	bits := o.partBits(len(values), perm.HeaderBits())
	type buffers struct{ gathered, scratch, chunk []uint64 }
	free := sync.Pool{New: func() any { return &buffers{chunk: make([]uint64, gatherAtOnce+kernels.Margin)} }}
	gather := func(ctx context.Context, top int) (p densePart, err error) {
		b := free.Get().(*buffers)
		defer free.Put(b)
		all := b.gathered[:0]
		for from := 0; from < len(values); from += gatherAtOnce {
			if from%(1<<22) == 0 && ctx.Err() != nil {
				return p, context.Cause(ctx)
			}
			m := perm.moves.ApplyMatching(b.chunk, values[from:min(len(values), from+gatherAtOnce)], uint(perm.width-bits), uint64(top))
			all = append(all, b.chunk[:m]...)
		}
		b.gathered = all
		if len(b.scratch) < len(all) {
			b.scratch = make([]uint64, len(all)+len(all)/64)
		}
		ints.SortFrom(all, b.scratch, perm.width-perm.HeaderBits())
		p = densePart{make([]uint32, len(all)), make([]uint8, len(all))}
		below := lowBits(int(s.Shift))
		for i, x := range all {
			s.Count(x) // no other part has this slot
			p.low[i], p.next[i] = uint32(x&below), uint8(x&below>>32)
		}
		return p, nil
	}
	next := spill.NewBytes(o.Disk, o.TempDir, spill.Holds)
	defer func() { err = errors.Join(err, next.Close()) }()
	w.Begin(sectionLow(i))
	err = parallel.Ordered(ctx, o.Threads, 1<<bits, gather, func(p densePart) error {
		w.Uint32s(p.low)
		next.Add(p.next)
		o.Progress(0, 0)
		return next.Flush()
	})
	if err != nil {
		return err
	}
	w.Begin(sectionNext(i))
	all, err := next.Map()
	if err != nil {
		return err
	}
	if err := disk.Guarded(func() error { _, err := w.Write(all); return err }); err != nil {
		return err
	}
	s.End()
	w.Begin(sectionSlotsOf(i))
	w.Uint32s(s.Starts)
	t.dir.Starts = make([]uint32, t.dir.Len())
	for h := range t.dir.Starts {
		t.dir.Starts[h] = s.Starts[h<<(s.Bits-t.dir.Bits)]
	}
	w.Begin(sectionDirectory(i))
	w.Uint32s(t.dir.Starts)
	return nil
}

// finest returns the directory of the longest headers, and its guard.
func (t *table) finest() (*ints.Directory, *section.Guard) {
	if s := t.tails.slots; s != nil {
		return &s.Directory, s.guard
	}
	return &t.dir, t.guards.dir
}

// checkSlots checks that the directory of a dense table and its slots agree.
func (t *table) checkSlots() error {
	s := t.tails.slots
	if s == nil {
		return nil
	}
	for h, start := range t.dir.Starts {
		if at := h << (s.Bits - t.dir.Bits); s.Starts[at] != start {
			return t.guards.dir.Corruptf(4*uint64(h), "header %#x begins at entry %d, and its slot at %d", h, start, s.Starts[at])
		}
	}
	return nil
}
