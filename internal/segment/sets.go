package segment

import (
	"context"

	"simsearch/lsh"
	"simsearch/prefix"
	"simsearch/section"
	"simsearch/tables"
)

// Names of the sections of the sets.
const (
	secSets         = "documents.sets"
	secSetGroupEnds = "sets.groups.ends"
	secSetMembers   = "sets.members"
	secDigests      = "sets.digests"
	secSignatures   = "sets.signatures"
)

// Sets are the distinct sets of features of the documents of a segment, numbered from 0.
type Sets struct {
	path      string
	positions int

	of         section.Array[uint32] // the set of each document, or NoSet
	groups     Groups                // of documents with the same set
	digests    section.Array[uint64] // two per set
	n          int
	coded      *prefix.Sets
	signatures section.Array[byte] // a fixed number per set, if there are any
	bands      *lsh.Tables         // nil without signatures

	deleted *Deleted // as that of the segment
}

func loadSets(path string, f *section.File, documents uint64, positions int) (*Sets, error) {
	s := &Sets{path: path, positions: positions}
	digests, err := f.Size(secDigests)
	if err != nil {
		return nil, err
	}
	n := digests / 16
	members, err := f.Size(secSetMembers)
	if err != nil {
		return nil, err
	}
	members /= 4
	if n > members || members > documents {
		return nil, f.Corruptf(secDigests, 0, "%d sets of %d of %d documents", n, members, documents)
	}
	s.n = int(n)
	loads := []func() error{
		func() (err error) { s.of, err = section.Integers[uint32](f, secSets, documents); return err },
		func() (err error) { s.groups.ends, err = section.Integers[uint32](f, secSetGroupEnds, n+1); return err },
		func() (err error) {
			s.groups.member, err = section.Integers[uint32](f, secSetMembers, members)
			return err
		},
		func() (err error) { s.digests, err = section.Integers[uint64](f, secDigests, 2*n); return err },
		func() (err error) { s.coded, err = prefix.Load(f, n); return err },
	}
	if positions > 0 {
		loads = append(loads,
			func() (err error) {
				s.signatures, err = section.Integers[byte](f, secSignatures, n*uint64(positions))
				return err
			},
			func() (err error) { s.bands, err = lsh.Load(f, n, positions); return err })
	}
	for _, load := range loads {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Len returns the number of sets.
func (s *Sets) Len() int { return s.n }

// Coded returns the sets as they can be searched and joined.
func (s *Sets) Coded() *prefix.Sets { return s.coded }

// AppendSet appends the features of set i, strictly ascending, and returns the extended slice.
func (s *Sets) AppendSet(dst []uint64, i uint32) ([]uint64, error) {
	dst, err := s.coded.AppendSet(dst, i)
	return dst, section.InFile(s.path, err)
}

// Near appends the sets whose similarity to query is at least t, as prefix.Sets.Near does, and returns the
// extended slice.
func (s *Sets) Near(ctx context.Context, dst []prefix.Match, query []uint64, t float64, stats *prefix.Stats) ([]prefix.Match, error) {
	dst, err := s.coded.Near(ctx, dst, query, t, stats)
	return dst, section.InFile(s.path, err)
}

// Jaccard returns the similarity of sets i and j.
func (s *Sets) Jaccard(i, j uint32) (float64, error) {
	shared, a, b, err := s.coded.Shared(i, j)
	if err != nil {
		return 0, section.InFile(s.path, err)
	}
	return float64(shared) / float64(a+b-shared), nil
}

// Signature returns the signature of a set, one byte per position.
func (s *Sets) Signature(i uint32) ([]byte, error) {
	from := uint64(i) * uint64(s.positions)
	signature, err := s.signatures.Range(from, from+uint64(s.positions))
	return signature, section.InFile(s.path, err)
}

// Digest returns the digest of a set.
func (s *Sets) Digest(i uint32) (Digest, error) {
	d, err := s.digests.Range(2*uint64(i), 2*uint64(i)+2)
	if err != nil {
		return Digest{}, section.InFile(s.path, err)
	}
	return Digest{d[0], d[1]}, nil
}

// Of returns the set of a live document. ok is false if the document has none.
func (s *Sets) Of(doc uint32) (set uint32, ok bool, err error) { return s.ofStored(s.deleted.At(doc)) }

// ofStored returns the set of document doc of the file.
func (s *Sets) ofStored(doc uint32) (set uint32, ok bool, err error) {
	if set, err = s.of.At(uint64(doc)); err != nil {
		return 0, false, section.InFile(s.path, err)
	}
	if set != NoSet && uint64(set) >= uint64(s.Len()) {
		return 0, false, corruptf(s.path, &s.of, uint64(doc), "set %d of %d", set, s.Len())
	}
	return set, set != NoSet, nil
}

// GroupSets groups the documents by their sets. of[doc] is the set of a document, in [0, n), or
// NoSet.
func GroupSets(of []uint32, n int) tables.Groups {
	g := tables.Groups{Ends: make([]uint32, n+1)}
	total := uint32(0)
	for _, set := range of {
		if set != NoSet {
			g.Ends[set+1]++
			total++
		}
	}
	for i := range n {
		g.Ends[i+1] += g.Ends[i]
	}
	next := append([]uint32{}, g.Ends[:n]...)
	g.Member = make([]uint32, total)
	for doc, set := range of {
		if set != NoSet {
			g.Member[next[set]] = uint32(doc)
			next[set]++
		}
	}
	return g
}

// Groups returns the groups of documents with equal sets.
func (s *Sets) Groups() *Groups { return &s.groups }

// CheckSignatures checks all signatures against their checksums. Reading single signatures then
// needs no further check.
func (s *Sets) CheckSignatures() error {
	return section.InFile(s.path, s.signatures.Guard.CheckAll())
}

// OfAll returns the set of each live document, or NoSet. Verify must have returned nil before. The caller must not
// change the slice.
func (s *Sets) OfAll() []uint32 {
	if s.deleted == nil {
		return s.of.All
	}
	live := make([]uint32, 0, s.of.Len()-s.deleted.Count())
	for doc, set := range s.of.All {
		if !s.deleted.Has(uint32(doc)) {
			live = append(live, set)
		}
	}
	return live
}
