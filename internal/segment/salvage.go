package segment

import (
	"context"
	"encoding/binary"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/prefix"
	"simsearch/section"
)

// A Damaged is a segment file of which some blocks may be damaged. Its table of contents is sound, so that each block is
// known to be right or wrong. It reads documents from what is right.
type Damaged struct {
	s      *Segment
	layout Layout
	groups *inverse // of groups, nil before it is needed
	sets   *inverse // of the groups of sets
	values section.Array[uint64]
}

// OpenDamaged opens the file at path, which need not have the name that ref has. The error is section.ErrCorrupt if it
// is another file, or its table of contents is damaged.
func OpenDamaged(fsys disk.FS, path string, ref Ref, layout Layout) (*Damaged, error) {
	m, err := Map(fsys, path)
	if err != nil {
		return nil, err
	}
	d := &Damaged{s: &Segment{path: path, m: m, documents: ref.Documents}, layout: layout}
	if err := mmap.Guarded(func() error { return d.load(ref) }); err != nil {
		_ = m.Close() // the other error says more
		return nil, section.InFile(path, err)
	}
	return d, nil
}

// Close unmaps the file.
func (d *Damaged) Close() error { return d.s.Close() }

// load loads the sections by their sizes alone. Those that documents need not be read from are left out.
// head returns the bytes that a file should have, of one that has become longer.
func head(data []byte, bytes uint64) []byte { return data[:min(uint64(len(data)), bytes)] }

func (d *Damaged) load(ref Ref) (err error) {
	s := d.s
	if s.f, err = section.ParseKnown(head(s.m.Data(), ref.Bytes), ref.Bytes, ref.Digest); err != nil {
		return err
	}
	if err := s.ids.load(s.f, s.documents); err != nil {
		return err
	}
	if s.empty, err = wholeSection[uint32](s.f, secEmpty, 4); err != nil {
		return err
	}
	if d.layout.Bits > 0 {
		for _, load := range []func() error{
			func() (err error) {
				s.fingerprints, err = section.Integers[uint64](s.f, secFingerprints, s.documents)
				return err
			},
			func() (err error) { s.groups.ends, err = wholeSection[uint32](s.f, secGroupEnds, 4); return err },
			func() (err error) { s.groups.member, err = wholeSection[uint32](s.f, secMembers, 4); return err },
			func() (err error) { d.values, err = wholeSection[uint64](s.f, "tables.values", 8); return err },
		} {
			if err := load(); err != nil {
				return err
			}
		}
	}
	if d.layout.Sets {
		if err := d.loadSets(); err != nil {
			return err
		}
	}
	return s.loadKept()
}

func (d *Damaged) loadSets() (err error) {
	s := &Sets{path: d.s.path, positions: d.layout.Positions}
	d.s.sets = s
	if s.digests, err = wholeSection[uint64](d.s.f, secDigests, 8); err != nil {
		return err
	}
	s.n = s.digests.Len() / 2
	if s.of, err = section.Integers[uint32](d.s.f, secSets, d.s.documents); err != nil {
		return err
	}
	if s.groups.ends, err = wholeSection[uint32](d.s.f, secSetGroupEnds, 4); err != nil {
		return err
	}
	if s.groups.member, err = wholeSection[uint32](d.s.f, secSetMembers, 4); err != nil {
		return err
	}
	if s.coded, err = prefix.LoadCoded(d.s.f, uint64(s.n)); err != nil {
		s.coded, s.n = nil, 0 // no set can be read
	}
	if s.positions > 0 {
		s.signatures, err = wholeSection[byte](d.s.f, secSignatures, 1)
		return err
	}
	return nil
}

// A Remnant is what can be read of a document. Its slices are parts of the file.
type Remnant struct {
	Document              // without texts
	Text, Fields []byte   // nil if there are none
	Bad          error    // why the id, the fingerprint or the set cannot be read; the id is nil if it is that
	Resign       bool     // the signature is lost, and can be made of the set
	Lost         []string // what else is lost: "text", "fields", "source"
}

// Remnant reads document number doc of the file.
func (d *Damaged) Remnant(ctx context.Context, doc uint32) (r Remnant, err error) {
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	err = mmap.Guarded(func() error {
		d.read(doc, &r)
		return nil
	})
	return r, err
}

