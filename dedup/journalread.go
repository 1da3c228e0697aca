package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/mmap"
	"simsearch/section"
)

// load takes up the parts that an interrupted run has left, as far as they are whole, and removes the others.
func (j *journal) load(ctx context.Context) error {
	c := j.c
	for number := 1; ; number++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ok, err := j.loadPart(number)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
	}
	if len(j.parts) > 0 {
		if err := removeParts(c.dir, len(j.parts)); err != nil {
			return err
		}
		c.keys.resume(c.documentsBefore(c.refs), c.documentsBefore(j.last.File))
	}
	return j.check()
}

// check returns an error if parts that are whole do not agree, which no run leaves.
func (j *journal) check() error {
	c := j.c
	known := make([]bool, len(c.sizes))
	for _, set := range c.of {
		if set != noSet {
			known[set] = true
		}
	}
	features := uint64(0)
	for i, n := range c.sizes {
		if features += uint64(n); n == 0 || !known[i] && c.parts == nil {
			return fmt.Errorf("%s: %w: set %d has no feature, or no document: remove the directory", c.o.State, section.ErrCorrupt, i)
		}
	}
	if features != c.features || c.documentsBefore(j.last.File) > len(c.of) {
		return fmt.Errorf("%s: %w: the parts of what was read do not agree: remove the directory", c.o.State, section.ErrCorrupt)
	}
	return nil
}

// loadPart takes up a part. It returns false if there is none, or none that is whole.
func (j *journal) loadPart(number int) (ok bool, err error) {
	c := j.c
	m, err := c.dir.Map(partName(number))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	err = mmap.Guarded(func() error {
		f, err := section.Parse(m.Data())
		if err != nil {
			return err
		}
		if err := f.Verify(); err != nil {
			return err
		}
		var h partHeader
		if err := readAbout(f, &h); err != nil {
			return err
		}
		last := j.last
		if h.V != aboutVersion || h.Run != section.Checksum(marshal(c.run)) || h.Number != number || h.Start != last || h.From != last.File || h.End.Documents < last.Documents || h.End.Sets < last.Sets ||
			h.End.File >= len(c.counts) || len(h.Documents) != h.End.File-h.From+1 || len(h.Bad) != len(h.Documents) {
			return f.Corruptf(secAbout, 0, "it is not part %d of this run", number)
		}
		var digests []uint64
		var of savedParts
		if c.parts == nil {
			digests, err = f.Uint64s(secDigestsOfSets, 2*uint64(h.End.Sets-last.Sets))
		} else {
			of, err = c.parts.parse(f, h.End.Documents-last.Documents, h.End.Sets-last.Sets)
		}
		if err != nil {
			return err
		}
		keys, err := c.keys.load(f, h.End.Documents-last.Documents, h.Keys)
		if err != nil {
			return err
		}
		if err := c.readDocuments(f, h.End.Documents-last.Documents, h.End.Sets-last.Sets); err != nil {
			return err
		}
		for at := 0; at < len(digests); at += 2 {
			c.known[analysis.Digest(digests[at:at+2])] = uint32(last.Sets + at/2)
		}
		if c.parts != nil {
			if err := c.parts.load(of); err != nil {
				return err
			}
		}
		c.keys.take(keys, h.Keys)
		copy(c.counts[h.From:], h.Documents)
		copy(c.bad[h.From:], h.Bad)
		c.features = h.End.Features
		j.parts, j.last = append(j.parts, h.End), h.End
		return nil
	})
	if err != nil && isDamage(err) {
		return false, nil
	}
	return err == nil, err
}

// unread yields the documents of the files of p, which are those from first on, that no part has. Those of the last file
// that has been begun are compared with what is known of them; the error is errAnew if they differ.
func (c *Collection) unread(p pass, first int, documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	j := c.journal
	if len(j.parts) == 0 || j.last.File < first {
		return documents
	}
	if j.last.File >= first+len(p.files) {
		p.r.Skip(len(p.files))
		return documents
	}
	p.r.Skip(j.last.File - first)
	next, end := c.documentsBefore(j.last.File), j.last.Documents
	c.counts[j.last.File], c.bad[j.last.File] = 0, 0
	path := c.files[j.last.File].Path
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil && next < end {
				if doc.Source != path || c.digests[next] != digestOf(doc) || string(c.id(uint32(next))) != string(doc.ID) {
					yield(nil, fmt.Errorf("%s: %w", path, errAnew))
					return
				}
				next++
				continue
			}
			if !yield(doc, err) {
				return
			}
		}
		if next < end {
			yield(nil, fmt.Errorf("%s: %w", path, errAnew))
		}
	}
}
