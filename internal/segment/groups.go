package segment

import (
	"iter"
	"slices"

	"simsearch/internal/document"
	"simsearch/internal/section"
	"simsearch/tables"
)

// NoSet stands for the group of a document that has no fingerprint, or no features.
const NoSet = ^uint32(0)

// A Groups is the documents of a file in groups of those that have the same fingerprint, or the same set. Those of group i are
// member[ends[i]:ends[i+1]].
type Groups struct {
	of     section.Array[uint32] // the group of each document, or NoSet
	ends   section.Array[uint32]
	member section.Array[uint32]
}

// groupSections are the names of the sections of a Groups.
type groupSections struct{ of, ends, member string }

var (
	fingerprintGroups = groupSections{"documents.groups", "groups.ends", "groups.members"}
	setGroups         = groupSections{"documents.sets", "sets.groups.ends", "sets.members"}
)

// write writes groups of a number of documents.
func (names groupSections) write(w *section.Writer, g tables.Groups, documents int) {
	of := slices.Repeat([]uint32{NoSet}, documents)
	for i := range g.Ends[1:] {
		for _, doc := range g.Members(uint32(i)) {
			of[doc] = uint32(i)
		}
	}
	w.Begin(names.of)
	w.Uint32s(of)
	w.Begin(names.ends)
	w.Uint32s(g.Ends)
	w.Begin(names.member)
	w.Uint32s(g.Member)
}

func (g *Groups) load(l *loader, names groupSections, documents uint64) {
	g.of = integers[uint32](l, names.of, documents)
	g.ends = integers[uint32](l, names.ends, section.Any)
	g.member = integers[uint32](l, names.member, section.Any)
	if l.err == nil && (g.Len() < 0 || g.Len() > g.member.Len() || uint64(g.member.Len()) > documents) {
		l.err = g.ends.Corruptf(0, "%d groups of %d of %d documents", g.Len(), g.member.Len(), documents)
	}
}

// Len returns the number of groups.
func (g *Groups) Len() int { return g.ends.Len() - 1 }

// Of returns the group of document doc of the file. ok is false if it has none.
func (g *Groups) Of(doc uint32) (group uint32, ok bool, err error) {
	if group, err = g.of.At(uint64(doc)); err != nil || group == NoSet {
		return 0, false, err
	}
	if int(group) >= g.Len() {
		return 0, false, g.of.Corruptf(uint64(doc), "document %d is in group %d of %d", doc, group, g.Len())
	}
	return group, true, nil
}

// Size returns the number of documents of group i in the file.
func (g *Groups) Size(i uint32) (int, error) {
	ends, err := g.ends.Range(uint64(i), uint64(i)+2)
	if err != nil {
		return 0, err
	}
	return max(0, int(ends[1])-int(ends[0])), nil
}

// members returns the documents of group i in the file, in ascending order.
func (g *Groups) members(i uint32) ([]uint32, error) {
	ends, err := g.ends.Range(uint64(i), uint64(i)+2)
	if err != nil {
		return nil, err
	}
	lo, hi := uint64(ends[0]), uint64(ends[1])
	if lo >= hi || hi > uint64(g.member.Len()) {
		return nil, g.ends.Corruptf(uint64(i), "the documents of group %d span [%d, %d) of %d", i, lo, hi, g.member.Len())
	}
	members, err := g.member.Range(lo, hi)
	if err != nil {
		return nil, err
	}
	for j, m := range members {
		if int(m) >= g.of.Len() {
			return nil, g.member.Corruptf(lo+uint64(j), "document %d of %d", m, g.of.Len())
		}
	}
	return members, nil
}

// Members returns the live documents of group i of s, in ascending order.
func (s *Segment) Members(g *Groups, i uint32) ([]uint32, error) {
	members, err := g.members(i)
	if s.deleted == nil || err != nil {
		return members, s.InFile(err)
	}
	live := make([]uint32, 0, len(members))
	for _, m := range members {
		if number, ok := s.deleted.Live(m); ok {
			live = append(live, number)
		}
	}
	return live, nil
}

