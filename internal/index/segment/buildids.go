package segment

import (
	"simsearch/internal/ground/section"
)

// numbered returns ids as rows, ready for lookups, or nil if they are no rows, or not distinct.
func numbered(ids *IDList) *RowRuns {
	if rows := ids.Runs(); rows != nil && rows.Index() {
		return rows
	}
	return nil
}

// rows returns the ids if they are to be written as rows, and else nil.
func (b *Builder) rows() *RowRuns {
	if b.ids.Written() == nil {
		return nil
	}
	return numbered(&b.ids)
}

// writeIDs writes the ids as bytes.
func (b *Builder) writeIDs(w *section.Writer) {
	spelled := b.ids
	spelled.spell()
	w.Begin(secIDEnds).Uint64s(spelled.ends)
	_, _ = w.Begin(secIDBytes).Write(spelled.bytes) // w keeps the error
	hashes, order := b.sortedIDs()
	w.Begin(secIDHashes).Uint64s(hashes)
	w.Begin(secIDOrder).Uint32s(order)
}

// writeRows writes ids as rows, twice in all: whoever loses them loses all ids.
func writeRows(w *section.Writer, name string, rows *RowRuns) {
	_, _ = w.Begin(name).Write(rows.Encode(nil)) // w keeps the error
}

// loadRows returns the ids that writeRows has written.
func loadRows(f *section.File, name string) *RowRuns {
	rows, at, err := DecodeRows(f.Bytes(name), MaxID)
	if err != nil {
		panic(f.Corruptf(name, uint64(at), "%v", err))
	}
	if !rows.Index() {
		panic(f.Corruptf(name, 0, "two documents have the same id"))
	}
	return rows
}
