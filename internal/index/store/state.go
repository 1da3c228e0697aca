package store

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"sync"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/wal"
	"simsearch/tables"
)

// A State is an index as it is now: the documents of segments on the disk and of segments in memory, and the fresh
// documents that are in no segment yet. Its documents in memory are those of logs. It is changed by batches, as the
// logs have them, and shows itself as parts that do not change. One goroutine uses it at a time.
type State struct {
	layout  segment.Layout
	options segment.WriteOptions // of segments in memory
	memory  disk.FS
	next    int    // number of the next segment in memory
	Read    int    // documents that batches of logs have deleted or added
	bytes   int64  // of these batches
	notes   *notes // nil if nobody asks for them

	parts []*held // those on the disk, then those in memory

	fresh *segment.Builder
	ids   map[string]uint32 // the live documents of fresh
	dead  []uint32          // the other documents of fresh
	owing *segment.Builder  // ids that are to be deleted from parts, as those of fresh are; nil if none are (see settle)
	most  int               // fresh documents become a segment in memory when there are as many
}

// A held is a part of a state, with the documents that are deleted since it was shown.
type held struct {
	*Part
	gone *segment.Deleted // nil if none have been deleted since
	busy bool             // it is being merged, and stays until that is done
}

// How many documents make a segment in memory, if nobody looks at them before. While logs are read, nobody does, and
// ids are looked up in fewer segments.
const (
	freshDocuments  = 1 << 14
	replayDocuments = 1 << 18
)

// NewState returns a state of parts on the disk, which it has from now on.
func NewState(layout segment.Layout, o segment.WriteOptions, parts []*Part) *State {
	o.Explain, o.Phase = nil, nil
	s := &State{layout: layout, options: o, memory: disk.NewMemory(), most: freshDocuments}
	for _, p := range parts {
		s.parts = append(s.parts, &held{Part: p})
	}
	s.begin()
	return s
}

// begin begins to gather fresh documents.
func (s *State) begin() {
	const never = 1 << 40 // bytes: nothing goes to temporary files, which would be in memory, too
	s.owing = nil
	s.fresh, s.ids, s.dead = segment.NewBuilder(s.memory, ".", s.layout, never), make(map[string]uint32, len(s.ids)), nil
}

