package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/manifest"
	"simsearch/internal/segment"
)

// A Result says what Commit has done with the added documents.
type Result struct {
	Added     int // documents in the new segment, including empty ones
	Empty     int // documents of Added that have no features
	Unchanged int // documents that the index already had under the same id
	Refused   int // documents that were left out; WriterOptions.Refused is told why
}

// Commit makes the documents added since the last Commit a part of the index. They become a new
// segment; if there is nothing new, no segment is written. The documents are durable when Commit
// returns without an error. An id names one document. A second document with the same id counts as
// Unchanged if its text is the same, and as Refused otherwise.
//
// After an error the index and the Writer are as they were, and Commit can be called again. The
// exception is a failed sync, after which it is unknown what has reached the disk. The Writer then
// refuses every further call. An index that is opened anew has all of the documents or none of
// them.
//
// A commit takes three steps, and each is durable before the next begins: a manifest that reserves
// the number of the segment, the segment itself, and a manifest that names the segment. So a number
// is never used twice. A file under a number that is reserved but not named was never a part of the
// index.
func (w *Writer) Commit(ctx context.Context) (Result, error) {
	if w.failed != nil {
		return Result{}, w.failed
	}
	r, next, err := w.commit(ctx)
	if errors.Is(err, disk.ErrUncertain) {
		w.uncertain = true
		w.failed = fmt.Errorf("nothing more can be written by this writer: %w", err)
		return Result{}, fmt.Errorf("%w; the index has all of the new documents or none of them: look after the disk, and add them again", err)
	}
	if err != nil {
		return Result{}, err
	}
	_ = w.pending.Close() // the documents are durable; losing a temporary file does no harm
	w.manifest, w.pending, w.refused = next, w.newBuilder(next.Settings), 0
	return r, nil
}

// commit does the work of Commit. It also returns the new manifest of the index.
func (w *Writer) commit(ctx context.Context) (Result, *manifest.Manifest, error) {
	w.phase("checking ids")
	r := Result{Refused: w.refused}
	old, err := open(w.fs, w.dir, w.manifest, w.analysis, verifyAtOpen)
	if err != nil {
		return r, nil, err
	}
	defer old.Close() // opened for reading: there is nothing to lose
	p, err := w.unknown(old, &r)
	if err != nil {
		return r, nil, err
	}
	if r.Added = p.Len(); r.Added == 0 {
		return r, w.manifest, context.Cause(ctx)
	}
	if uint64(old.total)+uint64(r.Added) > segment.MaxDocuments {
		return r, nil, fmt.Errorf("the index would have more than %d documents", uint64(segment.MaxDocuments))
	}
	if ctx.Err() != nil {
		return r, nil, context.Cause(ctx)
	}
	r.Empty = p.Empties()
	number, err := w.reserve()
	if err != nil {
		return r, nil, err
	}
	next, err := w.writeFiles(ctx, p, number)
	if err == nil {
		err = next.Write(w.fs, w.dir)
	}
	if err != nil && !errors.Is(err, disk.ErrUncertain) {
		for _, extension := range []string{manifest.SegmentExtension, manifest.IDFExtension} {
			_ = w.fs.Remove(filepath.Join(w.dir, manifest.FileName(number, extension))) // else the next writer removes it
		}
	}
	return r, next, err
}

// reserve reserves the next number for the files of a commit and makes that durable. It begins the
// index if there is none.
func (w *Writer) reserve() (int, error) {
	begins := !w.claim.HasManifest()
	if begins {
		if err := w.claim.SyncMade(); err != nil {
			return 0, fmt.Errorf("%w: %w", disk.ErrUncertain, err)
		}
	}
	number := w.manifest.Next
	next := *w.manifest
	next.Next++
	if err := next.Write(w.fs, w.dir); err != nil {
		return 0, err
	}
	if w.manifest = &next; begins {
		w.claim.Begun()
	}
	return number, nil
}

// writeFiles writes the files of the commit with the given number. It returns the manifest that
// names them.
func (w *Writer) writeFiles(ctx context.Context, p *segment.Builder, number int) (*manifest.Manifest, error) {
	next := *w.manifest
	o, err := w.segmentOptions()
	if err != nil {
		return nil, err
	}
	ref, err := p.Write(ctx, w.fs, w.dir, manifest.FileName(number, manifest.SegmentExtension), o)
	if err != nil {
		return nil, err
	}
	if next.IDF == nil && w.idf != nil {
		if next.IDF, err = w.writeIDF(manifest.FileName(number, manifest.IDFExtension)); err != nil {
			return nil, err
		}
	}
	next.Segments = append(slices.Clone(w.manifest.Segments), ref)
	return &next, nil
}

// segmentOptions returns the options for the tables and bands of a new segment.
func (w *Writer) segmentOptions() (o segment.WriteOptions, err error) {
	o = segment.WriteOptions{Distance: w.o.Distance, TableBytes: w.o.TableBytes, Threads: w.o.Threads, Explain: w.o.Explain, Phase: w.o.Phase}
	if o.Design, err = blocksDesign(w.manifest); err != nil {
		return o, err
	}
	o.Threshold, o.SetMemory = w.o.Threshold, w.o.SetMemory
	if s := w.manifest.Settings; s.Signatures() {
		o.Bands, err = w.o.bands(s.Positions)
		o.WhyBands = o.Bands.Explain(w.o.Threshold)
	}
	return o, err
}

func (w *Writer) phase(what string) {
	if w.o.Phase != nil {
		w.o.Phase(what)
	}
}

// unknown returns the pending documents whose ids are not taken yet. An id is taken by a document
// of the index or by an earlier pending document. unknown counts the other documents in r.
func (w *Writer) unknown(old *Snapshot, r *Result) (*segment.Builder, error) {
	drop := make([]bool, w.pending.Len())
	found := func(doc uint32, same bool) {
		drop[doc] = true
		if same {
			r.Unchanged++
			return
		}
		r.Refused++
		if w.o.Refused != nil {
			w.o.Refused(w.pending.ID(doc), "the id stands for another text already; an id names one document")
		}
	}
	taken := old.identity
	if len(old.segments) == 0 {
		taken = nil
	}
	err := old.reading(func() error { return w.pending.Repeated(w.o.Threads, taken, found) })
	if err != nil || !slices.Contains(drop, true) {
		return w.pending, err
	}
	return w.pending.Without(drop), nil
}

// identity returns the identity of the document called id. The caller is already reading.
func (ix *Snapshot) identity(id []byte) (of segment.Identity, ok bool, err error) {
	doc, ok, err := ix.find(id)
	if ok && err == nil {
		s, local := ix.locate(doc)
		of, err = s.Identity(local)
	}
	return of, ok, err
}
