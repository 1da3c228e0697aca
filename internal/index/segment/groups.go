package segment

import (
	"cmp"
	"iter"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/bulk"
)

// NoSet stands for the group of a document that has no fingerprint, or no features.
const NoSet = bulk.None

// A Groups is the documents of a file in groups of those that have the same fingerprint, or the same set.
type Groups = bulk.Groups

var (
	fingerprintGroups = bulk.Names{High: "documents.groups", First: "groups.first", Counts: "groups.counts", Members: "groups.members"}
	setGroups         = bulk.Names{High: "documents.sets", First: "sets.first", Counts: "sets.counts", Members: "sets.members"}
)

// Members returns the live documents of group i of s, in ascending order.
func (s *Segment) Members(g *Groups, i uint32) []uint32 {
	members := g.Group(i)
	if s.deleted == nil {
		return members
	}
	return s.deleted.appendLive(make([]uint32, 0, len(members)), members)
}

// Long returns the fingerprint of a document. The segment must have fingerprints. ok is false if the document is empty.
func (s *Segment) Long(doc uint32) (fp document.Long, ok bool) {
	group, ok := s.prints.Of(s.deleted.At(doc))
	if ok {
		fp = s.value(group)
	}
	return fp, ok
}

// EachGroup returns all fingerprints, in order, and yields the number of each and its live documents, which may be
// none. A slice is valid until the next one is yielded. EachGroup takes no memory. Verify must have returned nil
// before. It panics with a disk.Damage if the documents are not in groups.
func (s *Segment) EachGroup() (values []uint64, groups iter.Seq2[uint32, []uint32]) {
	values, walk := s.WalkGroups()
	return values, func(yield func(uint32, []uint32) bool) {
		next := walk()
		for i := range uint32(s.prints.Len()) {
			if !yield(i, next()) {
				return
			}
		}
	}
}

// WalkGroups is EachGroup for whoever goes through the groups of several segments at once: walk begins with the first
// group, and next returns the live documents of the next one, until it is called again.
func (s *Segment) WalkGroups() (values []uint64, walk func() (next func() []uint32)) {
	check := s.prints.Check
	if s.documents >= streamedFrom { // whether each document has the group that it is a member of is left to Examine
		check = s.prints.CheckMembers
	}
	if err := cmp.Or(s.checkValues(), check()); err != nil {
		panic(err)
	}
	return s.values.All, func() func() []uint32 {
		next, live := s.prints.Walk(), []uint32(nil)
		if s.deleted == nil {
			return next
		}
		return func() []uint32 {
			live = s.deleted.appendLive(live[:0], next())
			return live
		}
	}
}

// Empties returns the number of live documents without features: without a set where there are sets, else
// without a fingerprint. It leaves out those that cannot be read.
func (s *Segment) Empties() (n int) {
	g := &s.prints
	if s.sets != nil {
		g = &s.sets.groups
	}
	n = int(s.documents) - g.Members()
	for doc, left := uint32(0), s.deleted.Count(); left > 0; doc++ {
		if !s.deleted.Has(doc) {
			continue
		}
		left--
		_ = section.DamageOf(func() {
			if !g.Has(doc) {
				n--
			}
		})
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
func (s *Segment) Identity(doc uint32) (id Identity) {
	if s.hasPrints() {
		id.fp, id.ok = s.Long(doc)
	}
	if s.sets != nil {
		set, has := s.sets.Of(doc)
		if has {
			id.set = s.sets.Digest(set)
		}
		id.ok = id.ok || has && !s.hasPrints()
	}
	return id
}

// Fingerprints yields the live documents that have a fingerprint, in ascending order, and the words of their
// fingerprints. WalkGroups must have returned no error before, or the segment must have been made in memory.
func (s *Segment) Fingerprints() iter.Seq2[uint32, []uint64] {
	return func(yield func(uint32, []uint64) bool) {
		live, words, groups := uint32(0), uint32(s.words), s.prints.Cursor()
		for doc := range uint32(s.documents) {
			if s.deleted.Has(doc) {
				continue
			}
			if group, ok := groups.Of(doc); ok && !yield(live, s.values.All[group*words:(group+1)*words]) {
				return
			}
			live++
		}
	}
}