// check checks that the groups have ascending documents, each document that has a group, and no other. All bytes must have
// passed their checksums.
func (g *Groups) check() error {
	at := 0
	for group := range uint32(g.Len()) {
		if lo := int(g.ends.All[group]); lo != at {
			return g.ends.Corruptf(uint64(group), "group %d begins at %d, want %d", group, lo, at)
		}
		members, err := g.members(group)
		if err != nil {
			return err
		}
		for i, doc := range members {
			if i > 0 && doc <= members[i-1] || g.of.All[doc] != group {
				return g.member.Corruptf(uint64(at+i), "document %d is not in order, or has group %d, and is in group %d", doc, g.of.All[doc], group)
			}
		}
		at += len(members)
	}
	if at != g.member.Len() {
		return g.ends.Corruptf(uint64(g.Len()), "the groups end at %d of %d", at, g.member.Len())
	}
	for _, group := range g.of.All {
		if group != NoSet {
			at--
		}
	}
	if at != 0 {
		return g.of.Corruptf(0, "%d documents of groups have none, or some are in none", at)
	}
	return nil
}

// Fingerprint returns the fingerprint of a document, or its first 64 bits. The segment must have fingerprints. ok is
// false if the document is empty.
func (s *Segment) Fingerprint(doc uint32) (fp uint64, ok bool, err error) {
	all, ok, err := s.Long(doc)
	return all[0], ok, err
}

// Long is Fingerprint of any width.
func (s *Segment) Long(doc uint32) (fp document.Long, ok bool, err error) {
	group, ok, err := s.prints.Of(s.deleted.At(doc))
	if ok && err == nil {
		fp, err = s.value(group)
	}
	return fp, ok && err == nil, s.InFile(err)
}

// AllGroups returns the groups of live documents with equal fingerprints: parts of the map, if all documents are live,
// which must not be changed. Verify must have returned nil before. The error is section.ErrCorrupt if they are no groups.
func (s *Segment) AllGroups() (tables.Groups, error) {
	g := tables.Groups{Values: s.values.All, Ends: s.prints.ends.All, Member: s.prints.member.All}
	if err := s.checkValues(); err != nil {
		return g, err
	}
	if err := s.prints.check(); err != nil || s.deleted == nil {
		return g, s.InFile(err)
	}
	live, words := tables.Groups{Ends: []uint32{0}}, s.words
	for i := range s.prints.Len() {
		for _, doc := range g.Members(uint32(i)) {
			if number, ok := s.deleted.Live(doc); ok {
				live.Member = append(live.Member, number)
			}
		}
		if n := uint32(len(live.Member)); n > live.Ends[len(live.Ends)-1] {
			live.Values, live.Ends = append(live.Values, g.Values[i*words:(i+1)*words]...), append(live.Ends, n)
		}
	}
	return live, nil
}

// hasFeatures reports whether document doc of the file has a fingerprint or, in a segment without fingerprints, a set.
func (s *Segment) hasFeatures(doc uint32) (ok bool, err error) {
	switch {
	case s.hasPrints():
		_, ok, err = s.prints.Of(doc)
	case s.sets != nil:
		_, ok, err = s.sets.groups.Of(doc)
	}
	return ok, err
}

// Empties returns the number of live documents without features: without a set where there are sets, else
// without a fingerprint. It leaves out those that cannot be read.
func (s *Segment) Empties() (n int) {
	g := &s.prints
	if s.sets != nil {
		g = &s.sets.groups
	}
	n = int(s.documents) - g.member.Len()
	for doc := range s.deleted.all {
		if _, has, err := g.Of(doc); err == nil && !has {
			n--
		}
	}
	return n
}

// An Identity distinguishes the text of a document from other texts. It is zero for a document
// without features.
type Identity struct {
	fp  document.Long
	set Digest
	ok  bool
}

// Identity returns the identity of a document.
func (s *Segment) Identity(doc uint32) (id Identity, err error) {
	if id.ok, err = s.hasFeatures(s.deleted.At(doc)); err != nil {
		return id, s.InFile(err)
	}
	if s.hasPrints() {
		if id.fp, _, err = s.Long(doc); err != nil {
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

// Fingerprints yields the live documents that have a fingerprint, in ascending order, and the words of their fingerprints. AllGroups must have
// returned no error before, or the segment must have been made in memory.
func (s *Segment) Fingerprints() iter.Seq2[uint32, []uint64] {
	return func(yield func(uint32, []uint64) bool) {
		live, words := uint32(0), uint32(s.words)
		for doc, group := range s.prints.of.All {
			if s.deleted.Has(uint32(doc)) {
				continue
			}
			if group != NoSet && !yield(live, s.values.All[group*words:(group+1)*words]) {
				return
			}
			live++
		}
	}
}