func (d *Damaged) read(doc uint32, r *Remnant) {
	s := d.s
	if r.ID, r.Bad = s.storedID(doc); r.Bad != nil {
		r.ID = nil
		return
	}
	if why := BadID(r.ID); why != "" {
		r.ID, r.Bad = nil, s.ids.ends.Corruptf(uint64(doc), "document %d: %s", doc, why)
		return
	}
	if d.layout.Bits > 0 {
		r.Fingerprint, r.HasFingerprint, r.Bad = d.fingerprint(doc)
	}
	if d.layout.Sets && r.Bad == nil {
		r.Bad = d.set(doc, r)
	}
	kept := func(t *texts, wanted bool, what string) (text []byte) {
		if t == nil {
			return nil
		}
		text, ok, err := t.of(doc)
		if err != nil && wanted {
			r.Lost = append(r.Lost, what)
		}
		if err != nil || !ok {
			return nil
		}
		if text == nil {
			text = []byte{}
		}
		return text
	}
	r.Text, r.Fields = kept(s.texts, d.layout.Texts, "text"), kept(s.fields, d.layout.Fields, "fields")
	if s.sources != nil {
		switch from, ok, err := s.sources.of(doc); {
		case err != nil:
			r.Lost = append(r.Lost, "source")
		case ok:
			r.Source = &from
		}
	}
}

// fingerprint returns the fingerprint of a document, or what its group has.
func (d *Damaged) fingerprint(doc uint32) (fp uint64, ok bool, err error) {
	fp, err = d.s.fingerprints.At(uint64(doc))
	empty, errEmpty := d.s.emptyStored(doc)
	switch {
	case err == nil && errEmpty == nil:
		return fp, !empty, nil
	case err == nil && fp != 0:
		return fp, true, nil
	case errEmpty == nil && empty:
		return 0, false, nil
	}
	if d.groups == nil {
		d.groups = d.invert(&d.s.groups)
	}
	switch group := d.groups.of[doc]; {
	case group == NoSet && d.groups.whole:
		return 0, false, nil
	case group != NoSet && uint64(group) < uint64(d.values.Len()):
		if fp, err := d.values.At(uint64(group)); err == nil {
			return fp, true, nil
		}
	}
	if err == nil {
		err = errEmpty
	}
	return 0, false, err
}

// set reads the set of a document.
func (d *Damaged) set(doc uint32, r *Remnant) error {
	s := d.s.sets
	if s.n == 0 && s.digests.Len() > 0 {
		return d.s.f.Corruptf(secSets, 0, "the vocabulary is damaged")
	}
	set, has, err := s.ofStored(doc)
	if err != nil {
		if d.sets == nil {
			d.sets = d.invert(&s.groups)
		}
		set, has = d.sets.of[doc], d.sets.of[doc] != NoSet
		if !has && !d.sets.whole || has && uint64(set) >= uint64(s.n) {
			return err
		}
	}
	if !has {
		return nil
	}
	if r.Set, err = s.AppendSet(nil, set); err != nil {
		return err
	}
	if r.Digest, err = s.Digest(set); err != nil {
		b := make([]byte, 0, 8*len(r.Set))
		for _, x := range r.Set {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		r.Digest[0], r.Digest[1] = murmur3.Sum128(b)
	}
	if s.positions > 0 {
		if r.Signature, err = s.Signature(set); err != nil {
			r.Signature, r.Resign = nil, true
		}
	}
	return nil
}

// An inverse has the group of each document, or NoSet. It is whole if all groups could be read.
type inverse struct {
	of    []uint32
	whole bool
}

func (d *Damaged) invert(g *Groups) *inverse {
	v := &inverse{of: make([]uint32, d.s.documents), whole: true}
	for doc := range v.of {
		v.of[doc] = NoSet
	}
	for group := range g.ends.Len() - 1 {
		members, err := g.members(d.s.path, uint32(group), d.s.documents)
		if err != nil {
			v.whole = false
		}
		for _, doc := range members {
			v.of[doc] = uint32(group)
		}
	}
	return v
}
