package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
)

// A Result says what Commit has done with the documents added.
type Result struct {
	Added     int // documents in the new segment, empty ones included
	Empty     int // of these, documents without features
	Unchanged int // documents that the index had already, under the same id
	Refused   int // documents that were left out, as WriterOptions.Refused is told
}

// Commit makes the documents added since the last Commit a part of the index: a new
// segment, or none if there is nothing new. When it returns without an error they
// are durable. An id names one document: a second one with the same id is Unchanged if it has
// the same text, else Refused.
//
// After an error the index and the Writer are as they were, and Commit can be called again. But
// where nobody can say what has reached the disk (a sync has failed), the Writer refuses
// everything from then on: the index, opened anew, has all of the documents or none.
//
// A commit takes three steps, each durable before the next: a manifest that reserves the number
// of the segment, the segment, a manifest that names it. So a number is never used twice, and what
// is found under a reserved number that is not named was never a part of the index.
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
	_ = w.pending.sets.features.close() // the documents are durable; nothing is lost with a temporary file
	w.manifest, w.pending, w.refused = next, w.nothingPending(), 0
	return r, nil
}

// commit does what Commit says and returns the manifest that the index has then.
func (w *Writer) commit(ctx context.Context) (Result, *manifest, error) {
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
	if r.Added = p.len(); r.Added == 0 {
		return r, w.manifest, context.Cause(ctx)
	}
	if uint64(old.total)+uint64(r.Added) > maxDocuments {
		return r, nil, fmt.Errorf("the index would have more than %d documents", uint64(maxDocuments))
	}
	if ctx.Err() != nil {
		return r, nil, context.Cause(ctx)
	}
	r.Empty = len(p.empty)
	number, err := w.reserve()
	if err != nil {
		return r, nil, err
	}
	next, err := w.writeFiles(ctx, p, number)
	if err == nil {
		err = next.write(w.fs, w.dir)
	}
	if err != nil && !errors.Is(err, disk.ErrUncertain) {
		for _, extension := range []string{segmentExtension, idfExtension} {
			_ = w.fs.Remove(filepath.Join(w.dir, fileName(number, extension))) // else the next writer does it
		}
	}
	return r, next, err
}

// reserve takes the next number for the files of a commit, durably. It begins the index if there
// is none.
func (w *Writer) reserve() (int, error) {
	begins := !w.hasManifest()
	if begins {
		for _, dir := range w.made {
			if err := w.fs.SyncDir(filepath.Dir(dir)); err != nil {
				return 0, fmt.Errorf("%w: %w", disk.ErrUncertain, err)
			}
		}
	}
	number := w.manifest.Next
	next := *w.manifest
	next.Next++
	if err := next.write(w.fs, w.dir); err != nil {
		return 0, err
	}
	w.manifest, w.begun = &next, w.begun || begins
	return number, nil
}

// writeFiles writes the files of a commit and returns the manifest that names them.
func (w *Writer) writeFiles(ctx context.Context, p *pending, number int) (*manifest, error) {
	next := *w.manifest
	ref, err := w.writeSegment(ctx, p, fileName(number, segmentExtension))
	if err != nil {
		return nil, err
	}
	if next.IDF == nil && w.idf != nil {
		if next.IDF, err = w.writeIDF(fileName(number, idfExtension)); err != nil {
			return nil, err
		}
	}
	next.Segments = append(slices.Clone(w.manifest.Segments), ref)
	return &next, nil
}
