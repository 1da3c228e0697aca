package segment

import (
	"cmp"
	"context"
	"slices"

	"simsearch/internal/ground/section"
	"simsearch/internal/match/lsh"
	"simsearch/internal/match/prefix"
)

// Names of the sections of the sets, beside those of their groups.
const (
	secDigests    = "sets.digests"
	secSignatures = lsh.SectionSignatures
)

// Sets are the distinct sets of features of the documents of a segment, numbered from 0.
type Sets struct {
	positions  int
	groups     Groups                // of documents with the same set
	digests    section.Array[uint64] // two per set
	coded      *prefix.Sets
	signatures section.Array[byte] // a fixed number per set, if there are any
	bands      *lsh.Tables         // nil without signatures

	deleted *Deleted // as that of the segment
}

// Len returns the number of sets.
func (s *Sets) Len() int { return s.groups.Len() }

// Coded returns the sets as they can be searched and joined.
func (s *Sets) Coded() *prefix.Sets { return s.coded }

// AppendSet appends the features of set i, strictly ascending, and returns the extended slice.
func (s *Sets) AppendSet(dst []uint64, i uint32) []uint64 { return s.coded.AppendSet(dst, i) }

// Measure returns how near sets i and j are by a measure.
func (s *Sets) Measure(of prefix.Measure, i, j uint32) float64 {
	shared, a, b := s.coded.Shared(i, j)
	return of(shared, a, b)
}

// Signature returns the signature of a set, one byte per position.
func (s *Sets) Signature(i uint32) []byte {
	from := uint64(i) * uint64(s.positions)
	return s.signatures.Range(from, from+uint64(s.positions))
}

// Digest returns the digest of a set.
func (s *Sets) Digest(i uint32) Digest {
	d := s.digests.Range(2*uint64(i), 2*uint64(i)+2)
	return Digest{d[0], d[1]}
}

// Of returns the set of a live document. ok is false if the document has none.
func (s *Sets) Of(doc uint32) (set uint32, ok bool) { return s.groups.Of(s.deleted.At(doc)) }

// Groups returns the groups of documents with equal sets.
func (s *Sets) Groups() *Groups { return &s.groups }

// CheckSignatures checks all signatures against their checksums. Reading single signatures then
// needs no further check.
func (s *Sets) CheckSignatures() { s.signatures.Guard.CheckAll() }

// Nearest returns the sets that are most similar to query, which are hashes in strictly ascending order.
// The most similar come first: limit of them, 1 or more, and all that are as similar as the last of these.
// It leaves out sets that share nothing with query. Nearest reads all sets.
func (s *Sets) Nearest(ctx context.Context, query []uint64, limit int) (found []prefix.Match, err error) {
	similarity := func(m prefix.Match) float64 { return m.By(prefix.Jaccard, len(query)) }
	trim := func() {
		slices.SortFunc(found, func(a, b prefix.Match) int {
			return cmp.Or(cmp.Compare(similarity(b), similarity(a)), cmp.Compare(a.Set, b.Set))
		})
		for n := limit; n < len(found); n++ {
			if similarity(found[n]) < similarity(found[limit-1]) {
				found = found[:n]
			}
		}
	}
	const spare = 16 // keeps a small limit from being enforced all the time
	least, room := 0.0, 2*limit+spare
	err = s.coded.Each(ctx, query, func() float64 { return least }, func(m prefix.Match) {
		if !s.live(m.Set) {
			return
		}
		if found = append(found, m); len(found) >= room {
			trim()
			least, room = similarity(found[limit-1]), 2*len(found)+spare
		}
	})
	trim()
	return found, err
}

// live reports whether a live document has set i.
func (s *Sets) live(i uint32) bool {
	if s.deleted == nil {
		return true
	}
	members := s.groups.Group(i)
	return slices.ContainsFunc(members, func(doc uint32) bool { return !s.deleted.Has(doc) })
}
