package tables

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
)

// Names of the sections, as internal/ground/section/FORMAT.md lists them. A table has a section mid of the bits 32 to
// 47 of its tails, or a section high of the bits 32 to 63, or neither.
const (
	sectionDesign = "tables.design"
	sectionValues = "tables.values"
)

func sectionDirectory(i int) string { return fmt.Sprintf("tables.%d.directory", i) }
func sectionLow(i int) string       { return fmt.Sprintf("tables.%d.low", i) }
func sectionMid(i int) string       { return fmt.Sprintf("tables.%d.mid", i) }
func sectionHigh(i int) string      { return fmt.Sprintf("tables.%d.high", i) }

// WriteParts builds the tables of design over values, as Build does, and writes their sections to w. At most
// o.Threads tables are in memory at a time, and parts of one if the design is dense. values are not changed. They may
// be a map of a file.
//
// The error is ErrWidth if the last of values is too wide, or that of ctx or of a temporary file. w keeps the errors of
// writing.
func WriteParts(ctx context.Context, w *section.Writer, values []uint64, design Design, o WriteOptions) error {
	if err := checkWidths(values, design.Width()); err != nil {
		return err
	}
	w.Begin(sectionDesign)
	w.Uint64s([]uint64{uint64(len(values))})
	w.Uint32s([]uint32{uint32(design.Width()), uint32(design.Exact())})
	w.Uint64s(design.Headers())
	if design.slots > 0 {
		w.Begin(sectionSlots)
		w.Uint32s([]uint32{uint32(design.slots)})
	}
	w.Begin(sectionValues)
	w.Uint64s(values)
	if design.slots > 0 {
		return design.writeDense(ctx, w, values, o)
	}
	buffers := sync.Pool{New: func() any {
		b := disk.LargePages(make([]uint64, 2*len(values)))
		return &b
	}}
	build := func(ctx context.Context, i int) (table, error) {
		if err := ctx.Err(); err != nil {
			return table{}, err
		}
		scratch := buffers.Get().(*[]uint64)
		defer buffers.Put(scratch)
		return design.newTable(values, i, *scratch), nil
	}
	next := 0
	return parallel.Ordered(ctx, o.Threads, len(design.Permutations()), build, func(t table) error {
		t.write(w, next)
		next++
		return nil
	})
}

// write writes the sections of table i.
func (t *table) write(w *section.Writer, i int) {
	w.Begin(sectionDirectory(i))
	w.Uint32s(t.dir.Starts)
	w.Begin(sectionLow(i))
	w.Uint32s(t.tails.low)
	if i == 0 {
		return
	}
	switch mid, high := outlineTails(t.dir.Shift); {
	case mid:
		w.Begin(sectionMid(i))
		w.Uint16s(t.tails.mid)
	case high:
		w.Begin(sectionHigh(i))
		w.Uint32s(t.tails.high)
	}
}

// Load returns the tables that Write put into f. They refer to the bytes of f, which must not change
// while the tables are used.
//
// Load checks the sizes of all sections, and no contents, so that its time does not depend on the
// number of values. Searches check a block of a section when they first use it. Both panic
// with a disk.Damage if f is damaged.
func Load(f *section.File) *Tables {
	head := f.Bytes(sectionDesign)
	if len(head) < 16 || len(head)%8 != 0 {
		panic(f.Corruptf(sectionDesign, 0, "the design takes %d bytes, want 16 and 8 a table", len(head)))
	}
	n := binary.LittleEndian.Uint64(head)
	width, exact := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	var headers []uint64
	for rest := head[16:]; len(rest) > 0; rest = rest[8:] {
		headers = append(headers, binary.LittleEndian.Uint64(rest))
	}
	design, err := FromHeaders(int(width), int(exact), headers)
	if err != nil {
		panic(f.Corruptf(sectionDesign, 8, "%v", err))
	}
	design = design.loadSlots(f)
	if n >= 1<<32 {
		panic(f.Corruptf(sectionDesign, 0, "%d fingerprints, more than 32 bits can number", n))
	}
	t := &Tables{design: design}
	values := section.Integers[uint64](f, sectionValues, n)
	t.values = values.All
	for i := range design.Permutations() {
		tb := design.outline(int(n), i)
		tb.load(f, i, values, design.slots > 0)
		t.tables = append(t.tables, tb)
	}
	t.finish()
	return t
}

// load reads the sections of table i into its outline.
func (t *table) load(f *section.File, i int, values section.Array[uint64], dense bool) {
	n := uint64(values.Len())
	t.tails.mask = lowBits(int(t.dir.Shift))
	starts, guard := integers[uint32](f, sectionDirectory(i), t.dir.Len())
	t.dir.Use(starts, guard)
	t.guards.dir = guard
	if dense {
		t.loadDense(f, i, values)
		return
	}
	t.tails.low, t.guards.low = integers[uint32](f, sectionLow(i), n)
	mid, high := outlineTails(t.dir.Shift)
	switch {
	case i == 0:
		t.tails.full, t.guards.rest, t.guards.restSize = values.All, values.Guard, 8
	case mid:
		t.tails.mid, t.guards.rest = integers[uint16](f, sectionMid(i), n)
		t.guards.restSize = 2
	case high:
		t.tails.high, t.guards.rest = integers[uint32](f, sectionHigh(i), n)
		t.guards.restSize = 4
	}
}

// integers returns the n integers of a section and their guard.
func integers[T section.Integer](f *section.File, name string, n uint64) ([]T, *section.Guard) {
	a := section.Integers[T](f, name, n)
	return a.All, a.Guard
}

// Salvage returns the values of the tables in f, some of whose blocks are damaged. Each table has all values, so that
// one may have what another has lost. It returns nil unless all values are found.
func Salvage(f *section.File) (values []uint64) {
	var t *Tables
	if section.DamageOf(func() { t = Load(f) }) != nil {
		return nil
	}
	for i := range t.tables {
		values = t.tables[i].appendSound(values, t.Len())
		slices.Sort(values)
		if values = slices.Compact(values); len(values) == t.Len() {
			return values
		}
	}
	return nil
}

// appendSound appends to dst the values of a table of n entries that are in sound blocks.
func (t *table) appendSound(dst []uint64, n int) []uint64 {
	dir, _ := t.finest()
	for slot := range dir.Len() - 1 {
		lo, hi, ok := 0, 0, false
		if section.DamageOf(func() { dir.Check(slot, slot) }) == nil {
			lo, hi, ok = dir.Entries(slot, slot, n)
		}
		for at := lo; ok && at < hi; at++ {
			if section.DamageOf(func() {
				t.guards.checkLow(at, at+1)
				t.guards.rest.Check(t.guards.restSize*uint64(at), t.guards.restSize*uint64(at+1))
			}) == nil {
				dst = append(dst, t.perm.invert(slot<<dir.Shift|t.tails.below(at)))
			}
		}
	}
	return dst
}
