package analysis

import (
	"context"
	"iter"
	"sync"

	"simsearch/document"
	"simsearch/internal/parallel"
)

// batchBytes is the size of ids and texts at which a batch ends, so that a few batches take little
// memory.
const batchBytes = 1 << 20

// largeBytes is the size above which a document is large: its analysis takes up to seventy times
// as much memory. The large documents of a stream are analysed one at a time, and their memory is
// not kept.
const largeBytes = 1 << 20

// A turn lets one of several in at a time.
type turn chan struct{}

// Each analyses documents in batches on up to threads goroutines, and calls take with each batch, in
// order, from the caller's goroutine. A batch has up to size() documents, and at most a few
// more than 1 MiB of them. Between analysis and take, on the goroutine of the analysis, work makes
// something of the batch for take; it may be nil.
//
// A Document needs to be valid only until the next one is asked for, which happens on a goroutine
// of Each. A Batch is valid until take returns. The first error of documents, of the analysis (that
// of Analysis.Fingerprint), of work, take or ctx ends the stream and is returned.
func Each[T any](ctx context.Context, a *Analysis, documents iter.Seq2[*document.Document, error], threads int, size func() int,
	work func(ctx context.Context, b *Batch) (T, error), take func(b *Batch, worked T) error,
) error {
	return each(ctx, documents, threads, size, func(ctx context.Context, b *Batch) (worked T, err error) {
		if err = b.analyse(a); err == nil && work != nil {
			worked, err = work(ctx, b)
		}
		return worked, err
	}, take)
}

// each is Each where analyse analyses a batch in its own way, calls done, and makes something for take.
func each[T any](ctx context.Context, documents iter.Seq2[*document.Document, error], threads int, size func() int,
	analyse func(ctx context.Context, b *Batch) (T, error), take func(b *Batch, worked T) error,
) error {
	type analysed struct {
		b      *Batch
		worked T
	}
	pool := sync.Pool{New: func() any { return new(Batch) }}
	task := func(ctx context.Context, b *Batch) (analysed, error) {
		worked, err := analyse(ctx, b)
		return analysed{b, worked}, err
	}
	return parallel.Stream(ctx, threads, batches(documents, size, &pool), task, func(next analysed) error {
		if err := take(next.b, next.worked); err != nil {
			return err
		}
		next.b.reset()
		pool.Put(next.b)
		return nil
	})
}

// batches gathers up to size() documents, or batchBytes, into each batch of pool. A batch with a
// large document comes when the one before it has been analysed: waiting for that here, in order,
// keeps results from piling up behind it.
func batches(documents iter.Seq2[*document.Document, error], size func() int, pool *sync.Pool) iter.Seq2[*Batch, error] {
	return func(yieldBatch func(*Batch, error) bool) {
		large := make(turn, 1)
		yield := func(b *Batch) bool {
			if b.large {
				large <- struct{}{}
				b.turn = large
			}
			return yieldBatch(b, nil)
		}
		b := pool.Get().(*Batch)
		for d, err := range documents {
			if err != nil {
				if b.Len() == 0 || yield(b) {
					yieldBatch(nil, err)
				}
				return
			}
			if b.add(d); b.Len() >= size() || len(b.bytes) >= batchBytes {
				if !yield(b) {
					return
				}
				b = pool.Get().(*Batch)
			}
		}
		if b.Len() > 0 {
			yield(b)
		}
	}
}
