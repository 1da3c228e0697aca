package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
)

// A Result says what Commit has done with the added documents.
type Result struct {
	Added     int // documents that are new, including empty ones
	Replaced  int // documents that have taken the place of one with the same id
	Empty     int // of Added and Replaced: pictures of one colour
	Unchanged int // documents that the index already had under the same id
	Refused   int // documents that were left out; WriterOptions.Refused is told why
	Deleted   int // documents that Delete has named, and the index had
}

// Add adds the counts of other.
func (r *Result) Add(other Result) {
	r.Added += other.Added
	r.Replaced += other.Replaced
	r.Empty += other.Empty
	r.Unchanged += other.Unchanged
	r.Refused += other.Refused
	r.Deleted += other.Deleted
}

// Commit makes the documents added since the last Commit a part of the index, and takes out what Delete has named. The
// documents become a new segment; if there is nothing new, no segment is written. All of it is durable when Commit
// returns without an error. An id names one document. A document with the id of one in the index counts as
// Unchanged if its text is the same, and otherwise is treated as WriterOptions.OnConflict says. Of two documents with
// one id that were added since OpenWriter, the second is Unchanged or Refused.
//
// After an error the index and the Writer are as they were, and Commit can be called again. The
// exception is a failed sync, after which it is unknown what has reached the disk. The Writer then
// refuses every further call. An index that is opened anew has all of the changes or none of
// them.
//
// Then small segments are merged. If that fails, the next Commit tries again.
func (w *Writer) Commit(ctx context.Context) (Result, error) {
	if w.failed != nil {
		return Result{}, w.failed
	}
	if w.o.Phase != nil {
		w.o.Phase("checking ids")
	}
	j, err := w.journal(ctx)
	if err != nil {
		return Result{}, w.end(err)
	}
	defer func() { _ = j.State.Release() }() // opened for reading: there is nothing to lose
	var r Result
	err = disk.Guarded(func() (err error) {
		r, err = w.commit(ctx, j.State)
		return err
	})
	if err != nil {
		return Result{}, w.end(err)
	}
	_ = w.pending.Close() // the documents are durable; losing a temporary file does no harm
	w.takes.Store(0)
	w.pending, w.from, w.deletes, w.renews, w.catalogue, w.refused, w.committed = w.newBuilder(), nil, nil, nil, nil, 0, w.committed || w.dir.HasManifest()
	if err := j.Merge(); errors.Is(err, disk.ErrUncertain) {
		return r, w.end(err)
	}
	return r, nil
}

// end returns err. After a failed sync it ends the writer.
func (w *Writer) end(err error) error {
	if !errors.Is(err, disk.ErrUncertain) {
		return err
	}
	w.uncertain = true
	w.failed = fmt.Errorf("nothing more can be written by this writer: %w", err)
	return fmt.Errorf("%w; the index has all of the changes or none of them: look after the disk, and make them again", err)
}

// commit does the work of Commit, with s, a state of the segments.
func (w *Writer) commit(ctx context.Context, s *store.State) (r Result, err error) {
	swap, err := s.Begin(ctx, nil, false)
	if err != nil {
		return r, err
	}
	r.Refused = w.refused
	for _, id := range w.deletes {
		if at := s.Find(id); at.There {
			r.Deleted++
			s.Delete(at)
		}
	}
	p, err := w.unknown(s, &r)
	if err != nil {
		return r, err
	}
	deletes := r.Deleted+r.Replaced > 0
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	if p.Len() == 0 && !deletes && (w.catalogue == nil || !w.dir.HasManifest()) {
		w.remember(p)
		return r, nil
	}
	r.Added, r.Empty = p.Len()-r.Replaced, p.Empties()
	total := uint64(p.Len())
	for _, ref := range w.dir.Manifest.Segments {
		total += ref.Documents
	}
	if total > segment.MaxDocuments {
		return r, fmt.Errorf("the index would have more than %d documents", uint64(segment.MaxDocuments))
	}
	s.Plan(swap)
	files := swap.Files()
	if p.Len() > 0 {
		files++
	}
	if w.catalogue != nil {
		files++
	}
	err = w.dir.Change(files, func(next *store.Manifest, names *store.Names) error {
		err := swap.Name(w.dir, next, names)
		if err == nil && p.Len() > 0 {
			err = w.writeSegment(ctx, swap, next, p, names)
		}
		if err == nil {
			err = w.writeCatalogue(next, deletes, names)
		}
		return err
	})
	if err != nil {
		swap.Drop(w.dir, false) // Change has removed the file, if no manifest names it
		return r, err
	}
	w.remember(p)
	s.Install(swap, w.dir)
	return r, nil
}

// writeSegment writes the documents of p, and what has been learnt if that is new.
func (w *Writer) writeSegment(ctx context.Context, swap *store.Swap, next *store.Manifest, p *segment.Builder, names *store.Names) error {
	o, err := w.segmentOptions()
	if err == nil {
		err = swap.Append(ctx, w.dir, next, p, names.Take(store.SegmentExtension), o)
	}
	if err == nil && next.IDF == nil && w.idf != nil {
		next.IDF, err = w.writeIDF(names.Beside(store.IDFExtension))
	}
	return err
}

// segmentOptions returns the options of a new segment.
func (w *Writer) segmentOptions() (segment.WriteOptions, error) {
	o := segment.WriteOptions{Distance: w.o.Distance, TableBytes: w.o.TableBytes, Threads: w.o.Threads, Explain: w.o.Explain, Phase: w.o.Phase}
	return w.dir.Manifest.WriteOptions(o, w.o.Search, w.o.Memory)
}

