package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/manifest"
	"simsearch/internal/mmap"
	"simsearch/internal/segment"
)

// A state is an index as it is now: the documents of segments on the disk and of segments in memory, and the fresh
// documents that are in no segment yet. Its documents in memory are those of logs. It is changed by batches, as the
// logs have them, and shows itself as parts that do not change. One goroutine uses it at a time.
type state struct {
	layout  segment.Layout
	options segment.WriteOptions // of segments in memory
	memory  disk.FS
	next    int // number of the next segment in memory

	parts []*held // those on the disk, then those in memory

	fresh *segment.Builder
	ids   map[string]uint32 // the live documents of fresh
	dead  []uint32          // the other documents of fresh
	most  int               // fresh documents become a segment in memory when there are as many
}

// A held is a part of a state, with the documents that are deleted since it was shown.
type held struct {
	*part
	gone *segment.Deleted // nil if none have been deleted since
	busy bool             // it is being merged, and stays until that is done
}

// How many documents make a segment in memory, if nobody looks at them before. While logs are read, nobody does, and
// ids are looked up in fewer segments.
const (
	freshDocuments  = 1 << 14
	replayDocuments = 1 << 18
)

// newState returns a state of parts on the disk, which it has from now on.
func newState(layout segment.Layout, o segment.WriteOptions, parts []*part) *state {
	o.Explain, o.Phase = nil, nil
	s := &state{layout: layout, options: o, memory: disk.NewMemory(), most: freshDocuments}
	for _, p := range parts {
		s.parts = append(s.parts, &held{part: p})
	}
	s.begin()
	return s
}

// begin begins to gather fresh documents.
func (s *state) begin() {
	const never = 1 << 40 // bytes: nothing goes to temporary files, which would be in memory, too
	s.fresh, s.ids, s.dead = segment.NewBuilder(s.memory, ".", s.layout, never), map[string]uint32{}, nil
}

// release releases all parts.
func (s *state) release() error {
	var errs []error
	for _, h := range s.parts {
		errs = append(errs, h.release())
	}
	s.parts = nil
	return errors.Join(append(errs, s.fresh.Close())...)
}

// deleted returns the deleted documents of h, as they are now.
func (h *held) deleted() *segment.Deleted {
	if h.gone != nil {
		return h.gone
	}
	return h.Deleted()
}

// A place is where a live document of a state is.
type place struct {
	in  *held  // nil if it is fresh
	doc uint32 // its number in the file, or among the fresh ones
}

// find returns the place of the live document called id. ok is false if there is none.
func (s *state) find(id []byte) (at place, ok bool, err error) {
	if doc, ok := s.ids[string(id)]; ok {
		return place{nil, doc}, true, nil
	}
	for _, h := range s.parts {
		doc, ok, err := h.file.whole.FindStored(id)
		if err != nil {
			return place{}, false, err
		}
		if ok && !h.deleted().Has(doc) {
			return place{h, doc}, true, nil
		}
	}
	return place{}, false, nil
}

// identity returns the identity of the document at a place.
func (s *state) identity(at place) (segment.Identity, error) {
	if at.in == nil {
		return s.fresh.Identity(at.doc), nil
	}
	return at.in.file.whole.Identity(at.doc)
}

// delete deletes the document at a place.
func (s *state) delete(at place) error {
	if at.in == nil {
		delete(s.ids, string(s.fresh.ID(at.doc)))
		s.dead = append(s.dead, at.doc)
		return nil
	}
	h := at.in
	if h.gone == nil {
		if h.gone = segment.NewDeleted(h.Stored()); h.Deleted() != nil {
			h.gone = h.Deleted().Clone()
		}
	}
	_, err := h.file.whole.Delete(h.gone, at.doc)
	return err
}

