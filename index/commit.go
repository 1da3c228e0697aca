package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/segment"
	"simsearch/internal/store"
)

// A Result says what Commit has done with the added documents.
type Result struct {
	Added     int // documents that are new, including empty ones
	Replaced  int // documents that have taken the place of one with the same id
	Empty     int // documents of Added and Replaced that have no features
	Unchanged int // documents that the index already had under the same id
	Skipped   int // documents that were left out because their ids stand for other texts
	Refused   int // documents that were left out; WriterOptions.Refused is told why
	Deleted   int // documents that Delete has named, and the index had
}

// Add adds the counts of other.
func (r *Result) Add(other Result) {
	r.Added += other.Added
	r.Replaced += other.Replaced
	r.Empty += other.Empty
	r.Unchanged += other.Unchanged
	r.Skipped += other.Skipped
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
// A commit takes three steps, and each is durable before the next begins: a manifest that reserves
// the numbers of new files, the files themselves, and a manifest that names them. So a number
// is never used twice. A file under a number that is reserved but not named was never a part of the
// index, or is not any more.
//
// Then small segments are merged, as mergeSmall says. If that fails, the next Commit tries again.
func (w *Writer) Commit(ctx context.Context) (Result, error) {
	if w.failed != nil {
		return Result{}, w.failed
	}
	r, err := w.commit(ctx)
	if err != nil {
		return Result{}, w.end(err)
	}
	w.remember()
	_ = w.pending.Close() // the documents are durable; losing a temporary file does no harm
	w.takes.Store(0)
	w.pending, w.deletes, w.renews, w.catalogue, w.refused, w.committed = w.newBuilder(), nil, nil, nil, 0, w.committed || w.claim.HasManifest()
	if err := w.mergeSmall(ctx); errors.Is(err, disk.ErrUncertain) {
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

// commit does the work of Commit.
func (w *Writer) commit(ctx context.Context) (r Result, err error) {
	w.phase("checking ids")
	parts, err := openParts(w.fs, w.dir, w.manifest, verifyAtOpen)
	if err != nil {
		return r, err
	}
	defer func() { _ = releaseAll(parts) }() // opened for reading: there is nothing to lose
	gone := newDeletions(parts)
	r.Refused = w.refused
	if r.Deleted, err = w.delete(gone); err != nil {
		return r, err
	}
	p, err := w.unknown(gone, &r)
	if err != nil {
		return r, err
	}
	if p.Len() == 0 && gone.count == 0 && (w.catalogue == nil || !w.claim.HasManifest()) {
		return r, context.Cause(ctx)
	}
	r.Added = p.Len() - r.Replaced
	total := uint64(p.Len())
	for _, part := range parts {
		total += part.Stored()
	}
	if total > segment.MaxDocuments {
		return r, fmt.Errorf("the index would have more than %d documents", uint64(segment.MaxDocuments))
	}
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	r.Empty = p.Empties()
	files := gone.changed()
	if p.Len() > 0 {
		files++
	}
	if w.catalogue != nil {
		files++
	}
	return r, w.change(files, func(next *store.Manifest, names *newNames) error {
		err := w.writeDeletions(next, gone, names)
		if err == nil && p.Len() > 0 {
			err = w.writeSegment(ctx, next, p, names)
		}
		if err == nil {
			err = w.writeCatalogue(next, gone.count > 0, names)
		}
		return err
	})
}

// newNames are the names of the files of a change, which have numbers that are reserved.
type newNames struct {
	next  int
	taken []string
}

// take returns a name that no file has had.
func (n *newNames) take(extension string) string {
	name := store.FileName(n.next, extension)
	n.next++
	n.taken = append(n.taken, name)
	return name
}

// change changes the index: it reserves the numbers of files, lets write write the files and name them in the manifest,
// and replaces the manifest. After that the files are removed that the manifest names no more. After an error the index
// is as it was, or ErrUncertain.
func (w *Writer) change(files int, write func(next *store.Manifest, names *newNames) error) error {
	names, err := w.reserve(files)
	if err != nil {
		return err
	}
	next := *w.manifest
	next.Segments = slices.Clone(w.manifest.Segments)
	if err = write(&next, names); err == nil {
		err = w.claim.Held()
	}
	if err == nil {
		err = next.Write(w.fs, w.dir)
	}
	if err != nil {
		if !errors.Is(err, disk.ErrUncertain) {
			w.remove(names.taken)
		}
		return err
	}
	old := w.manifest.Files()
	w.manifest = &next
	w.remove(slices.DeleteFunc(old, next.Names))
	return nil
}

// remove removes files that are no part of the index. What cannot be removed is left to the next writer.
func (w *Writer) remove(names []string) {
	for _, name := range names {
		_ = w.fs.Remove(filepath.Join(w.dir, name))
	}
}

// reserve reserves numbers for the files of a change and makes that durable. It begins the index if there is none.
func (w *Writer) reserve(numbers int) (*newNames, error) {
	if err := w.claim.Held(); err != nil {
		return nil, err
	}
	begins := !w.claim.HasManifest()
	if begins {
		if err := w.claim.SyncMade(); err != nil {
			return nil, fmt.Errorf("%w: %w", disk.ErrUncertain, err)
		}
	}
	names := &newNames{next: w.manifest.Next}
	next := *w.manifest
	next.Next += numbers
	if err := next.Write(w.fs, w.dir); err != nil {
		return nil, err
	}
	if w.manifest = &next; begins {
		w.claim.Begun()
	}
	return names, nil
}

// writeSegment writes the documents of p, and what has been learnt if that is new.
func (w *Writer) writeSegment(ctx context.Context, next *store.Manifest, p *segment.Builder, names *newNames) error {
	o, err := w.segmentOptions()
	if err != nil {
		return err
	}
	number := names.next
	ref, err := p.Write(ctx, w.fs, w.dir, names.take(store.SegmentExtension), o)
	if err != nil {
		return err
	}
	if next.IDF == nil && w.idf != nil {
		name := store.FileName(number, store.IDFExtension)
		names.taken = append(names.taken, name)
		if next.IDF, err = w.writeIDF(name); err != nil {
			return err
		}
	}
	w.own(ref.Name)
	next.Segments = append(next.Segments, ref)
	return nil
}

// writeDeletions writes the documents that are deleted now. Segments without a live document leave the index.
func (w *Writer) writeDeletions(next *store.Manifest, gone *deletions, names *newNames) error {
	var left []segment.Ref
	for i, ref := range next.Segments {
		switch d := gone.of[i]; {
		case gone.whole(i):
			continue
		case d != nil:
			var err error
			if ref.Deleted, err = d.Write(w.fs, w.dir, names.take(store.DeletedExtension)); err != nil {
				return err
			}
		}
		left = append(left, ref)
	}
	next.Segments = slices.Clip(append([]segment.Ref{}, left...))
	return nil
}

// segmentOptions returns the options for the tables and bands of a new segment.
func (w *Writer) segmentOptions() (o segment.WriteOptions, err error) {
	o = segment.WriteOptions{Distance: w.o.Distance, TableBytes: w.o.TableBytes, Threads: w.o.Threads, Explain: w.o.Explain, Phase: w.o.Phase}
	if o.Design, err = blocksDesign(w.manifest); err != nil {
		return o, err
	}
	o.Threshold, o.SetMemory = w.o.Threshold, min(mostCounting, w.o.Memory/4)
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

// unknown returns the pending documents that become a part of the index, and adds to gone those that they replace. It
// counts the documents in r.
func (w *Writer) unknown(gone *deletions, r *Result) (*segment.Builder, error) {
	drop := make([]bool, w.pending.Len())
	var part int // of the document that has the id looked up last
	var doc uint32
	taken := func(id []byte) (of segment.Identity, ok bool, err error) {
		part, doc, ok, err = find(gone.parts, id)
		if !ok || err != nil || gone.of[part] != nil && gone.of[part].Has(gone.parts[part].Deleted().At(doc)) {
			return of, false, err
		}
		of, err = gone.parts[part].Identity(doc)
		return of, true, err
	}
	found := func(i uint32, same, earlier bool) (err error) {
		id := w.pending.ID(i)
		becomes := w.o.OnConflict.of(same && (earlier || !w.renews[string(id)]), earlier || w.owned(gone.parts[part].ref.Name) || w.had(id))
		r.count(becomes)
		if becomes == replaces {
			_, err = gone.add(part, doc)
			return err
		}
		if becomes == refused && w.o.Refused != nil {
			w.o.Refused(id, otherText)
		}
		drop[i] = true
		return nil
	}
	if len(gone.parts) == 0 {
		taken = nil
	}
	if err := mmap.Guarded(func() error { return w.pending.Repeated(w.o.Threads, taken, found) }); err != nil {
		return w.pending, err
	}
	if !slices.Contains(drop, true) {
		return w.pending, nil
	}
	return w.pending.Without(drop), nil
}
