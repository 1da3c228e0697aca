package segment

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/section"
)

// Examine calls bad with all that is wrong with the segment of ref in dir: blocks that fail their checksums and, if there
// are none, what breaks another rule of docs/FORMAT.md. The errors are *section.CorruptError with the name of the file,
// or those of the file system. It returns the segment, which the caller closes, if nothing is wrong with it, and else
// nil. err is the cause of ctx.
//
// It reads the whole file, and takes a bit a document and the memory of one text.
func Examine(ctx context.Context, fsys disk.FS, dir string, ref Ref, layout Layout, bad func(error)) (s *Segment, err error) {
	path := filepath.Join(dir, ref.Name)
	m, err := Map(fsys, path)
	if err != nil {
		bad(&section.CorruptError{File: path, Offset: -1, Reason: err.Error()})
		return nil, nil
	}
	sound := true
	note := func(err error) {
		if err != nil {
			sound = false
			bad(section.InFile(path, err))
		}
	}
	s = &Segment{path: path, m: m}
	note(mmap.Guarded(func() error {
		f, err := section.ParseKnown(m.Data(), ref.Bytes, ref.Digest)
		if err != nil {
			return err
		}
		if f.Damages(note); !sound {
			return nil
		}
		if err := s.load(ref, layout, 0); err != nil {
			return err
		}
		return s.check(ctx, note)
	}))
	if ctx.Err() != nil {
		_ = m.Close() // opened for reading: there is nothing to lose
		return nil, context.Cause(ctx)
	}
	if !sound {
		return nil, m.Close()
	}
	return s, nil
}

// A bitmap is a set of documents.
type bitmap []uint64

func newBitmap(n uint64) bitmap { return make(bitmap, (n+63)/64) }

// add adds document doc, and reports whether it was not there.
func (b bitmap) add(doc uint32) bool {
	bit := uint64(1) << (doc % 64)
	was := b[doc/64]&bit != 0
	b[doc/64] |= bit
	return !was
}

// check calls bad with what is wrong with s, whose bytes have passed their checksums: one error for each part.
func (s *Segment) check(ctx context.Context, bad func(error)) error {
	checks := []func() error{s.checkIDs, s.checkEmpty}
	if s.tables != nil {
		checks = append(checks, s.checkGroups, s.tables.Check)
	}
	if s.sets != nil {
		checks = append(checks, s.checkSetGroups, func() error { return s.checkSets(ctx) })
		if s.sets.bands != nil {
			checks = append(checks, s.sets.bands.Check)
		}
	}
	checks = append(checks, func() error { return s.checkKept(ctx) })
	for _, check := range checks {
		if ctx.Err() != nil {
			return nil
		}
		if err := check(); !errors.Is(err, context.Cause(ctx)) || ctx.Err() == nil {
			bad(err)
		}
	}
	return nil
}

// checkIDs checks that ids are ids, and are found by the order of their hashes, each once.
func (s *Segment) checkIDs() error {
	x := &s.ids
	if end := x.ends.All[s.documents-1]; end != uint64(x.bytes.Len()) {
		return x.ends.Corruptf(s.documents-1, "the ids end at byte %d of %d", end, x.bytes.Len())
	}
	seen := newBitmap(s.documents)
	for i, hash := range x.hashes.All {
		if i > 0 && hash < x.hashes.All[i-1] {
			return x.hashes.Corruptf(uint64(i), "%#x is behind %#x", hash, x.hashes.All[i-1])
		}
		doc := x.order.All[i]
		if uint64(doc) >= s.documents || !seen.add(doc) {
			return x.order.Corruptf(uint64(i), "document %d of %d, or a second time", doc, s.documents)
		}
		id, err := s.storedID(doc)
		if err != nil {
			return err
		}
		if why := BadID(id); why != "" {
			return x.ends.Corruptf(uint64(doc), "document %d: %s", doc, why)
		}
		if HashID(id) != hash {
			return x.hashes.Corruptf(uint64(i), "%#x is not the hash of the id of document %d", hash, doc)
		}
		for j := i - 1; j >= 0 && x.hashes.All[j] == hash; j-- {
			if other, err := s.storedID(x.order.All[j]); err != nil || bytes.Equal(other, id) {
				return errors.Join(err, x.order.Corruptf(uint64(i), "documents %d and %d have one id", x.order.All[j], doc))
			}
		}
	}
	return nil
}

// checkEmpty checks that the empty documents ascend.
func (s *Segment) checkEmpty() error {
	for i, doc := range s.empty.All {
		if uint64(doc) >= s.documents || i > 0 && doc <= s.empty.All[i-1] {
			return s.empty.Corruptf(uint64(i), "document %d of %d, not in order", doc, s.documents)
		}
	}
	return nil
}

