package tables

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/disk"
	"simsearch/internal/kernels"
	"simsearch/internal/parallel"
	"simsearch/internal/section"
)

// Names of the sections, as docs/FORMAT.md lists them.
const (
	sectionDesign    = "tables.design"
	sectionBlocks    = "tables.blocks" // of a design of Combinations alone
	sectionValues    = "tables.values"
	sectionParity    = "tables.parity"
	sectionDirectory = "tables.directory"
	// sectionOlder is a section of tables that were written before there were lines.
	sectionOlder = "tables.0.directory"
)

func sectionStarts(i int) string  { return fmt.Sprintf("tables.%d.starts", i) }
func sectionLines(i int) string   { return fmt.Sprintf("tables.%d.lines", i) }
func sectionMore(i int) string    { return fmt.Sprintf("tables.%d.more", i) }
func sectionEntries(i int) string { return fmt.Sprintf("tables.%d.entries", i) } // of a design of Combinations alone

// Write builds the tables of design over values, as Build does, and writes their sections to w. At
// most threads tables are in memory at a time. values are not changed.
//
// The error is ErrWidth if the last of values is too wide, or that of ctx. w keeps the errors of
// writing.
func Write(ctx context.Context, w *section.Writer, values []uint64, design Design, threads int) error {
	if err := checkWidths(values, design.Width()); err != nil {
		return err
	}
	w.Begin(sectionDesign)
	w.Uint64s([]uint64{uint64(len(values))})
	w.Uint32s([]uint32{uint32(design.Width()), uint32(design.Exact())})
	w.Uint64s(design.Headers())
	if blocks, headerBlocks, ok := design.Blocks(); ok {
		w.Begin(sectionBlocks)
		w.Uint32s([]uint32{uint32(blocks), uint32(headerBlocks)})
	}
	w.Begin(sectionValues)
	w.Uint64s(values)
	w.Begin(sectionParity)
	w.Uint64s(parity(values))
	dir := design.outlineDirectory(len(values))
	dir.Build(values)
	w.Begin(sectionDirectory)
	w.Uint32s(dir.Starts)
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
		t := design.newTable(values, i, *scratch)
		t.Seal()
		return t, nil
	}
	next := 0
	return parallel.Ordered(ctx, threads, len(design.Permutations()), build, func(t table) error {
		t.write(w, next)
		next++
		return nil
	})
}

// write writes the sections of table i. The first has none, since its entries are the values.
func (t *table) write(w *section.Writer, i int) {
	switch {
	case i == 0:
	case t.entries != nil:
		w.Begin(sectionEntries(i))
		w.Uint64s(t.entries)
	default:
		w.Begin(sectionStarts(i))
		w.Uint64s(t.Starts)
		w.Begin(sectionLines(i))
		w.Uint32s(kernels.WordsOf(t.Lines))
		w.Begin(sectionMore(i))
		w.Uint32s(t.More)
	}
}

// Load returns the tables that Write put into f. They refer to the bytes of f, which must not change
// while the tables are used.
//
// Load checks the sizes of all sections, and no contents, so that its time does not depend on the
// number of values. Searches check a block of a section when they first use it. The error of Load
// and of searches is section.ErrCorrupt.
//
// Of tables that were written before there were lines, the design and the values are read (older.go).
func Load(f *section.File) (*Tables, error) {
	head, err := f.Bytes(sectionDesign)
	if err != nil {
		return nil, err
	}
	if len(head) < 16 || len(head)%8 != 0 {
		return nil, f.Corruptf(sectionDesign, 0, "the design takes %d bytes, want 16 and 8 a table", len(head))
	}
	n := binary.LittleEndian.Uint64(head)
	width, exact := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	var headers []uint64
	for rest := head[16:]; len(rest) > 0; rest = rest[8:] {
		headers = append(headers, binary.LittleEndian.Uint64(rest))
	}
	design, err := loadDesign(f, int(width), int(exact), headers)
	if err != nil {
		return nil, err
	}
	if n >= 1<<32 {
		return nil, f.Corruptf(sectionDesign, 0, "%d fingerprints, more than 32 bits can number", n)
	}
	values, err := section.Integers[uint64](f, sectionValues, n)
	if err != nil {
		return nil, err
	}
	t := &Tables{design: design, values: values.All, valuesGuard: values.Guard, dir: design.outlineDirectory(int(n))}
	if f.Has(sectionOlder) {
		return t.older(), nil
	}
	starts, guard, err := integers[uint32](f, sectionDirectory, t.dir.Len())
	if err != nil {
		return nil, err
	}
	t.dir.Use(starts, guard)
	t.dirGuard = guard
	for i := range design.Permutations() {
		tb := design.outline(int(n), i)
		if err := tb.load(f, design.byHand(), i, n); err != nil {
			return nil, err
		}
		t.tables = append(t.tables, tb)
	}
	t.finish()
	return t, nil
}

// loadDesign returns the design of the stored headers, which is one of Combinations if the file has its
// blocks.
func loadDesign(f *section.File, width, exact int, headers []uint64) (Design, error) {
	if _, err := f.Size(sectionBlocks); err != nil {
		d, err := FromHeaders(width, exact, headers)
		if err != nil {
			return d, f.Corruptf(sectionDesign, 8, "%v", err)
		}
		return d, nil
	}
	b, err := f.Bytes(sectionBlocks)
	if err != nil {
		return Design{}, err
	}
	if len(b) != 8 {
		return Design{}, f.Corruptf(sectionBlocks, 0, "the blocks take %d bytes, want 8", len(b))
	}
	blocks, headerBlocks := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if blocks > hamming.MaxBits || headerBlocks > blocks {
		return Design{}, f.Corruptf(sectionBlocks, 0, "headers of %d of %d blocks", headerBlocks, blocks)
	}
	d, err := Combinations(width, int(blocks), int(headerBlocks))
	if err != nil {
		return d, f.Corruptf(sectionBlocks, 0, "%v", err)
	}
	if d.Exact() != exact || !slices.Equal(d.Headers(), headers) {
		return d, f.Corruptf(sectionBlocks, 0, "the headers of the design are not those of %v", d)
	}
	return d, nil
}

// load reads the sections of table i of n values into its outline.
func (t *table) load(f *section.File, byHand bool, i int, n uint64) (err error) {
	switch {
	case i == 0:
		return nil
	case byHand:
		t.entries, t.entriesGuard, err = integers[uint64](f, sectionEntries(i), n)
		return err
	}
	if t.Starts, t.Guards.Starts, err = integers[uint64](f, sectionStarts(i), t.StartsLen()); err != nil {
		return err
	}
	var words []uint32
	if words, t.Guards.Lines, err = integers[uint32](f, sectionLines(i), section.Any); err != nil {
		return err
	}
	if len(words)%len(kernels.Line{}) != 0 || uint64(len(words)) > n*uint64(len(kernels.Line{}))+16 {
		return t.Guards.Lines.Corruptf(0, "%d words are no lines of %d values", len(words), n)
	}
	t.Lines = kernels.LinesOf(words)
	t.More, t.Guards.More, err = integers[uint32](f, sectionMore(i), section.Any)
	return err
}

// integers returns the n integers of a section and their guard.
func integers[T section.Integer](f *section.File, name string, n uint64) ([]T, *section.Guard, error) {
	a, err := section.Integers[T](f, name, n)
	return a.All, a.Guard, err
}
