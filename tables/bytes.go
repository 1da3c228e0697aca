package tables

import (
	"context"
	"encoding/binary"
	"fmt"

	"simsearch/hamming"
	"simsearch/internal/parallel"
	"simsearch/internal/section"
)

// Names of the sections, as docs/FORMAT.md lists them.
const sectionDesign = "tables.design"

func sectionEntries(i int) string   { return fmt.Sprintf("tables.%d.entries", i) }
func sectionDirectory(i int) string { return fmt.Sprintf("tables.%d.directory", i) }

// Write builds the tables of design over values, as Build does, and writes their
// sections to w, holding no more of them in memory than threads are building.
//
// Errors of writing are kept by w; the error returned is that of ctx.
func Write(ctx context.Context, w *section.Writer, values []uint64, design hamming.Design, threads int) error {
	w.Begin(sectionDesign)
	w.Uint64s([]uint64{uint64(len(values))})
	w.Uint32s([]uint32{uint32(design.Width()), uint32(design.Exact())})
	w.Uint64s(design.Headers())
	perms := design.Tables()
	build := func(ctx context.Context, i int) (table, error) {
		if err := ctx.Err(); err != nil {
			return table{}, err
		}
		return newTable(values, perms[i]), nil
	}
	next := 0
	return parallel.Ordered(ctx, threads, len(perms), build, func(t table) error {
		w.Begin(sectionEntries(next))
		w.Uint64s(t.entries)
		w.Begin(sectionDirectory(next))
		w.Uint32s(t.dir)
		next++
		return nil
	})
}

// Load returns the tables that Write put into f, without copying them: f's bytes
// must stay as they are while the tables are used.
//
// It checks the shape of everything and the contents of nothing, so that it takes
// no time however large the file; Near then reports ErrCorrupt where a directory
// leads astray, and f.Verify finds every changed bit. Errors wrap ErrCorrupt or
// section.ErrCorrupt.
func Load(f *section.File) (*Tables, error) {
	head, err := f.Checked(sectionDesign)
	if err != nil {
		return nil, err
	}
	if len(head) < 16 || len(head)%8 != 0 {
		return nil, fmt.Errorf("%w: the design takes %d bytes, want 16 and 8 a table", ErrCorrupt, len(head))
	}
	n := binary.LittleEndian.Uint64(head)
	width, exact := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	var headers []uint64
	for rest := head[16:]; len(rest) > 0; rest = rest[8:] {
		headers = append(headers, binary.LittleEndian.Uint64(rest))
	}
	design, err := hamming.FromHeaders(int(width), int(exact), headers)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if n >= 1<<32 {
		return nil, fmt.Errorf("%w: %d fingerprints, more than 32 bits can number", ErrCorrupt, n)
	}
	t := &Tables{design: design}
	for i, perm := range design.Tables() {
		tb := table{perm: perm, dirBits: directoryBits(int(n), perm.HeaderBits())}
		if tb.entries, err = f.Uint64s(sectionEntries(i), n); err != nil {
			return nil, err
		}
		if tb.dir, err = f.Uint32s(sectionDirectory(i), 1<<tb.dirBits+1); err != nil {
			return nil, err
		}
		t.tables = append(t.tables, tb)
	}
	t.finish()
	return t, nil
}
