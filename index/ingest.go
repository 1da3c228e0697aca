package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"simsearch/document"
	"simsearch/internal/parallel"
)

// ingestTogether is how many documents are analysed as one task.
const ingestTogether = 512

// maxID is the length of an id, in bytes, at most.
const maxID = 64 << 10

// badID says why id cannot be an id, or nothing if it can.
func badID(id []byte) string {
	switch {
	case len(id) == 0:
		return "a document without an id"
	case len(id) > maxID:
		return fmt.Sprintf("an id of %d bytes, more than %d", len(id), maxID)
	case bytes.IndexByte(id, 0) >= 0:
		return "an id with a zero byte, which databases and lines of text cannot hold"
	}
	return ""
}

// refuse leaves a document out.
func (w *Writer) refuse(id []byte, why string) {
	w.refused++
	if w.o.Refused != nil {
		w.o.Refused(id, why)
	}
}

// Ingest adds documents in the order in which they come, analysing them on several
// goroutines. A Document and its slices need to be valid only until the next one is
// asked for, from a goroutine of Ingest's. It ends with the iterator, at the first
// error that the iterator yields, or when ctx is done; then the documents added so
// far stay added and the error is returned.
func (w *Writer) Ingest(ctx context.Context, documents iter.Seq2[*document.Document, error]) error {
	if w.failed != nil {
		return w.failed
	}
	if w.Learns() {
		return errors.New("index: weights tfidf have to be learnt before documents are added")
	}
	pool := sync.Pool{New: func() any { return new(batch) }}
	analyse := func(_ context.Context, b *batch) (*batch, error) {
		return b, b.analyse(w.analysis)
	}
	return parallel.Stream(ctx, w.o.Threads, batches(documents, ingestTogether, &pool), analyse, func(b *batch) error {
		for i, d := range b.docs {
			if why := badID(b.id(i)); why != "" {
				w.refuse(b.id(i), why)
				continue
			}
			if w.pending.len() == maxDocuments {
				return fmt.Errorf("more than %d documents at once", uint64(maxDocuments))
			}
			if d.ready && w.analysis.sketcher != nil {
				return fmt.Errorf("document %s is a fingerprint, and has no features; an index of mode %s wants texts or sets", b.id(i), w.manifest.Settings.Mode)
			}
			if err := w.manifest.Settings.checkWidth(d.fp); err != nil {
				return fmt.Errorf("document %s: %w", b.id(i), err)
			}
			w.pending.add(b.id(i), d.fp, d.ok)
			if w.analysis.sketcher != nil {
				features, signature := b.set(&d, w.manifest.Settings.Perms)
				w.pending.sets.add(features, d.digest, signature)
			}
		}
		// All of the batch is added, whether or not there is room for it on the disk.
		if err := w.pending.sets.features.flush(); err != nil {
			return err
		}
		b.reset()
		pool.Put(b)
		return nil
	})
}
