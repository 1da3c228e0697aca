package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"simsearch/internal/parallel"
)

// A Document is what a Writer takes in.
type Document struct {
	ID   []byte // not empty
	Text []byte
	// Fingerprint stands for the text where HasFingerprint is set.
	Fingerprint    uint64
	HasFingerprint bool
}

// ingestTogether is how many documents are analysed as one task.
const ingestTogether = 512

// Ingest adds documents in the order in which they come, analysing them on several
// goroutines. A Document and its slices need to be valid only until the next one is
// asked for, from a goroutine of Ingest's. It ends with the iterator, at the first
// error that the iterator yields, or when ctx is done; then the documents added so
// far stay added and the error is returned.
func (w *Writer) Ingest(ctx context.Context, documents iter.Seq2[*Document, error]) error {
	if w.Learns() {
		return errors.New("index: weights tfidf have to be learnt before documents are added")
	}
	pool := sync.Pool{New: func() any { return new(batch) }}
	analyse := func(_ context.Context, b *batch) (*batch, error) {
		b.analyse(w.analysis)
		return b, nil
	}
	return parallel.Stream(ctx, w.o.Threads, batches(documents, ingestTogether, &pool), analyse, func(b *batch) error {
		for i, d := range b.docs {
			if len(b.id(i)) == 0 {
				return fmt.Errorf("document %d has no id", w.pending.len()+1)
			}
			if w.pending.len() == maxDocuments {
				return fmt.Errorf("more than %d documents at once", uint64(maxDocuments))
			}
			if d.ready && w.analysis.sketcher != nil {
				return fmt.Errorf("document %s is a fingerprint, and has no features; an index of mode %s wants texts or sets", b.id(i), w.manifest.Settings.Mode)
			}
			w.pending.add(b.id(i), d.fp, d.ok)
			if w.analysis.sketcher != nil {
				features, signature := b.set(&d, w.manifest.Settings.Perms)
				if err := w.pending.sets.add(features, d.digest, signature); err != nil {
					return err
				}
			}
		}
		b.reset()
		pool.Put(b)
		return nil
	})
}
