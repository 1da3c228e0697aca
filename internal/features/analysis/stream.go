package analysis

import (
	"context"
	"iter"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/parallel"
)

// batchBytes is the size of ids and texts at which a batch ends. It keeps the memory of a few
// batches small.
const batchBytes = 1 << 20

// largeBytes is the size in bytes above which a document is large. Analysis takes up to seventy
// times as much memory. The large documents of a stream are analysed one at a time, and their
// memory is not kept.
const largeBytes = 1 << 20

// A turn lets in one batch at a time.
type turn chan struct{}

// Each analyses documents in batches on up to threads goroutines. It calls take with each batch, in
// order, on the caller's goroutine. A batch has up to size() documents and ends after about 1 MiB
// of ids and texts. If work is not nil, it is called after the analysis of a batch, on the same
// goroutine, and its result is passed to take.
//
// A Document needs to be valid only until the next one is asked for. A goroutine of Each asks for
// it. A Batch is valid until take returns. Each returns the first error of documents, of the
// analysis (that of Analysis.Fingerprint), of work, take or ctx.
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

// each is Each with its own analysis: analyse analyses a batch, calls done, and returns the value
// for take.
func each[T any](ctx context.Context, documents iter.Seq2[*document.Document, error], threads int, size func() int,
	analyse func(ctx context.Context, b *Batch) (T, error), take func(b *Batch, worked T) error,
) error {
	type analysed struct {
		b      *Batch
		worked T
	}
	free := make(freeBatches, 2*max(1, threads)+2) // one more than are in use
	task := func(ctx context.Context, b *Batch) (analysed, error) {
		worked, err := analyse(ctx, b)
		return analysed{b, worked}, err
	}
	return parallel.Stream(ctx, threads, batches(documents, size, free), task, func(next analysed) error {
		if err := take(next.b, next.worked); err != nil {
			return err
		}
		next.b.reset()
		free.put(next.b)
		return nil
	})
}

// FreeBatches are batches whose memory is used again. A sync.Pool would lose them whenever garbage is collected, and
// each batch has some megabytes, which are cleared before they are used.
type freeBatches chan *Batch

func (f freeBatches) get() *Batch {
	select {
	case b := <-f:
		return b
	default:
		return new(Batch)
	}
}

func (f freeBatches) put(b *Batch) {
	select {
	case f <- b:
	default:
	}
}

// batches gathers up to size() documents, or batchBytes, into each batch of free. A batch with a
// large document is yielded when the one before it has been analysed. Waiting here, in order, keeps
// results from piling up behind the large document.
func batches(documents iter.Seq2[*document.Document, error], size func() int, free freeBatches) iter.Seq2[*Batch, error] {
	return func(yieldBatch func(*Batch, error) bool) {
		large := make(turn, 1)
		yield := func(b *Batch) bool {
			if b.large {
				large <- struct{}{}
				b.turn = large
			}
			return yieldBatch(b, nil)
		}
		b := free.get()
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
				b = free.get()
			}
		}
		if b.Len() > 0 {
			yield(b)
		}
	}
}

// Texts calls work with batches of documents, as Each does, whose texts are not analysed: their results have what was
// read.
func Texts[T any](ctx context.Context, documents iter.Seq2[*document.Document, error], threads int,
	work func(ctx context.Context, b *Batch) (T, error), take func(b *Batch, worked T) error,
) error {
	return each(ctx, documents, threads, func() int { return batchTexts }, func(ctx context.Context, b *Batch) (T, error) {
		defer b.done()
		return work(ctx, b)
	}, take)
}

// batchTexts is how many documents Texts puts into a batch.
const batchTexts = 4096
