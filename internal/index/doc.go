// Package index keeps a collection on disk: the ids of its documents, their
// fingerprints, the tables to search them, and the settings they were made with.
//
//	w, err := index.OpenWriter(dir, analysis.Default(), index.WriterOptions{})
//	defer w.Close()
//	err = w.Ingest(ctx, documents) // an iterator
//	result, err := w.Commit(ctx)
//
//	ix, err := index.Open(dir)
//	defer ix.Close()
//	answer, err := ix.Near(ctx, index.Text(text), index.Options{Predicate: index.Within(3)})
//
// A Writer is for collections: what Commit adds becomes a segment. A Live is for documents that come one after the
// other: what it adds goes to a log, is durable when the call returns, and is found at once. NewMemory has the same
// in memory.
//
//	live, err := index.OpenLive(dir, analysis.Default(), index.WriterOptions{})
//	defer live.Close()
//	added, err := live.Add(ctx, documents)
//	ix, err := live.Snapshot() // the index as it is now
//	deleted, err := live.Delete(ctx, []byte("fox"))
//
// An index is a directory of immutable segments and a manifest that names them;
// internal/ground/section/FORMAT.md is the specification of every byte. Segments are mapped into memory,
// so that an index is open in milliseconds whatever its size.
//
// The folder has what an index is made of:
//
//   - store: the directory: manifest, lock, changes, merges, verify and repair; wal: its log
//   - segment: one immutable file: a builder that writes it, and a reader
//   - bulk: very many documents within a given memory
package index
