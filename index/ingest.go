package index

import (
	"context"
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

// Batches end after so many documents or bytes, so that handing them over costs
// little and a few of them take little memory.
const (
	batchDocuments = 512
	batchBytes     = 1 << 20
)

// Ingest adds documents in the order in which they come, analysing them on several
// goroutines. A Document and its slices need to be valid only until the next one is
// asked for, from a goroutine of Ingest's. It ends with the iterator, at the first
// error that the iterator yields, or when ctx is done; then the documents added so
// far stay added and the error is returned.
func (w *Writer) Ingest(ctx context.Context, documents iter.Seq2[*Document, error]) error {
	pool := sync.Pool{New: func() any { return new(batch) }}
	analyse := func(_ context.Context, b *batch) (*batch, error) {
		b.analyse(w.analysis)
		return b, nil
	}
	return parallel.Stream(ctx, w.o.Threads, batches(documents, &pool), analyse, func(b *batch) error {
		for i, d := range b.docs {
			if len(b.id(i)) == 0 {
				return fmt.Errorf("document %d has no id", w.pending.len()+1)
			}
			if w.pending.len() == maxDocuments {
				return fmt.Errorf("more than %d documents at once", uint64(maxDocuments))
			}
			w.pending.add(b.id(i), d.fp, d.ok)
		}
		b.reset()
		pool.Put(b)
		return nil
	})
}

// A batch holds copies of some documents, one behind the other, and later their
// fingerprints.
type batch struct {
	bytes   []byte
	docs    []batchDocument
	scratch Scratch
}

type batchDocument struct {
	start, idEnd, end int // of id and text in bytes
	fp                uint64
	ok, ready         bool // has a fingerprint; has one without analysis
}

func (b *batch) reset() { b.bytes, b.docs = b.bytes[:0], b.docs[:0] }

func (b *batch) add(d *Document) {
	bd := batchDocument{start: len(b.bytes), fp: d.Fingerprint, ok: d.HasFingerprint, ready: d.HasFingerprint}
	b.bytes = append(b.bytes, d.ID...)
	bd.idEnd = len(b.bytes)
	b.bytes = append(b.bytes, d.Text...)
	bd.end = len(b.bytes)
	b.docs = append(b.docs, bd)
}

func (b *batch) full() bool { return len(b.docs) >= batchDocuments || len(b.bytes) >= batchBytes }

func (b *batch) id(i int) []byte { return b.bytes[b.docs[i].start:b.docs[i].idEnd] }

func (b *batch) analyse(a *Analysis) {
	for i := range b.docs {
		if d := &b.docs[i]; !d.ready {
			d.fp, d.ok = a.Fingerprint(&b.scratch, b.bytes[d.idEnd:d.end])
		}
	}
}

// batches gathers documents into batches of pool.
func batches(documents iter.Seq2[*Document, error], pool *sync.Pool) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		b := pool.Get().(*batch)
		for d, err := range documents {
			if err != nil {
				if len(b.docs) == 0 || yield(b, nil) {
					yield(nil, err)
				}
				return
			}
			if b.add(d); b.full() {
				if !yield(b, nil) {
					return
				}
				b = pool.Get().(*batch)
			}
		}
		if len(b.docs) > 0 {
			yield(b, nil)
		}
	}
}
