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
// is adding them to one Builder. The error is that of a temporary file, or the cause of ctx.
func (b *Builder) AddSegment(ctx context.Context, s *Segment) error {
	var rest Remnant
	if b.layout.Texts {
		rest.Texts = s.texts.take(s, s.HasPassages())
	}
	if b.layout.Fields {
		rest.Fields = s.fields.take(s, false)
	}
	r := newReader(s, b.layout)
	r.known = &b.sets
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
		r.read(doc, &rest)
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

	damaged bool         // what is lost is looked for in other sections
	prints  *bulk.Cursor // of the groups of fingerprints
	sets    *bulk.Cursor // of the groups of sets
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
	id := d.s.storedID(doc)
	if why := BadID(id); why != "" {
		panic(d.s.f.Corruptf(d.s.ids.section(), uint64(doc), "document %d: %s", doc, why))
	}
	r.ID = id
	if d.layout.Bits > 0 {
		var group uint32
		if group, r.HasFingerprint = d.prints.Of(doc); r.HasFingerprint {
			fp := d.fingerprint(group)
			r.Fingerprint, r.More = fp.Parts()
		}
	}
	if d.layout.Sets {
		d.set(doc, r)
	}
	if d.layout.Passages && !d.damaged {
		r.Words = d.s.passages.Codes(doc)
	}
}

// lost calls do, and reports whether a damaged file has lost what do reads.
func (d *reader) lost(do func()) bool {
	err := section.DamageOf(do)
	if err != nil && !d.damaged {
		panic(err)
	}
	return err != nil
}

// fingerprint returns the fingerprint of a group, by whichever table has it.
func (d *reader) fingerprint(group uint32) (fp document.Long) {
	if !d.lost(func() { fp = d.s.value(group) }) {
		return fp
	}
	if !d.layout.isWide() {
		if values := d.salvaged(); values != nil {
			return document.Long{values[group]}
		}
	}
	return d.s.value(group)
}

// set reads the set of a document.
func (d *reader) set(doc uint32, r *Remnant) {
	s := d.s.sets
	r.Set, r.Digest, r.Signature, r.Resign = r.Set[:0], Digest{}, nil, false
	set, has := d.sets.Of(doc)
	if !has {
		return
	}
	lost := d.lost(func() { r.Digest = s.Digest(set) })
	if d.known != nil && !lost {
		if _, ok := d.known.find(r.Digest); ok {
			return
		}
	}
	if s.coded == nil {
		panic(s.digests.Corruptf(2*uint64(set), "the vocabulary is damaged"))
	}
	r.Set = s.AppendSet(r.Set, set)
	if lost {
		b := make([]byte, 0, 8*len(r.Set))
		for _, x := range r.Set {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		r.Digest[0], r.Digest[1] = murmur3.Sum128(b)
	}
	r.Resign = s.positions > 0 && d.lost(func() { r.Signature = s.Signature(set) })
}

// newReader returns a reader of the documents of s, as far as a layout has them.
func newReader(s *Segment, layout Layout) *reader {
	d := &reader{s: s, layout: layout, prints: s.prints.Cursor()}
	if layout.Sets {
		d.sets = s.sets.groups.Cursor()
	}
	return d
}

// A Damaged is a segment file of which some blocks may be damaged. Its table of contents is sound, so that each block
// is known to be right or wrong. It reads documents from what is right.
type Damaged struct{ *reader }

// OpenDamaged opens the file at path, which need not have the name that ref has, and may have become longer. The
// error is section.ErrCorrupt if it is another file, or its table of contents is damaged.
func OpenDamaged(fsys disk.FS, path string, ref Ref, layout Layout) (d *Damaged, err error) {
	s := &Segment{path: path}
	s.m, err = OpenFile(fsys, path, ref.Bytes, ref.Digest, true, func(f *section.File) {
		f.TrustBlocks()
		s.load(f, ref, layout, true)
	})
	if err != nil {
		return nil, err
	}
	d = &Damaged{newReader(s, layout)}
	d.damaged, d.salvaged = true, sync.OnceValue(func() []uint64 { return tables.Salvage(s.f) })
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
		if r.Bad = section.DamageOf(func() { d.read(doc, &r) }); r.ID == nil {
			return nil
		}
		if d.lost(func() { r.Kept = d.s.texts.of(doc) }) && d.layout.Texts {
			r.Lost = append(r.Lost, "text")
		}
		if d.lost(func() { r.Values = d.s.fields.of(doc).Text }) && d.layout.Fields {
			r.Lost = append(r.Lost, "fields")
		}
		if d.layout.Passages && d.lost(func() { r.Words = d.s.passages.Codes(doc) }) {
			if r.Kept.Text == nil {
				r.Lost = append(r.Lost, "passages")
			} else {
				r.Words = sequences.AppendCodes(nil, sequences.NewText(r.Kept.Text).Words)
			}
		}
		return nil
	})
	return r, err
}
