package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
)

// ingestTogether is how many documents are analysed as one task.
const ingestTogether = 512

// A from is a file of pending documents, as sourceOf has it: those from number first on, up to the next from.
type from struct {
	first uint32
	path  string
}

// sourceOf returns the file of a document, or "" if the id is its path, which may begin below the input, with or
// without a line.
func sourceOf(r *analysis.Result) string {
	file, path := "/"+filepath.ToSlash(r.Source), "/"+string(r.ID)
	if !strings.HasSuffix(file, path) && !strings.HasSuffix(file, path[:max(1, strings.LastIndexByte(path, '#'))]) {
		return r.Source
	}
	return ""
}

// source returns the file of a pending document.
func (w *Writer) source(i uint32) string {
	n, found := slices.BinarySearchFunc(w.from, i, func(f from, i uint32) int { return cmp.Compare(f.first, i) })
	if found {
		n++
	}
	if n == 0 {
		return ""
	}
	return w.from[n-1].path
}

// Ingest adds documents in the order of the iterator and analyses them on several goroutines. A
// Document and its slices need to be valid only until the next one is asked for. It may have Rows. A goroutine of
// Ingest asks for it. Ingest ends with the iterator, at the first error that the iterator yields,
// or when ctx is done. After an error the documents added so far stay added, and the error is
// returned.
func (w *Writer) Ingest(ctx context.Context, documents iter.Seq2[*document.Document, error]) error {
	switch {
	case w.failed != nil:
		return w.failed
	case w.Learns():
		return errors.New("index: weights have to be learnt before documents are added")
	}
	if !w.pending.TakesRows() {
		documents = segment.Singly(documents)
	}
	work := func(_ context.Context, b *analysis.Batch) (store.Packed, error) {
		k := w.dir.Manifest.Keeping().Pack(b.Len(), b.Result)
		k.Codes = w.pending.CodeSets(b.Len(), func(i int) []uint64 { return b.Result(i).Set })
		return k, nil
	}
	return analysis.Each(ctx, w.analysis, documents, w.o.Threads, func() int { return ingestTogether }, work, func(b *analysis.Batch, k store.Packed) error {
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
	k := w.dir.Manifest.Keeping().Pack(1, func(int) analysis.Result { return *r })
	defer func() { w.takes.Store(w.pending.Memory()) }()
	return errors.Join(w.add(r, k, 0), w.pending.Flush())
}

// add adds a document to the pending ones. What is kept of it is number i of k.
func (w *Writer) add(r *analysis.Result, k store.Packed, i int) error {
	settings := w.dir.Manifest.Settings
	if why := segment.BadID(r.ID); why != "" {
		if w.refused++; w.o.Refused != nil {
			w.o.Refused(r.ID, sourceOf(r), why)
		}
		return nil
	}
	if w.pending.Len()+max(1, len(r.Rows)) > segment.MaxDocuments {
		return fmt.Errorf("more than %d documents at once", uint64(segment.MaxDocuments))
	}
	d := w.dir.Manifest.Keeping().Document(r, k, i)
	if err := checkDocument(settings, &d, r.Given, &w.dir.Manifest.Input, w.New()); err != nil {
		return err
	}
	source, last := sourceOf(r), ""
	if n := len(w.from); n > 0 {
		last = w.from[n-1].path
	}
	if source != last {
		w.from = append(w.from, from{uint32(w.pending.Len()), source})
	}
	if len(r.Rows) > 0 {
		w.pending.AddRows(r.ID, r.Rows)
	} else {
		w.pending.Add(&d)
	}
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

// Learns reports whether the weights are learnt from the documents and have not been learnt yet. If
// so, Learn must be called before Ingest.
func (w *Writer) Learns() bool { return w.analysis.Learns() }

// Learn learns how rare features are from documents. These documents are added by Ingest later.
// What is learnt becomes a part of the index and never changes, so documents that come later are
// weighed in the same way. Learn may be called once if Learns returns true, and again if it failed.
// The rules for documents are those of Ingest. Ready-made fingerprints and empty documents teach
// nothing.
func (w *Writer) Learn(ctx context.Context, documents iter.Seq2[*document.Document, error]) error {
	if !w.Learns() {
		return errors.New("index: there is nothing to learn")
	}
	l := fingerprint.IDFLearner{FeaturesInMemory: int(min(fingerprint.IDFFeaturesInMemory, max(leastHeld, w.o.Memory/256))), Dir: w.dir.Path, Disk: w.dir.FS}
	defer func() { _ = l.Close() }() // losing a temporary file does no harm
	if err := w.analysis.Learn(ctx, documents, w.o.Threads, &l); err != nil {
		return err
	}
	model, err := l.IDF(ctx)
	if err != nil {
		return err
	}
	w.setIDF(segment.NewIDF(model))
	return nil
}

// setIDF makes the writer weigh features by model.
func (w *Writer) setIDF(model *segment.IDF) { w.idf, w.analysis = model, w.analysis.WithIDF(model) }

// writeIDF writes what has been learnt to the file called name and makes it durable.
func (w *Writer) writeIDF(name string) (*store.FileRef, error) {
	size, digest, err := section.WriteKnown(w.dir.FS, filepath.Join(w.dir.Path, name), w.idf.Write)
	return &store.FileRef{Name: name, Bytes: size, Digest: digest}, err
}

// Delete makes the next Commit take the document called id out of the index, before it adds others. An id that the
// index does not have is passed over, and so are documents that have been added since the last Commit.
func (w *Writer) Delete(id []byte) error {
	if w.failed == nil {
		w.deletes = append(w.deletes, slices.Clone(id))
	}
	return w.failed
}

// Renew makes the next Commit put the added document called id in the place of the one in the index even if they have
// the same features, so that what is kept of the text is what it is now. It counts as Replaced, and is treated as
// WriterOptions.OnConflict says.
func (w *Writer) Renew(id []byte) error {
	if w.failed == nil {
		if w.renews == nil {
			w.renews = map[string]bool{}
		}
		w.renews[string(id)] = true
	}
	return w.failed
}