// checkGroups checks that the groups have each document that is not empty, by its fingerprint.
func (s *Segment) checkGroups() error {
	seen := newBitmap(s.documents)
	for _, doc := range s.empty.All {
		if uint64(doc) >= s.documents {
			return nil // checkEmpty says so
		}
		if seen.add(doc); s.fingerprints.All[doc] != 0 {
			return s.fingerprints.Corruptf(uint64(doc), "document %d is empty, and has a fingerprint", doc)
		}
	}
	return s.checkMembers(&s.groups, seen, func(group, doc uint32) error {
		if fp, value := s.fingerprints.All[doc], s.tables.Values()[group]; fp != value {
			return s.fingerprints.Corruptf(uint64(doc), "document %d has fingerprint %#x, its group %#x", doc, fp, value)
		}
		return nil
	})
}

// checkMembers checks that groups have ascending documents that are not in seen, each once, and calls each with them.
func (s *Segment) checkMembers(g *Groups, seen bitmap, each func(group, doc uint32) error) error {
	at := 0
	for group := range g.ends.Len() - 1 {
		if lo := int(g.ends.All[group]); lo != at {
			return g.ends.Corruptf(uint64(group), "group %d begins at %d, want %d", group, lo, at)
		}
		members, err := g.members(s.path, uint32(group), s.documents)
		if err != nil {
			return err
		}
		for i, doc := range members {
			if i > 0 && doc <= members[i-1] || !seen.add(doc) {
				return g.member.Corruptf(uint64(at+i), "document %d is not in order, or has two groups", doc)
			}
			if err := each(uint32(group), doc); err != nil {
				return err
			}
		}
		at += len(members)
	}
	if at != g.member.Len() {
		return g.ends.Corruptf(uint64(g.ends.Len()-1), "the groups end at %d of %d", at, g.member.Len())
	}
	return nil
}

// checkSetGroups checks that the groups of sets have each document with a set.
func (s *Segment) checkSetGroups() error {
	seen := newBitmap(s.documents)
	with := 0
	for doc, set := range s.sets.of.All {
		switch {
		case set == NoSet:
			seen.add(uint32(doc))
		case uint64(set) >= uint64(s.sets.n):
			return s.sets.of.Corruptf(uint64(doc), "set %d of %d", set, s.sets.n)
		default:
			with++
		}
	}
	if with != s.sets.groups.member.Len() {
		return s.sets.of.Corruptf(0, "%d documents have sets, and %d are in groups", with, s.sets.groups.member.Len())
	}
	return s.checkMembers(&s.sets.groups, seen, func(group, doc uint32) error {
		if set := s.sets.of.All[doc]; set != group {
			return s.sets.of.Corruptf(uint64(doc), "document %d has set %d, and is in the group of set %d", doc, set, group)
		}
		return nil
	})
}

// checkSets checks that the features of each set ascend.
func (s *Segment) checkSets(ctx context.Context) error {
	var features []uint64
	for set := range uint32(s.sets.n) {
		if set%flushEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		if features, err = s.sets.AppendSet(features[:0], set); err != nil {
			return err
		}
		for i := 1; i < len(features); i++ {
			if features[i] <= features[i-1] {
				return s.f.Corruptf(secDigests, 16*uint64(set), "the features of set %d do not ascend", set)
			}
		}
	}
	return nil
}

// checkKept checks that texts, fields and sources can be read.
func (s *Segment) checkKept(ctx context.Context) error {
	for doc := range uint32(s.documents) {
		if doc%flushEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, t := range []*texts{s.texts, s.fields} {
			if t == nil {
				continue
			}
			if _, _, err := t.of(doc); err != nil {
				return err
			}
		}
		if s.sources != nil {
			if _, _, err := s.sources.of(doc); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckDeleted returns an error if d, which is that of the file of s, counts its documents without features wrongly.
// path is the file of d.
func (s *Segment) CheckDeleted(d *Deleted, path string) error {
	empties := uint32(0)
	for doc := range uint32(s.documents) {
		if !d.Has(doc) {
			continue
		}
		empty, err := s.emptyDocument(doc)
		if err != nil {
			return err
		}
		if empty {
			empties++
		}
	}
	if empties != d.empties {
		return &section.CorruptError{File: path, Section: secDeletedCounts, Offset: -1, Reason: "the number of deleted documents without features is wrong"}
	}
	return nil
}

// EachShared calls do with the id of each document that is live in two of the segments, which must have been examined.
// It merges the orders of their ids.
func EachShared(segments []*Segment, do func(id []byte, a, b *Segment)) error {
	at := make([]uint64, len(segments))
	type live struct {
		id []byte
		in *Segment
	}
	for {
		least, ok := uint64(0), false
		for i, s := range segments {
			if at[i] < s.documents && (!ok || s.ids.hashes.All[at[i]] < least) {
				least, ok = s.ids.hashes.All[at[i]], true
			}
		}
		if !ok {
			return nil
		}
		var same []live
		for i, s := range segments {
			for ; at[i] < s.documents && s.ids.hashes.All[at[i]] == least; at[i]++ {
				doc := s.ids.order.All[at[i]]
				if s.deleted.Has(doc) {
					continue
				}
				id, err := s.storedID(doc)
				if err != nil {
					return err
				}
				for _, other := range same {
					if bytes.Equal(other.id, id) {
						do(id, other.in, s)
					}
				}
				same = append(same, live{id, s})
			}
		}
	}
}
