package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/segment"
	"simsearch/internal/store"
)

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
	size, digest, err := w.idf.WriteFile(w.dir.FS, filepath.Join(w.dir.Path, name))
	return &store.FileRef{Name: name, Bytes: size, Digest: digest}, err
}

// ReadIDF returns what the index in dir has learnt of the rarity of features, and its settings, without which
// that means nothing. path is the directory of the index, or the file of weights in it. The error is
// ErrNoIndex if path is neither, ErrNoWeights if the index has learnt nothing, or one of Open.
func ReadIDF(path string) (analysis.IDF, analysis.Settings, error) {
	dir, name := path, ""
	if filepath.Ext(path) == store.IDFExtension {
		dir, name = filepath.Split(path)
	}
	m, err := store.ReadManifest(disk.OS, filepath.Clean(dir))
	if err != nil {
		return nil, analysis.Settings{}, err
	}
	if m.IDF == nil || name != "" && m.IDF.Name != name {
		return nil, m.Settings, fmt.Errorf("%w: %s", ErrNoWeights, path)
	}
	model, err := m.ReadIDF(disk.OS, filepath.Clean(dir))
	if err != nil {
		return nil, m.Settings, err
	}
	return model, m.Settings, model.Verify()
}

// ErrNoWeights is returned by ReadIDF where no weights have been learnt.
var ErrNoWeights = errors.New("the index has learnt no weights of features, or has others: it wants --weights tfidf when it is made")
