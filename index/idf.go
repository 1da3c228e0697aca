package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"

	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/segment"
	"simsearch/section"
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
	l := fingerprint.IDFLearner{FeaturesInMemory: w.o.FeaturesInMemory, Dir: w.dir, Disk: w.fs}
	defer func() { _ = l.Close() }() // losing a temporary file does no harm
	if err := w.analysis.Learn(ctx, documents, w.o.Threads, &l); err != nil {
		return err
	}
	model, err := l.IDF(ctx)
	if err != nil {
		return err
	}
	w.setIDF(&idfModel{IDF: model})
	return nil
}

// setIDF makes the writer weigh features by model.
func (w *Writer) setIDF(model *idfModel) { w.idf, w.analysis = model, w.analysis.WithIDF(model) }

// writeIDF writes what has been learnt to the file called name and makes it durable.
func (w *Writer) writeIDF(name string) (*fileRef, error) {
	file, err := disk.CreateAtomic(w.fs, filepath.Join(w.dir, name))
	if err != nil {
		return nil, err
	}
	defer file.Abort()
	sw := section.NewWriter(file)
	w.idf.Write(sw)
	size, digest, err := sw.Close()
	if err != nil {
		return nil, err
	}
	return &fileRef{name, size, fmt.Sprintf("%08x", digest)}, file.Commit()
}

// An idfModel is the weights of features by how rare they are, with the file that holds them.
type idfModel struct {
	*fingerprint.IDF
	path     string
	file     *mmap.File // nil if the model was learnt by this writer
	sections *section.File
}

// nothingLearnt returns the model of an index before the first commit.
func nothingLearnt() *idfModel { return &idfModel{IDF: fingerprint.EmptyIDF()} }

// Weights is IDF.Weights with errors that name the file.
func (r *idfModel) Weights(dst []uint32, features []uint64) ([]uint32, error) {
	dst, err := r.IDF.Weights(dst, features)
	runtime.KeepAlive(r) // keeps the map alive, too
	return dst, section.InFile(r.path, err)
}

// verify checks every byte of the file, if there is one.
func (r *idfModel) verify() error {
	if r == nil || r.file == nil {
		return nil
	}
	err := mmap.Guarded(r.sections.Verify)
	runtime.KeepAlive(r)
	return section.InFile(r.path, err)
}

// readIDF maps the file that the manifest names and checks its outline. It maps nothing if ref is
// nil. The weights are checked when the first of them is used. The file stays mapped while the
// model is in use, and the garbage collector unmaps it: an Analysis may outlive the Snapshot that
// it came from.
func readIDF(fsys disk.FS, dir string, ref *fileRef) (*idfModel, error) {
	if ref == nil {
		return nil, nil
	}
	path := filepath.Join(dir, ref.Name)
	m, err := segment.Map(fsys, path)
	if err != nil {
		return nil, err
	}
	r := &idfModel{path: path, file: m}
	if err := r.load(ref); err != nil {
		_ = m.Close() // the other error says more
		return nil, section.InFile(path, err)
	}
	runtime.AddCleanup(r, func(m *mmap.File) { _ = m.Close() }, m)
	return r, nil
}

func (r *idfModel) load(ref *fileRef) (err error) {
	if r.sections, err = section.ParseKnown(r.file.Data(), ref.Bytes, ref.Digest); err != nil {
		return err
	}
	r.IDF, err = fingerprint.LoadIDF(r.sections)
	return err
}
