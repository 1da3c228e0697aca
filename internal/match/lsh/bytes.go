package lsh

import (
	"context"
	"fmt"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
)

// Names of the sections, as internal/ground/section/FORMAT.md lists them.
const (
	sectionPlan       = "bands.plan"
	SectionSignatures = "sets.signatures"
)

func sectionSets(i int) string { return fmt.Sprintf("bands.%d.sets", i) }

// Write writes signatures, and the tables of bands b over them, as sections of w. At most threads tables are in
// memory at a time. The error is that of ctx or of Bands.Storable. w keeps the errors of writing.
func Write(ctx context.Context, w *section.Writer, s *Signatures, b Bands, threads int) error {
	if err := b.Storable(); err != nil {
		return err
	}
	w.Begin(SectionSignatures)
	for set := range uint32(s.Len()) {
		_, _ = w.Write(s.Of(set)) // w keeps the error
	}
	w.Begin(sectionPlan)
	w.Uint64s([]uint64{uint64(s.Len()), uint64(b.Bands), uint64(b.Rows)})
	next := 0
	build := func(ctx context.Context, i int) ([]uint32, error) {
		_, sets := s.sorted(b, i, nil)
		return sets, ctx.Err()
	}
	return parallel.Ordered(ctx, threads, b.Bands, build, func(sets []uint32) error {
		w.Begin(sectionSets(next))
		w.Uint32s(sets)
		next++
		return nil
	})
}

// Load returns the tables that Write put into f, over n signatures of the given number of positions.
// They refer to the bytes of f, which must not change while the tables are used. Load checks the sizes of
// all sections, and no contents. Candidates checks a block when it first uses it. Both panic with a
// disk.Damage if f is damaged.
func Load(f *section.File, n uint64, positions int) *Tables {
	plan := f.Uint64s(sectionPlan, 3)
	bands, rows := plan[1], plan[2]
	if plan[0] != n || n >= 1<<32 {
		panic(f.Corruptf(sectionPlan, 0, "bands of %d sets, want %d", plan[0], n))
	}
	if rows < 1 || rows > MaxRows || bands < 1 || bands > MaxBands || bands > uint64(positions)/rows {
		panic(f.Corruptf(sectionPlan, 0, "%d bands of %d rows, in %d positions", bands, rows, positions))
	}
	t := &Tables{bands: Bands{int(bands), int(rows)}, positions: positions, tables: make([]section.Array[uint32], bands)}
	t.signatures = section.Integers[byte](f, SectionSignatures, n*uint64(positions))
	for i := range t.tables {
		t.tables[i] = section.Integers[uint32](f, sectionSets(i), n)
	}
	return t
}
