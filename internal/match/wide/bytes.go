package wide

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
)

// Names of the sections, as internal/ground/section/FORMAT.md lists them.
const (
	sectionDesign = "wide.design"
	// SectionValues has the fingerprints, ascending.
	SectionValues = "wide.values"
)

func sectionName(i int, part string) string { return fmt.Sprintf("wide.%d.%s", i, part) }

// Write builds the tables of values as Build does, and writes their sections to w. At most threads tables are in memory at a time. The
// error is that of ctx. w keeps the errors of writing.
func Write(ctx context.Context, w *section.Writer, values []uint64, width, threads int) error {
	t := outline(len(values)/Words(width), width)
	t.values = section.Checked(values)
	w.Begin(sectionDesign)
	w.Uint64s([]uint64{uint64(t.n)})
	w.Uint32s([]uint32{uint32(width), uint32(t.keyBits)})
	w.Begin(SectionValues)
	w.Uint64s(values)
	at := 0
	return parallel.Ordered(ctx, threads, len(t.tables), func(ctx context.Context, i int) (table, error) {
		if err := ctx.Err(); err != nil {
			return table{}, err
		}
		return t.build(i), nil
	}, func(b table) error {
		w.Begin(sectionName(at, "directory"))
		w.Uint32s(b.starts.All)
		w.Begin(sectionName(at, "next"))
		w.Uint16s(b.next.All)
		if at > 0 {
			w.Begin(sectionName(at, "numbers"))
			_, _ = w.Write(b.numbers.All) // w keeps the error
		}
		at++
		return nil
	})
}

// Load returns the tables that Write put into f. They refer to the bytes of f, which must not change while they are used. Load checks
// the sizes of all sections, and no contents: searches check a block of a section when they first use it. Both panic with
// a disk.Damage if f is damaged.
func Load(f *section.File) *Tables {
	head := f.Bytes(sectionDesign)
	if len(head) != 16 {
		panic(f.Corruptf(sectionDesign, 0, "the design takes %d bytes, want 16", len(head)))
	}
	n, width, keyBits := binary.LittleEndian.Uint64(head), int(binary.LittleEndian.Uint32(head[8:])), int(binary.LittleEndian.Uint32(head[12:]))
	if n > math.MaxUint32 || width != Widths[0] && width != Widths[1] {
		panic(f.Corruptf(sectionDesign, 0, "%d fingerprints of %d bits", n, width))
	}
	t := outline(int(n), width)
	if keyBits != t.keyBits {
		panic(f.Corruptf(sectionDesign, 12, "keys of %d bits, want %d", keyBits, t.keyBits))
	}
	t.values = section.Integers[uint64](f, SectionValues, n*uint64(t.words))
	for i := range t.tables {
		b := &t.tables[i]
		b.starts = section.Integers[uint32](f, sectionName(i, "directory"), 1<<t.keyBits+1)
		b.next = section.Integers[uint16](f, sectionName(i, "next"), n)
		if i == 0 {
			continue
		}
		b.numbers = section.Integers[byte](f, sectionName(i, "numbers"), n*uint64(t.size))
	}
	return t
}
