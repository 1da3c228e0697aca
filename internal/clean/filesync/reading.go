package filesync

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/index"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
)

// Opening is corpus.Options.Opening: it lets the files be read that have changed.
func (s *Sync) Opening(found corpus.File) (bool, error) {
	s.finish()
	f := s.byName[s.r.Name(found.Path)]
	if f == nil || !f.pending || f.path != found.Path {
		s.Unread += found.Size
		return false, nil
	}
	f.pending = false
	next := index.CatalogueFile{Path: f.Path}
	err := stat(s.ctx, f.path, &next)
	if err == nil {
		next.Digest, err = digest(s.ctx, f.path)
	}
	if err != nil {
		s.fail(f, err)
		return false, err
	}
	next.Again = next.Changed >= s.racy
	if f.known && f.Read && f.Digest == next.Digest && !f.losing(s.dropped) {
		if f.Changed != next.Changed {
			s.Touched++
		}
		if f.Changed != next.Changed || f.Again != next.Again {
			s.dirty = true
		}
		f.Size, f.Changed, f.Again = next.Size, next.Changed, next.Again
		s.claimAgain(f)
		s.Unread += found.Size
		return false, nil
	}
	s.claimAll()
	f.next, f.bad, f.broken, f.seen = next, false, false, map[string]bool{}
	s.now = f
	return true, nil
}

// digest returns the digest of the contents of a file. ctx is looked at between two parts of it.
func digest(ctx context.Context, path string) (d store.FileDigest, err error) {
	f, err := objects.Open(ctx, path)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(hash, f, 4<<20)
	}
	if errors.Is(err, io.EOF) {
		return store.FileDigest(hash.Sum(nil)), nil
	}
	return d, cmp.Or(err, context.Cause(ctx))
}

// changed reports whether the contents of the file that is read are not those that the catalogue says, as far as it
// does.
func (f *file) changed() bool {
	if f.Added {
		return f.Size != f.next.Size || f.Changed != f.next.Changed
	}
	return f.Digest != f.next.Digest
}

// stat takes the size and the time of a file. The error says that it is no file that can be read again.
func stat(ctx context.Context, path string, into *index.CatalogueFile) error {
	info, err := objects.Stat(ctx, path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &os.PathError{Op: "stat", Path: path, Err: errors.New("not a regular file")}
	}
	into.Size, into.Changed = info.Size(), nanoseconds(disk.Changed(info))
	return nil
}

// fail takes note of a file that cannot be read. If it is a directory, the files in it are as unknown as it is.
func (s *Sync) fail(f *file, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.Failed++
	if info, err := objects.Stat(s.ctx, f.path); err == nil && info.IsDir() {
		s.blocked = append(s.blocked, strings.TrimSuffix(f.Path, "/")+"/")
	}
	s.readLater(f)
	s.claimAgain(f)
}

// readLater makes the next run read a file that has been read, whatever its size and time.
func (s *Sync) readLater(f *file) {
	if f.known && f.Read {
		f.Read, s.dirty = false, true
	}
}

// Bad is intake.Intake.Failed.
func (s *Sync) Bad(err *corpus.BadError) {
	if s.now == nil || s.now.path != err.Path {
		return
	}
	s.now.bad = true
	if err.Line == 0 {
		s.now.broken = true
	}
}

// Part yields those of the documents of the Reader of Use that the index is to have, until full reports that they are
// enough and a file is at its end. It sets more if others may follow, which the next Part yields.
func (s *Sync) Part(documents document.Seq, full func(*document.Document) bool, more *bool) document.Seq {
	return func(yield func(*document.Document, error) bool) {
		*more = false
		enough := false
		var last *file
		pass := func(doc *document.Document) bool {
			last = s.now
			if !s.claim(doc) {
				return true
			}
			enough = full(doc) || enough
			return yield(doc, nil)
		}
		if doc := s.held; doc != nil {
			if s.held = nil; !pass(doc) {
				return
			}
		}
		for doc, err := range documents {
			if err != nil {
				yield(nil, err)
				return
			}
			if enough && s.now != last {
				s.held, *more = doc, true
				return
			}
			if !pass(doc) {
				return
			}
		}
		s.finish()
	}
}

// claim takes note of a document of the file that is read. The text of a file that is one document is renewed even if
// its words are the same. It reports whether the index is to have it.
func (s *Sync) claim(doc *document.Document) bool {
	f := s.now
	id := string(doc.ID)
	f.note(id)
	if at, ok := s.first(id); ok && at < f.at {
		s.Repeated++
		return false
	}
	if id == f.Path && f.known && f.changed() {
		s.renews = append(s.renews, id)
	}
	return true
}

// note adds an id to those of the file that is read.
func (f *file) note(id string) {
	if !f.seen[id] {
		f.next.IDs.Add([]byte(id))
		f.seen[id] = true
	}
}

// finish ends the file that is being read: it claims the ids of its documents, and gives up the others that it had.
func (s *Sync) finish() {
	f := s.now
	if f == nil {
		return
	}
	s.now = nil
	if f.broken && f.next.IDs.Len() == 0 {
		s.fail(f, nil)
		return
	}
	after := index.CatalogueFile{}
	same := stat(s.ctx, f.path, &after) == nil && after.Size == f.next.Size && after.Changed == f.next.Changed
	if !same {
		s.Meanwhile++
		f.next.Digest = store.FileDigest{} // that of the documents is not known
	}
	f.next.Read = same && !f.bad
	old := f.ids()
	if f.broken { // what could not be read stays
		s.Failed++
		for _, id := range old {
			f.note(id)
		}
	}
	var lost []string
	for _, id := range old {
		if !f.seen[id] {
			lost = append(lost, id)
		}
		s.claims.remove(id, f.at)
	}
	if f.next.IDs.Is(f.Path) {
		f.next.Whole, f.next.IDs = true, segment.IDList{}
	}
	if f.known && !f.Added {
		s.Changed++
	} else {
		s.New++
		f.added = true
	}
	f.CatalogueFile, f.next, f.seen = f.next, index.CatalogueFile{}, nil
	f.known, s.dirty = true, true
	for id := range f.IDs.All() {
		s.claims.add(id, f.at)
	}
	s.giveUp(lost, f.at)
}