// apply makes the changes of a batch: it deletes documents, and then adds documents, which take the places of those
// with the same ids.
func (s *state) apply(ctx context.Context, b *segment.Batch) error {
	return mmap.Guarded(func() error {
		remove := func(id []byte) error {
			at, ok, err := s.find(id)
			if ok && err == nil {
				err = s.delete(at)
			}
			return err
		}
		for _, id := range b.Deletes {
			if err := remove(id); err != nil {
				return err
			}
		}
		first := uint32(s.fresh.Len())
		for i := range b.Documents {
			d := &b.Documents[i]
			if earlier, ok := s.ids[string(d.ID)]; ok && earlier >= first {
				return fmt.Errorf("%w: a change adds %s twice", ErrCorrupt, d.ID)
			}
			if err := remove(d.ID); err != nil {
				return err
			}
			s.ids[string(d.ID)] = first + uint32(i)
		}
		s.fresh.AddBatch(b)
		if s.fresh.Len() < s.most {
			return nil
		}
		return s.freeze(ctx)
	})
}

// freeze makes the fresh documents a segment in memory, and merges such segments by size tiers.
func (s *state) freeze(ctx context.Context) error {
	if s.fresh.Len() == 0 {
		return nil
	}
	b := s.fresh
	if len(s.dead) > 0 {
		drop := make([]bool, b.Len())
		for _, doc := range s.dead {
			drop[doc] = true
		}
		b = b.Without(drop)
	}
	if b.Len() > 0 {
		p, err := s.write(ctx, b)
		if err != nil {
			return err
		}
		s.parts = append(s.parts, p)
	}
	_ = s.fresh.Close()
	s.begin()
	return s.mergeMemory(ctx)
}

// write writes the documents of b as a segment in memory.
func (s *state) write(ctx context.Context, b *segment.Builder) (*held, error) {
	s.next++
	ref, err := b.Write(ctx, s.memory, ".", manifest.FileName(s.next, manifest.SegmentExtension), s.options)
	if err != nil {
		return nil, err
	}
	p, err := openPart(s.memory, ".", ref, s.layout, 0)
	_ = s.memory.Remove(ref.Name) // the map stays as long as the part
	if err != nil {
		return nil, err
	}
	p.memory = true
	return &held{part: p}, nil
}

// Segments in memory are merged as those on the disk, when memoryMergeAt neighbours are of one tier. The lowest tier has
// up to 64 KiB.
const memoryMergeAt = 8

// mergeMemory merges segments in memory until no neighbours are of one size.
func (s *state) mergeMemory(ctx context.Context) error {
	for {
		free := len(s.parts) // where the parts begin that may be merged
		for free > 0 && s.parts[free-1].memory && !s.parts[free-1].busy {
			free--
		}
		var tiers []int
		for _, h := range s.parts[free:] {
			tiers = append(tiers, tierOf(h.ref.Bytes, 64<<10))
		}
		from, to := sameTier(tiers, memoryMergeAt)
		if to == 0 {
			return nil
		}
		from, to = free+from, free+to
		b := segment.NewBuilder(s.memory, ".", s.layout, 1<<40)
		for _, h := range s.parts[from:to] {
			if err := b.AddSegment(ctx, h.file.whole.Less(h.deleted())); err != nil {
				return err
			}
		}
		merged := []*held{}
		if b.Len() > 0 {
			p, err := s.write(ctx, b)
			if err != nil {
				return err
			}
			merged = append(merged, p)
		}
		for _, h := range s.parts[from:to] {
			if err := h.release(); err != nil {
				return err
			}
		}
		s.parts = slices.Replace(s.parts, from, to, merged...)
	}
}

// show returns the parts of the state as they are now, for a user that releases them.
func (s *state) show(ctx context.Context) (parts []*part, err error) {
	if err := mmap.Guarded(func() error { return s.freeze(ctx) }); err != nil {
		return nil, err
	}
	for _, h := range s.parts {
		if h.gone != nil {
			p := *h.part
			p.Segment = h.file.whole.Less(h.gone)
			h.part, h.gone = &p, nil
		}
		if h.Documents() > 0 {
			parts = append(parts, h.hold())
		}
	}
	return parts, nil
}

// replay applies the changes that lie in the logs of a manifest.
func (s *state) replay(ctx context.Context, fsys disk.FS, dir string, logs []manifest.LogRef) error {
	s.most = replayDocuments
	defer func() { s.most = freshDocuments }()
	for _, l := range logs {
		if err := newLogReader(fsys, dir, l).apply(ctx, s); err != nil {
			return fmt.Errorf("reading %s: %w", l.Name, err)
		}
	}
	return nil
}
