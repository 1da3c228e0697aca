package index

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/segment"
)

// ingestTogether is how many documents are analysed as one task.
const ingestTogether = 512

// refuse leaves out the document called id.
func (w *Writer) refuse(id []byte, why string) {
	w.refused++
	if w.o.Refused != nil {
		w.o.Refused(id, why)
	}
}

// Ingest adds documents in the order of the iterator and analyses them on several goroutines. A
// Document and its slices need to be valid only until the next one is asked for. A goroutine of
// Ingest asks for it. Ingest ends with the iterator, at the first error that the iterator yields,
// or when ctx is done. After an error the documents added so far stay added, and the error is
// returned.
func (w *Writer) Ingest(ctx context.Context, documents iter.Seq2[*document.Document, error]) error {
	if w.failed != nil {
		return w.failed
	}
	if w.Learns() {
		return errors.New("index: weights tfidf have to be learnt before documents are added")
	}
	return analysis.Each(ctx, w.analysis, documents, w.o.Threads, func() int { return ingestTogether }, w.keeping().pack, func(b *analysis.Batch, k kept) error {
		for i := range b.Len() {
			r := b.Result(i)
			if err := w.add(&r, k, i); err != nil {
				return err
			}
		}
		w.takes.Store(w.pending.Memory())
		// The whole batch is added, whether or not the disk has room for it.
		return w.pending.Flush()
	})
}

// Add adds a copy of a document that has been analysed by the settings of the index, as Ingest does.
func (w *Writer) Add(r *analysis.Result) error {
	if w.failed != nil {
		return w.failed
	}
	k := w.keeping().packed(1, func(int) analysis.Result { return *r })
	defer func() { w.takes.Store(w.pending.Memory()) }()
	return errors.Join(w.add(r, k, 0), w.pending.Flush())
}

// add adds a document to the pending ones. What is kept of it is number i of k.
func (w *Writer) add(r *analysis.Result, k kept, i int) error {
	settings := w.dir.Manifest.Settings
	if why := segment.BadID(r.ID); why != "" {
		w.refuse(r.ID, why)
		return nil
	}
	if w.pending.Len() == segment.MaxDocuments {
		return fmt.Errorf("more than %d documents at once", uint64(segment.MaxDocuments))
	}
	d := w.keeping().document(r, k, i)
	if err := checkDocument(settings, &d, r.Given, &w.dir.Manifest.Input, w.New()); err != nil {
		return err
	}
	w.pending.Add(&d)
	return nil
}

// checkDocument checks that a document fits an index of the given settings, and what the index holds: in takes note
// of the first documents. given says that the document is a ready-made fingerprint.
func checkDocument(settings analysis.Settings, d *segment.Document, given bool, in *Input, first bool) error {
	if given && settings.Sets() {
		return fmt.Errorf("%w: document %s is a fingerprint, and has no features, which mode %s wants", ErrKind, d.ID, settings.Mode)
	}
	if err := in.Add(d.ID, given, first); err != nil {
		return err
	}
	if err := checkWidth(settings, d.Fingerprint); err != nil {
		return fmt.Errorf("document %s: %w", d.ID, err)
	}
	return nil
}
