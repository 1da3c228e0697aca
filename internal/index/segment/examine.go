package segment

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// Examine calls bad with all that is wrong with the segment of ref in dir: blocks that fail their checksums and, if
// there are none, what breaks another rule of internal/ground/section/FORMAT.md. The errors are *section.CorruptError
// with the name of the file, or those of the file system. It returns the segment, which the caller closes, if nothing
// is wrong with it, and else nil. err is the cause of ctx.
//
// It reads the whole file, and takes a bit a document and the memory of one text.
func Examine(ctx context.Context, fsys disk.FS, dir string, ref Ref, layout Layout, bad func(error)) (s *Segment, err error) {
	s = &Segment{path: filepath.Join(dir, ref.Name)}
	sound := true
	note := func(err error) {
		if err != nil {
			sound = false
			bad(section.InFile(s.path, err))
		}
	}
	s.m, err = OpenFile(fsys, s.path, ref.Bytes, ref.Digest, false, func(f *section.File) {
		if f.Damages(note); sound {
			s.load(f, ref, layout, false)
			check(ctx, s, note)
		}
	})
	if err != nil {
		note(err)
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), s.Close())
	}
	if !sound {
		return nil, s.Close()
	}
	return s, nil
}

// check calls bad with what is wrong with s, whose bytes have passed their checksums: one error for each part.
func check(ctx context.Context, s *Segment, bad func(error)) {
	checks := []func() error{s.ids.check}
	switch {
	case s.wide != nil:
		checks = append(checks, s.prints.Check, s.wide.Check)
	case s.tables != nil:
		checks = append(checks, s.prints.Check, s.tables.Check)
	}
	if s.sets != nil {
		checks = append(checks, s.sets.groups.Check, func() error { return s.sets.check(ctx) })
		if s.sets.bands != nil {
			checks = append(checks, s.sets.bands.Check)
		}
	}
	if s.passages != nil {
		checks = append(checks, s.passages.Check)
	}
	checks = append(checks, func() error { return checkKept(ctx, s) })
	for _, check := range checks {
		var err error
		if damage := section.DamageOf(func() { err = check() }); ctx.Err() == nil {
			bad(cmp.Or(damage, err))
		}
	}
}

// check checks that ids are ids, and are found by the order of their hashes, each once.
func (x *ids) check() error {
	if x.rows != nil {
		return nil // they were checked when they were loaded
	}
	n := uint64(x.ends.Len())
	if end := x.ends.All[n-1]; end != uint64(x.bytes.Len()) {
		return x.ends.Corruptf(n-1, "the ids end at byte %d of %d", end, x.bytes.Len())
	}
	seen := ints.NewNumberedSet(int(n))
	for i, hash := range x.hashes.All {
		if i > 0 && hash < x.hashes.All[i-1] {
			return x.hashes.Corruptf(uint64(i), "%#x is behind %#x", hash, x.hashes.All[i-1])
		}
		doc := x.order.All[i]
		if uint64(doc) >= n || !seen.Add(doc) {
			return x.order.Corruptf(uint64(i), "document %d of %d, or a second time", doc, n)
		}
		id := x.at(uint64(doc))
		if why := BadID(id); why != "" {
			return x.ends.Corruptf(uint64(doc), "document %d: %s", doc, why)
		}
		if HashID(id) != hash {
			return x.hashes.Corruptf(uint64(i), "%#x is not the hash of the id of document %d", hash, doc)
		}
		for j := i - 1; j >= 0 && x.hashes.All[j] == hash; j-- {
			if bytes.Equal(x.at(uint64(x.order.All[j])), id) {
				return x.order.Corruptf(uint64(i), "documents %d and %d have one id", x.order.All[j], doc)
			}
		}
	}
	return nil
}

// check checks that the features of each set ascend.
func (s *Sets) check(ctx context.Context) (err error) {
	var features []uint64
	for set := range uint32(s.Len()) {
		if set%flushEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		features = s.AppendSet(features[:0], set)
		for i := 1; i < len(features); i++ {
			if features[i] <= features[i-1] {
				return s.digests.Corruptf(2*uint64(set), "the features of set %d do not ascend", set)
			}
		}
	}
	return nil
}

// checkKept checks that what is kept of documents can be read.
func checkKept(ctx context.Context, s *Segment) error {
	for doc := range uint32(s.documents) {
		if doc%flushEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.texts.of(doc)
		s.fields.of(doc)
	}
	return nil
}
