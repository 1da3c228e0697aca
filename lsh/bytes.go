package lsh

import (
	"context"
	"encoding/binary"
	"fmt"

	"simsearch/internal/parallel"
	"simsearch/section"
)

// Names of the sections, as docs/FORMAT.md lists them.
const sectionPlan = "bands.plan"

func sectionDirectory(i int) string { return fmt.Sprintf("bands.%d.directory", i) }
func sectionKeys(i int) string      { return fmt.Sprintf("bands.%d.keys", i) }
func sectionSets(i int) string      { return fmt.Sprintf("bands.%d.sets", i) }

// Write writes the tables of bands b over signatures as sections of w. At most threads tables are in memory at a
// time. The error is that of ctx or of Bands.Storable. w keeps the errors of writing.
func Write(ctx context.Context, w *section.Writer, s *Signatures, b Bands, threads int) error {
	if err := b.Storable(); err != nil {
		return err
	}
	w.Begin(sectionPlan)
	w.Uint64s([]uint64{uint64(s.Len()), uint64(b.Bands), uint64(b.Rows)})
	next := 0
	build := func(ctx context.Context, i int) (table, error) { return newTable(s, b, i), ctx.Err() }
	return parallel.Ordered(ctx, threads, b.Bands, build, func(t table) error {
		w.Begin(sectionDirectory(next))
		w.Uint32s(t.dir.Starts)
		w.Begin(sectionKeys(next))
		w.Uint64s(t.keys.All)
		w.Begin(sectionSets(next))
		w.Uint32s(t.sets.All)
		next++
		return nil
	})
}

// Load returns the tables that Write put into f, over n signatures of the given number of positions.
// They refer to the bytes of f, which must not change while the tables are used. Load checks the sizes of
// all sections, and no contents. Candidates checks a block when it first uses it. The error of both is
// section.ErrCorrupt.
func Load(f *section.File, n uint64, positions int) (*Tables, error) {
	head, err := f.Bytes(sectionPlan)
	if err != nil {
		return nil, err
	}
	if len(head) != 24 {
		return nil, f.Corruptf(sectionPlan, 0, "the plan takes %d bytes, want 24", len(head))
	}
	sets, bands, rows := binary.LittleEndian.Uint64(head), binary.LittleEndian.Uint64(head[8:]), binary.LittleEndian.Uint64(head[16:])
	if sets != n || n >= 1<<32 {
		return nil, f.Corruptf(sectionPlan, 0, "bands of %d sets, want %d", sets, n)
	}
	if rows < 1 || rows > MaxRows || bands < 1 || bands > MaxBands || bands > uint64(positions)/rows {
		return nil, f.Corruptf(sectionPlan, 0, "%d bands of %d rows, in %d positions", bands, rows, positions)
	}
	t := &Tables{bands: Bands{int(bands), int(rows)}, n: int(n)}
	for i := range t.bands.Bands {
		tb := outline(t.n, t.bands.Rows)
		starts, err := section.Integers[uint32](f, sectionDirectory(i), tb.dir.Len())
		if err != nil {
			return nil, err
		}
		tb.dir.Use(starts.All, starts.Guard)
		tb.dirGuard = starts.Guard
		if tb.keys, err = section.Integers[uint64](f, sectionKeys(i), n); err != nil {
			return nil, err
		}
		if tb.sets, err = section.Integers[uint32](f, sectionSets(i), n); err != nil {
			return nil, err
		}
		t.tables = append(t.tables, tb)
	}
	return t, nil
}
