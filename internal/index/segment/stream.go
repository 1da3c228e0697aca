package segment

import (
	"context"
	"fmt"
	"time"

	"simsearch/internal/ground/section"
	"simsearch/internal/ground/terminal"
	"simsearch/tables"
)

// A segment of very many fingerprints alone is written as a stream: they lie in a temporary file, and are sorted,
// grouped and put into tables a part at a time. Its tables are dense.

const (
	// streamedFrom is the number of documents from which a segment is written as a stream, whatever memory there is.
	streamedFrom = 1 << 26
	// heldPrints is how many fingerprints are held in memory at most.
	heldPrints = 1 << 24
	// perStreamed is how many bytes of memory a document of a stream takes.
	perStreamed = 1
	// StreamMemory is how many bytes writing a stream takes beside that, at most.
	StreamMemory = 512 << 20
	// leastTables is the number of fingerprints from which dense tables are worth their directories.
	leastTables = 1 << 20
)

// Stream lets b write a segment of fingerprints of 64 bits alone as a stream, if it has very many documents, or
// writing it takes more than the given bytes of memory otherwise, and more than fixed, which is what a stream takes
// at least: StreamMemory, or less in tests. The design of its tables must not be given then.
func (b *Builder) Stream(memory, fixed int64) {
	if b.TakesRows() {
		b.streams, b.fixed = max(1, memory), fixed
	}
}

// streamed returns how many bytes writing a stream takes.
func (b *Builder) streamed() int64 { return b.fixed + perStreamed*int64(b.Len()) }

// mayStream reports whether b may be written as a stream.
func (b *Builder) mayStream() bool { return b.streams > 0 && b.ids.Runs() != nil }

// isStreamed reports whether b is written as a stream.
func (b *Builder) isStreamed() bool {
	return b.mayStream() && (b.Len() >= streamedFrom || b.load().bytes() > max(b.streams, b.streamed()))
}

// tableMemory returns how many bytes parts of groups and tables may take.
func (b *Builder) tableMemory() int64 { return max(128<<20, b.streams/2) }

// writeTables writes the tables of a design.
func (b *Builder) writeTables(ctx context.Context, w *section.Writer, values []uint64, design tables.Design, o *WriteOptions) error {
	what := fmt.Sprintf("building %d tables", len(design.Permutations()))
	o.phase(what)
	return tables.WriteParts(ctx, w, values, design, tables.WriteOptions{
		Threads: o.Threads, Memory: b.tableMemory(), Disk: o.spool, TempDir: o.spoolDir,
		Progress: o.parts(what),
	})
}

// parts returns a function that tells how many parts of a step are done, and what the others will take if each takes
// as long.
func (o *WriteOptions) parts(what string) func(done, parts int) {
	began := time.Now()
	return func(done, parts int) {
		left := time.Since(began) / time.Duration(done) * time.Duration(parts-done)
		o.phase(fmt.Sprintf("%s: %d%%, %s left", what, 100*done/parts, terminal.Coarse(left)))
	}
}
