package segment

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/bulk"
	"simsearch/internal/match/sequences"
	"simsearch/tables"
)

// flushEvery is how many documents AddSegment adds before it flushes and looks at the context again.
const flushEvery = 1 << 9

// AddSegment adds the live documents of s, in their order, with all that the layout of b keeps. Merging segments
// is adding them to one Builder. The error is section.ErrCorrupt, that of a temporary file, or the cause of ctx.
func (b *Builder) AddSegment(ctx context.Context, s *Segment) (err error) {
	var rest Remnant
	if b.layout.Texts {
		if rest.Texts, err = s.texts.take(s, s.HasPassages()); err != nil {
			return s.InFile(err)
		}
	}
	if b.layout.Fields {
		if rest.Fields, err = s.fields.take(s, false); err != nil {
			return s.InFile(err)
		}
	}
	r := reader{s: s, layout: b.layout, known: &b.sets}
	added := 0
	for doc := range uint32(s.documents) {
		if s.deleted.Has(doc) {
			continue
		}
		if added%flushEvery == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := b.Flush(); err != nil {
				return err
			}
		}
		if r.read(doc, &rest); rest.Bad != nil {
			return s.InFile(rest.Bad)
		}
		rest.Number = added
		b.Add(&rest.Document)
		added++
	}
	return b.Flush()
}

// A reader reads the documents of a file.
type reader struct {
	s      *Segment
	layout Layout
	known  *setBuilder // sets whose features are not wanted; nil has none

	cursor  *bulk.Cursor  // of the groups of fingerprints, nil before it is needed
	damaged bool          // what is lost is looked for in other sections
	prints  *bulk.Inverse // of the groups of fingerprints, nil before it is needed
	sets    *bulk.Inverse // of the groups of sets
	// salvaged are the fingerprints of the groups, once one cannot be read: nil if not all can be found.
	salvaged func() []uint64
}

// A Remnant is what can be read of a document. Its slices are parts of the file.
type Remnant struct {
	Document        // without texts
	Kept     Kept   // zero if nothing is kept
	Values   []byte // of the fields, nil if there are none

	Bad    error    // why the id, the fingerprint or the set cannot be read; the id is nil if it is that
	Resign bool     // the signature is lost, and can be made of the set
	Lost   []string // what else is lost: "text", "fields", "source"
}

// read reads the id of document doc of the file, its fingerprint and its set.
func (d *reader) read(doc uint32, r *Remnant) {
	if r.ID, r.Bad = d.s.storedID(doc); r.Bad != nil {
		r.ID = nil
		return
	}
	if why := BadID(r.ID); why != "" {
		r.ID, r.Bad = nil, d.s.f.Corruptf(d.s.ids.section(), uint64(doc), "document %d: %s", doc, why)
		return
	}
	if d.layout.Bits > 0 {
		var group uint32
		if group, r.HasFingerprint, r.Bad = d.group(&d.s.prints, &d.prints, doc); r.HasFingerprint {
			var fp document.Long
			fp, r.Bad = d.fingerprint(group)
			r.Fingerprint, r.More = fp.Parts()
		}
	}
	if d.layout.Sets && r.Bad == nil {
		r.Bad = d.set(doc, r)
	}
	if d.layout.Passages && r.Bad == nil && !d.damaged {
		r.Words, r.Bad = d.s.passages.Codes(doc)
	}
}

// fingerprint returns the fingerprint of a group, by whichever table has it.
func (d *reader) fingerprint(group uint32) (document.Long, error) {
	fp, err := d.s.value(group)
	if err != nil && d.damaged && !d.layout.isWide() {
		if values := d.salvaged(); values != nil {
			return document.Long{values[group]}, nil
		}
	}
	return fp, err
}

// set reads the set of a document.
func (d *reader) set(doc uint32, r *Remnant) error {
	s := d.s.sets
	r.Set, r.Digest, r.Signature, r.Resign = r.Set[:0], Digest{}, nil, false
	set, has, err := d.group(&s.groups, &d.sets, doc)
	if !has {
		return err
	}
	r.Digest, err = s.Digest(set)
	if err != nil && !d.damaged {
		return err
	}
	lost := err != nil
	if d.known != nil && !lost && d.known.has(r.Digest) {
		return nil
	}
	if s.coded == nil {
		return s.digests.Corruptf(2*uint64(set), "the vocabulary is damaged")
	}
	if r.Set, err = s.AppendSet(r.Set, set); err != nil {
		return err
	}
	if lost {
		b := make([]byte, 0, 8*len(r.Set))
		for _, x := range r.Set {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		r.Digest[0], r.Digest[1] = murmur3.Sum128(b)
	}
	if s.positions > 0 {
		if r.Signature, err = s.Signature(set); err != nil && d.damaged {
			r.Signature, r.Resign, err = nil, true, nil
		}
	}
	return err
}

// group returns the group of a document, by whichever section tells it. ok is false if it has none.
func (d *reader) group(g *Groups, v **bulk.Inverse, doc uint32) (group uint32, ok bool, err error) {
	of := g.Of
	if g == &d.s.prints {
		if d.cursor == nil {
			d.cursor = g.Cursor()
		}
		of = d.cursor.Of
	}
	if group, ok, err = of(doc); err == nil || !d.damaged {
		return group, ok, err
	}
	if *v == nil {
		*v = g.Invert()
	}
	if group = (*v).Of[doc]; group != NoSet {
		return group, true, nil
	}
	if (*v).Whole {
		err = nil
	}
	return 0, false, err
}

// A Damaged is a segment file of which some blocks may be damaged. Its table of contents is sound, so that each block is
// known to be right or wrong. It reads documents from what is right.
type Damaged struct{ reader }

// OpenDamaged opens the file at path, which need not have the name that ref has, and may have become longer. The error is
// section.ErrCorrupt if it is another file, or its table of contents is damaged.
func OpenDamaged(fsys disk.FS, path string, ref Ref, layout Layout) (d *Damaged, err error) {
	d = &Damaged{reader{s: &Segment{path: path}, layout: layout, damaged: true}}
	d.salvaged = sync.OnceValue(func() []uint64 { return tables.Salvage(d.s.f) })
	d.s.m, err = OpenFile(fsys, path, ref.Bytes, ref.Digest, true, func(f *section.File) error {
		f.TrustBlocks()
		return d.s.load(f, ref, layout, true)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Close unmaps the file.
func (d *Damaged) Close() error { return d.s.Close() }

// Remnant reads document number doc of the file.
func (d *Damaged) Remnant(ctx context.Context, doc uint32) (r Remnant, err error) {
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	err = disk.Guarded(func() error {
		if d.read(doc, &r); r.ID == nil {
			return nil
		}
		var lost error
		if r.Kept, lost = d.s.texts.of(doc); lost != nil && d.layout.Texts {
			r.Lost = append(r.Lost, "text")
		}
		fields, lost := d.s.fields.of(doc)
		if r.Values = fields.Text; lost != nil && d.layout.Fields {
			r.Lost = append(r.Lost, "fields")
		}
		if d.layout.Passages {
			if r.Words, lost = d.s.passages.Codes(doc); lost != nil && r.Kept.Text == nil {
				r.Lost = append(r.Lost, "passages")
			} else if lost != nil {
				r.Words = sequences.AppendCodes(nil, sequences.NewText(r.Kept.Text).Words)
			}
		}
		return nil
	})
	return r, err
}