// Release releases all parts.
func (s *State) Release() error {
	var errs []error
	for _, h := range s.parts {
		errs = append(errs, h.Release())
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

// Len returns the number of live documents.
func (s *State) Len() int {
	n := len(s.ids)
	for _, h := range s.parts {
		n += int(h.Stored()) - h.deleted().Count()
	}
	return n
}

// A Place is where a live document of a state is. The zero value is nowhere.
type Place struct {
	in    *held  // nil if it is fresh
	doc   uint32 // its number in the file, or among the fresh ones
	There bool   // whether there is such a document
}

// Places are where the documents lie that a batch deletes, and those that its documents replace, before it is applied.
// A document that is deleted first may be among both.
type Places struct {
	Deletes, Documents []Place
}

// owe returns what a batch deletes and replaces of the fresh documents. It leaves to settle what it does of parts.
func (s *State) owe(b *segment.Batch) *Places {
	at := &Places{make([]Place, len(b.Deletes)), make([]Place, len(b.Documents))}
	if s.owing == nil {
		s.owing = segment.NewBuilder(s.memory, ".", segment.Layout{}, 0)
	}
	for i, id := range b.Deletes {
		if at.Deletes[i].doc, at.Deletes[i].There = s.ids[string(id)]; !at.Deletes[i].There {
			s.owing.Add(&segment.Document{ID: id})
		}
	}
	for i := range b.Documents {
		at.Documents[i].doc, at.Documents[i].There = s.ids[string(b.Documents[i].ID)]
	}
	return at
}

// settle deletes from the parts what the batches of logs since the last call delete and replace there. No part has come
// since. So it is all that is called as a document of these batches, and can be looked up in the order of the parts.
func (s *State) settle() error {
	owing := s.owing
	if s.owing = nil; owing == nil {
		return nil
	}
	return disk.Guarded(func() error {
		for _, h := range s.parts {
			for _, b := range []*segment.Builder{owing, s.fresh} {
				h.file.whole.EachStored(b, func(doc uint32) { s.Delete(Place{h, doc, !h.deleted().Has(doc)}) })
			}
		}
		return nil
	})
}

// Find returns the place of the live document called id.
func (s *State) Find(id []byte) Place {
	if doc, ok := s.ids[string(id)]; ok {
		return Place{nil, doc, true}
	}
	hash := segment.HashID(id)
	for _, h := range s.parts {
		doc, ok := h.file.whole.FindStored(id, hash)
		if ok && !h.deleted().Has(doc) {
			return Place{h, doc, true}
		}
	}
	return Place{}
}

// Identity returns the identity of the document at a place.
func (s *State) Identity(at Place) segment.Identity {
	if at.in == nil {
		return s.fresh.Identity(at.doc)
	}
	return at.in.file.whole.Identity(at.doc)
}

// Delete deletes the document at a place, if there is one. Deleting it again does nothing.
func (s *State) Delete(at Place) {
	if !at.There {
		return
	}
	if at.in == nil {
		delete(s.ids, string(s.fresh.ID(at.doc)))
		s.dead = append(s.dead, at.doc)
		return
	}
	h := at.in
	if h.gone == nil {
		if h.gone = segment.NewDeleted(h.Stored()); h.Deleted() != nil {
			h.gone = h.Deleted().Clone()
		}
	}
	h.gone.Delete(at.doc)
}

// Apply makes the changes of a batch: it deletes documents, and then adds documents, which take the places of those
// with the same ids. at says where these are. If it is nil, as for batches of logs, parts have them until settle is
// called.
func (s *State) Apply(ctx context.Context, b *segment.Batch, at *Places) error {
	return disk.Guarded(func() error {
		if at == nil {
			at = s.owe(b)
			s.Read += len(b.Deletes) + len(b.Documents)
		}
		if s.notes != nil {
			s.notes.add(b.Notes)
		}
		for _, gone := range at.Deletes {
			s.Delete(gone)
		}
		first := uint32(s.fresh.Len())
		for i := range b.Documents {
			d := &b.Documents[i]
			s.Delete(at.Documents[i])
			others := len(s.ids)
			if s.ids[string(d.ID)] = first + uint32(i); len(s.ids) == others {
				return fmt.Errorf("%w: a change adds %s twice", section.ErrCorrupt, d.ID)
			}
		}
		for i := range b.Documents {
			s.fresh.Add(&b.Documents[i])
		}
		if s.fresh.Len() < s.most {
			return nil
		}
		return s.freeze(ctx)
	})
}

// freeze makes the fresh documents a segment in memory, and merges such segments by size tiers.
func (s *State) freeze(ctx context.Context) error {
	if err := s.settle(); err != nil {
		return err
	}
	if s.fresh.Len() == 0 {
		return nil
	}
	b := s.fresh
	if len(s.dead) > 0 {
		drop := make([]bool, b.Len())
		for _, doc := range s.dead {
			drop[doc] = true
		}
		var err error
		if b, err = b.Without(drop); err != nil {
			return err
		}
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
func (s *State) write(ctx context.Context, b *segment.Builder) (*held, error) {
	s.next++
	o := s.options
	if s.layout.Bits > 0 && s.layout.Bits <= 64 && o.Design.Width() == 0 { // planning takes longer than the tables of 1,000 documents
		o.Design = designFor(planned{s.layout.Bits, bits.Len(uint(b.Len())), o.Distance, o.TableBytes})
	}
	ref, err := b.Write(ctx, s.memory, ".", fileName(s.next, SegmentExtension), o)
	if err != nil {
		return nil, err
	}
	p, err := openPart(s.memory, ".", ref, s.layout, 0)
	_ = s.memory.Remove(ref.Name) // the map stays as long as the part
	if err != nil {
		return nil, err
	}
	p.Memory = true
	return &held{Part: p}, nil
}

// A planned is what the tables of a segment in memory are planned for: fingerprints of so many bits, at most
// 2^digits-1 of them, searched within a distance.
type planned struct {
	bits, digits, distance int
	tableBytes             float64
}

var designs sync.Map // of tables.Design by planned, for all states: an index has few documents, and a process may have many indexes

func designFor(p planned) tables.Design {
	if d, ok := designs.Load(p); ok {
		return d.(tables.Design)
	}
	d := tables.Choose(p.bits, 1<<p.digits-1, p.distance, p.tableBytes).Design
	designs.Store(p, d)
	return d
}

// Segments in memory are merged as those on the disk, when memoryMergeAt neighbours are of one tier. The lowest tier
// has up to 64 KiB.
const memoryMergeAt = 8

// mergeMemory merges segments in memory until no neighbours are of one size.
func (s *State) mergeMemory(ctx context.Context) error {
	for {
		free := len(s.parts) // where the parts begin that may be merged
		for free > 0 && s.parts[free-1].Memory && !s.parts[free-1].busy {
			free--
		}
		var tiers []int
		for _, h := range s.parts[free:] {
			tiers = append(tiers, tierOf(h.Ref.Bytes, 64<<10))
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
			if err := h.Release(); err != nil {
				return err
			}
		}
		s.parts = slices.Replace(s.parts, from, to, merged...)
	}
}

// Show returns the parts of the state as they are now, for a user that releases them.
func (s *State) Show(ctx context.Context) (parts []*Part, err error) {
	if err := disk.Guarded(func() error { return s.freeze(ctx) }); err != nil {
		return nil, err
	}
	for _, h := range s.parts {
		if h.gone != nil {
			p := *h.Part
			p.Segment = h.file.whole.Less(h.gone)
			h.Part, h.gone = &p, nil
		}
		if h.Documents() > 0 {
			parts = append(parts, h.Hold())
		}
	}
	return parts, nil
}

// Replay applies the changes that lie in the logs of a manifest.
func (s *State) Replay(ctx context.Context, fsys disk.FS, dir string, logs []LogRef) error {
	s.most = replayDocuments
	defer func() { s.most = freshDocuments }()
	for _, l := range logs {
		path := filepath.Join(dir, l.Name)
		_, err := wal.Read(fsys, path, l.Identity, func(payload []byte) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			b, err := segment.DecodeBatch(path, payload, s.layout)
			if err != nil {
				return err
			}
			if len(b.Deletes)+len(b.Documents) > 0 {
				s.bytes += int64(len(payload))
			}
			return s.Apply(ctx, b, nil)
		})
		if err != nil {
			return fmt.Errorf("reading %s: %w", l.Name, err)
		}
	}
	return s.settle()
}