// unknown returns the pending documents that become a part of the index, and deletes from s those that they replace. It
// counts the documents in r.
func (w *Writer) unknown(s *store.State, r *Result) (*segment.Builder, error) {
	var drop []bool
	var at store.Place // of the document that has the id looked up last
	taken := func(id []byte) (of segment.Identity, ok bool) {
		if at = s.Find(id); at.There {
			of = s.Identity(at)
		}
		return of, at.There
	}
	found := func(i uint32, same, earlier bool) {
		id := w.pending.ID(i)
		replaces, refused := r.decide(w.o.OnConflict, same && (earlier || !w.renews[string(id)]), earlier || w.had(id))
		if replaces {
			s.Delete(at)
			return
		}
		if refused && w.o.Refused != nil {
			w.o.Refused(id, w.source(i), otherText)
		}
		if drop == nil {
			drop = make([]bool, w.pending.Len())
		}
		drop[i] = true
	}
	if len(w.dir.Manifest.Segments) == 0 {
		taken = nil
	}
	if err := w.pending.Repeated(taken, found); err != nil {
		return w.pending, err
	}
	if drop == nil {
		return w.pending, nil
	}
	return w.pending.Without(drop)
}

// A Catalogue is the files that documents of an index came from. A program that keeps it can tell which files have
// changed since, and which documents they had.
type Catalogue = store.Catalogue

// A CatalogueFile is one of these files.
type CatalogueFile = store.CatalogueFile

// Catalogue returns the catalogue of the index, or nil if it has none. stale reports whether documents were replaced or
// deleted since by a Commit without SetCatalogue. The caller may change it. The error is ErrCorrupt.
func (w *Writer) Catalogue() (c *Catalogue, stale bool, err error) {
	ref := w.dir.Manifest.Catalogue
	if ref == nil {
		return nil, false, nil
	}
	c, err = store.ReadCatalogue(w.dir.FS, w.dir.Path, *ref)
	return c, ref.Stale, err
}

// SetCatalogue makes the next Commit write c in place of the catalogue that the index has, together with the
// documents. c must be sorted, and must not be changed until then. If there is no index yet, and no document is added,
// Commit does nothing.
func (w *Writer) SetCatalogue(c *Catalogue) { w.catalogue, w.partial = c, false }

// AddCatalogue is SetCatalogue for documents that were added without comparing what the files have with what c says: an
// index with a stale catalogue has one again, and so has one of which Commit replaces or deletes documents.
func (w *Writer) AddCatalogue(c *Catalogue) { w.catalogue, w.partial = c, true }

// Len returns the number of documents of the index, as it was opened or is since the last Commit.
func (w *Writer) Len() (n int) {
	for _, ref := range w.dir.Manifest.Segments {
		n += int(ref.Documents)
		if ref.Deleted != nil {
			n -= int(ref.Deleted.Documents)
		}
	}
	return n
}

// writeCatalogue writes the catalogue that SetCatalogue or AddCatalogue was given. It is stale, or that of the index
// is, if this commit deletes or replaces documents without SetCatalogue.
func (w *Writer) writeCatalogue(next *store.Manifest, deletes bool, names *store.Names) error {
	stale := deletes || next.Catalogue != nil && next.Catalogue.Stale
	if w.catalogue != nil {
		ref, err := w.catalogue.Write(w.dir.FS, w.dir.Path, names.Take(store.CatalogueExtension))
		if err != nil {
			return err
		}
		next.Catalogue, stale = ref, stale && w.partial
	}
	if stale {
		next.MakeStale()
	}
	return nil
}

// checkCatalogue checks the catalogue that a manifest of dir names, if it is there: a writer may have replaced it
// since, or the manifest is an older one, of a backup. Nothing that reads the documents needs it.
func checkCatalogue(fsys disk.FS, dir string, ref *store.CatalogueRef) error {
	if ref == nil {
		return nil
	}
	_, err := store.ReadCatalogue(fsys, dir, *ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// remember keeps the ids of the documents that have been committed: of all of them, if those of all commits are parts
// of one input, and otherwise of those that were added.
func (w *Writer) remember(added *segment.Builder) {
	if w.o.Parts {
		added = w.pending
	}
	if added.Len() > 0 {
		w.before = append(w.before, added.IDSet())
	}
}

// had reports whether such a document had this id, or an id of the same hash of 64 bits.
func (w *Writer) had(id []byte) bool {
	return slices.ContainsFunc(w.before, func(ids segment.IDSet) bool { return ids.Has(id) })
}

// journal returns what changes the index. It has read the logs.
func (w *Writer) journal(ctx context.Context) (*store.Journal, error) {
	o, err := w.segmentOptions()
	if err != nil {
		return nil, err
	}
	return store.OpenJournal(ctx, w.dir, verifyAtOpen, store.JournalOptions{
		Write: o, Hold: w.o.hold, Merging: w.o.Memory / 2,
		SyncLate: w.o.SyncLate, FlushBytes: w.o.FlushBytes, FlushDocuments: w.o.FlushDocuments,
	})
}

// changing calls do with what changes the index.
func (w *Writer) changing(ctx context.Context, do func(*store.Journal) error) error {
	j, err := w.journal(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(j), j.State.Release())
}

// Compact merges all segments into one, without the documents that are deleted, or into as few as the memory allows.
// It does nothing if there is one segment and all its documents are live. The errors are those of Commit.
func (w *Writer) Compact(ctx context.Context) error {
	if w.failed != nil {
		return w.failed
	}
	return w.end(w.changing(ctx, (*store.Journal).Compact))
}
