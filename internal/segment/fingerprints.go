package segment

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"simsearch/section"
	"simsearch/tables"
)

// Names of the sections of the fingerprints and of the empty documents.
const (
	secFingerprints = "documents.fingerprints"
	secEmpty        = "documents.empty"
	secGroupEnds    = "groups.ends"
	secMembers      = "groups.members"
)

// writeFingerprints writes the groups of equal fingerprints and their tables.
func writeFingerprints(ctx context.Context, w *section.Writer, g tables.Groups, bits int, o *WriteOptions) error {
	w.Begin(secGroupEnds)
	w.Uint32s(g.Ends)
	w.Begin(secMembers)
	w.Uint32s(g.Member)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	design, why := o.Design, ""
	if design.Width() > 0 {
		why = fmt.Sprintf("chosen by hand, for %d fingerprints", len(g.Values))
	} else {
		plan := tables.Choose(bits, len(g.Values), o.Distance, o.TableBytes)
		design, why = plan.Design, plan.Why
	}
	o.explain(fmt.Sprintf("%v, %s", design, design.Expected(len(g.Values))), why)
	o.phase(fmt.Sprintf("building %d tables", len(design.Permutations())))
	return tables.Write(ctx, w, g.Values, design, o.Threads)
}

// groups groups the documents that have a fingerprint by their fingerprints.
func (b *Builder) groups() tables.Groups {
	if g := b.grouped; len(g.Ends) > 0 && len(g.Member) == b.Len()-len(b.empty) {
		return g
	}
	fps := slices.Clone(b.fingerprints)
	docs := make([]uint32, len(fps))
	for i := range docs {
		docs[i] = uint32(i)
	}
	if len(b.empty) > 0 {
		empty, n := b.emptySet(), 0
		for i, fp := range fps {
			if !empty[i] {
				fps[n], docs[n] = fp, uint32(i)
				n++
			}
		}
		fps, docs = fps[:n], docs[:n]
	}
	return tables.Group(fps, docs)
}

func (s *Segment) loadFingerprints(bits int) (err error) {
	if s.fingerprints, err = section.Integers[uint64](s.f, secFingerprints, s.documents); err != nil {
		return err
	}
	if s.groups.ends, err = section.Integers[uint32](s.f, secGroupEnds, s.distinct+1); err != nil {
		return err
	}
	if s.groups.member, err = section.Integers[uint32](s.f, secMembers, s.documents-s.empties); err != nil {
		return err
	}
	if s.tables, err = tables.Load(s.f); err != nil {
		return err
	}
	if uint64(s.tables.Len()) != s.distinct || s.tables.Design().Width() != bits {
		return fmt.Errorf("%w: tables of %d fingerprints of %d bits, want %d of %d",
			section.ErrCorrupt, s.tables.Len(), s.tables.Design().Width(), s.distinct, bits)
	}
	return nil
}

// Fingerprint returns the fingerprint of a document. The segment must have fingerprints. ok is
// false if the document is empty.
func (s *Segment) Fingerprint(doc uint32) (fp uint64, ok bool, err error) {
	doc = s.deleted.At(doc)
	if fp, err = s.fingerprints.At(uint64(doc)); err != nil {
		return 0, false, s.InFile(err)
	}
	empty, err := s.emptyStored(doc)
	return fp, !empty, err
}

// Fingerprints yields the documents that have a fingerprint, in ascending order, and their
// fingerprints. Verify must have returned nil before.
func (s *Segment) Fingerprints() iter.Seq2[uint32, uint64] {
	return func(yield func(uint32, uint64) bool) {
		empty, live := s.empty.All, uint32(0)
		for doc, fp := range s.fingerprints.All {
			if s.deleted.Has(uint32(doc)) {
				continue
			}
			number := live
			live++
			for len(empty) > 0 && empty[0] < uint32(doc) {
				empty = empty[1:]
			}
			if len(empty) > 0 && empty[0] == uint32(doc) {
				continue
			}
			if !yield(number, fp) {
				return
			}
		}
	}
}

// AllGroups returns the groups of live documents with equal fingerprints: parts of the map, if all documents are live,
// which must not be changed. Verify must have returned nil before. The error is section.ErrCorrupt if they are no groups.
func (s *Segment) AllGroups() (tables.Groups, error) {
	g := tables.Groups{Values: s.tables.Values(), Ends: s.groups.ends.All, Member: s.groups.member.All}
	for i, x := range g.Values {
		if i > 0 && x <= g.Values[i-1] {
			return g, s.InFile(fmt.Errorf("%w: fingerprint %d of the distinct ones does not ascend", section.ErrCorrupt, i))
		}
	}
	if n := len(g.Values); n > 0 && g.Values[n-1]>>1>>(s.tables.Design().Width()-1) != 0 {
		return g, s.InFile(fmt.Errorf("%w: a fingerprint of more than %d bits", section.ErrCorrupt, s.tables.Design().Width()))
	}
	ends := g.Ends
	if ends[0] != 0 || int(ends[len(ends)-1]) != len(g.Member) {
		return g, corruptf(s.path, &s.groups.ends, 0, "the groups span [%d, %d) of %d documents", ends[0], ends[len(ends)-1], len(g.Member))
	}
	for i := range ends[1:] {
		if ends[i] >= ends[i+1] {
			return g, corruptf(s.path, &s.groups.ends, uint64(i), "group %d ends before it begins", i)
		}
	}
	for i := range g.Values {
		members := g.Members(uint32(i))
		for j, doc := range members {
			if uint64(doc) >= s.documents || j > 0 && doc <= members[j-1] {
				return g, corruptf(s.path, &s.groups.member, uint64(ends[i])+uint64(j), "document %d of %d in group %d", doc, s.documents, i)
			}
		}
	}
	return s.liveGroups(g), nil
}

// liveGroups returns the groups without the documents that are deleted, by their numbers among the live ones.
func (s *Segment) liveGroups(g tables.Groups) tables.Groups {
	if s.deleted == nil {
		return g
	}
	live := tables.Groups{Ends: []uint32{0}}
	for i, value := range g.Values {
		for _, doc := range g.Members(uint32(i)) {
			if number, ok := s.deleted.Live(doc); ok {
				live.Member = append(live.Member, number)
			}
		}
		if n := uint32(len(live.Member)); n > live.Ends[len(live.Ends)-1] {
			live.Values, live.Ends = append(live.Values, value), append(live.Ends, n)
		}
	}
	return live
}

// emptyStored reports whether document doc of the file has no fingerprint, or no set if there are no fingerprints.
func (s *Segment) emptyStored(doc uint32) (bool, error) {
	i, err := search(&s.empty, doc)
	if err != nil || i == uint64(s.empty.Len()) {
		return false, s.InFile(err)
	}
	return s.empty.All[i] == doc, nil
}

// An Identity distinguishes the text of a document from other texts. It is zero for a document
// without features.
type Identity struct {
	fp  uint64
	set Digest
	ok  bool
}

// Identity returns the identity of a document.
func (s *Segment) Identity(doc uint32) (id Identity, err error) {
	empty, err := s.emptyStored(s.deleted.At(doc))
	if err != nil {
		return id, err
	}
	id.ok = !empty
	if s.tables != nil {
		if id.fp, _, err = s.Fingerprint(doc); err != nil {
			return id, err
		}
	}
	if s.sets != nil {
		set, has, err := s.sets.Of(doc)
		if err != nil || !has {
			return id, err
		}
		id.set, err = s.sets.Digest(set)
		return id, err
	}
	return id, nil
}
