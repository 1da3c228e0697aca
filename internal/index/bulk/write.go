package bulk

import (
	"context"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/tables"
)

// A groupWriter writes groups: the members first, some at a time, then where groups begin, then high of all documents.
type groupWriter struct {
	w      *section.Writer
	names  Names
	first  []uint64
	n      int // members
	groups int
}

func newGroupWriter(w *section.Writer, names Names) *groupWriter {
	w.Begin(names.Members)
	return &groupWriter{w: w, names: names}
}

// add adds members in their order. isFirst says of each whether it is the first of its group.
func (d *groupWriter) add(members []uint32, isFirst func(i int) bool) {
	d.w.Uint32s(members)
	for i := range members {
		if d.n%64 == 0 {
			d.first = append(d.first, 0)
		}
		if isFirst(i) {
			d.first[d.n/64] |= 1 << (d.n % 64)
			d.groups++
		}
		d.n++
	}
}

// end writes which members are the first of their groups, and begins to write high. It returns highShift.
func (d *groupWriter) end() (shift int) {
	d.w.Begin(d.names.First).Uint64s(d.first)
	d.w.Begin(d.names.Counts).Uint32s(countFirst(d.first))
	d.w.Begin(d.names.High)
	return highShift(d.groups)
}

// WriteGroups writes groups of a number of documents.
func WriteGroups(w *section.Writer, names Names, g tables.Groups, documents int) {
	d := newGroupWriter(w, names)
	for i := range g.Ends[1:] {
		d.add(g.Members(uint32(i)), func(i int) bool { return i == 0 })
	}
	shift, high := d.end(), slices.Repeat([]uint16{noHigh}, documents)
	for i := range g.Ends[1:] {
		for _, doc := range g.Members(uint32(i)) {
			high[doc] = uint16(i >> shift)
		}
	}
	w.Uint16s(high)
}

// WriteSorted writes the documents in groups of equal fingerprints, and calls tables with the distinct ones, which
// writes its sections behind these. distinct is an empty list, which gets them. fingerprints, width, skip and the error
// are those of Sort, or a disk's.
func WriteSorted(ctx context.Context, w *section.Writer, names Names, fingerprints []uint64, width int,
	skip func(doc int) bool, o Options, distinct *List, tables func(values []uint64) error,
) error {
	groups := newGroupWriter(w, names)
	err := Sort(ctx, fingerprints, width, skip, o, func(values []uint64, docs []uint32) error {
		groups.add(docs, func(i int) bool { return i == 0 || values[i] != values[i-1] })
		distinct.Append(slices.Compact(values)...)
		return distinct.Flush()
	})
	if err != nil {
		return err
	}
	values, err := distinct.All()
	if err != nil {
		return err
	}
	shift := groups.end()
	return disk.Guarded(func() error {
		err := Places(ctx, fingerprints, values, width, shift, skip, noHigh, o.Threads, func(some []uint16) error {
			w.Uint16s(some)
			return nil
		})
		if err != nil {
			return err
		}
		return tables(values)
	})
}
