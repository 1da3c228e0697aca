package segment

import (
	"context"
	"errors"
	"fmt"

	"simsearch/internal/bulk"
	"simsearch/internal/disk"
	"simsearch/internal/docgroups"
	"simsearch/internal/section"
	"simsearch/tables"
)

// A segment of very many fingerprints alone is written as a stream: they lie in a temporary file, and are sorted, grouped and put into tables a
// part at a time. Its groups and tables are dense.

const (
	// streamedFrom is the number of documents from which a segment is written as a stream, whatever memory there is.
	streamedFrom = 1 << 26
	// heldPrints is how many fingerprints are held in memory.
	heldPrints = 1 << 24
	// perStreamed and streamedFixed are what writing a stream takes, in bytes: a document, and beside that.
	perStreamed, streamedFixed = 1, 512 << 20
	// leastTables is the number of fingerprints from which dense tables are worth their directories.
	leastTables = 1 << 20
)

// Stream lets b write a segment of fingerprints alone as a stream, if it has very many documents, or writing it takes more than the given bytes
// of memory otherwise. The design of its tables must not be given then.
func (b *Builder) Stream(memory int64) {
	if l := b.layout; l == (Layout{Bits: l.Bits}) && l.Bits > 0 && !l.isWide() {
		b.streams = max(1, memory)
	}
}

// mayStream reports whether b may be written as a stream.
func (b *Builder) mayStream() bool { return b.streams > 0 && b.ids.Runs() != nil }

// isStreamed reports whether b is written as a stream.
func (b *Builder) isStreamed() bool {
	return b.mayStream() && (b.Len() >= streamedFrom || b.load().bytes() > b.streams)
}

// writeStreamed is writeFingerprints of a stream. all are the fingerprints of the documents.
func (b *Builder) writeStreamed(ctx context.Context, w *section.Writer, all []uint64, o *WriteOptions) (err error) {
	memory := max(128<<20, b.streams/2)
	groups := docgroups.NewDenseWriter(w, fingerprintGroups)
	distinct := b.prints.Another()
	defer func() { err = errors.Join(err, distinct.Close()) }()
	how := bulk.Options{Threads: max(1, o.Threads), Memory: memory}
	err = bulk.Sort(ctx, all, b.layout.Bits, b.empty.At, how, func(values []uint64, docs []uint32) error {
		isFirst := func(i int) bool { return i == 0 || values[i] != values[i-1] }
		groups.Add(docs, isFirst)
		for i, x := range values {
			if isFirst(i) {
				distinct.Append(x)
			}
			if i%flushEvery == 0 {
				if err := distinct.Flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	values, err := distinct.All()
	if err != nil {
		return err
	}
	groups.End()
	o.dense = true
	return disk.Guarded(func() error {
		err := bulk.Places(ctx, all, values, b.layout.Bits, groups.Shift(), b.empty.At, docgroups.NoHigh, how.Threads, func(some []uint16) error {
			groups.High(some)
			return nil
		})
		if err != nil {
			return err
		}
		plan := tables.Choose(b.layout.Bits, len(values), o.Distance, o.TableBytes)
		if o.TableBytes == 0 && b.layout.Bits == 64 && len(values) >= leastTables {
			plan = tables.Dense(len(values), o.Distance)
		}
		o.explain(fmt.Sprintf("%v, %s", plan.Design, plan.Design.Expected(len(values))), plan.Why)
		return b.writeTables(ctx, w, values, plan.Design, o)
	})
}

// writeTables writes the tables of a design.
func (b *Builder) writeTables(ctx context.Context, w *section.Writer, values []uint64, design tables.Design, o *WriteOptions) error {
	what := fmt.Sprintf("building %d tables", len(design.Permutations()))
	o.phase(what)
	o.dense = o.dense || design.IsDense()
	return tables.Write(ctx, w, values, design, tables.WriteOptions{
		Threads: o.Threads, Memory: max(128<<20, b.streams/2), Disk: o.spool, TempDir: o.spoolDir,
		Progress: func(done, parts int) { o.phase(fmt.Sprintf("%s: part %d of %d", what, done, parts)) },
	})
}
