package index

import (
	"fmt"
	"math"

	"simsearch/analysis"
	"simsearch/lsh"
	"simsearch/minhash"
	"simsearch/section"
	"simsearch/tables"
)

// Names of the sections of a segment that has sets; docs/FORMAT.md describes each.
const (
	secSets         = "documents.sets"
	secSetGroupEnds = "sets.groups.ends"
	secSetMembers   = "sets.members"
	secDigests      = "sets.digests"
	secFeatureEnds  = "sets.features.ends"
	secFeatures     = "sets.features"
	secSignatures   = "sets.signatures"
)

// sets are the distinct sets of features of a segment's documents, numbered from 0.
type sets struct {
	path      string
	positions int

	of         section.Array[uint32] // the set of each document, or noSet
	groups     groups                // of documents with the same set
	digests    section.Array[uint64] // two a set
	ends       section.Array[uint64] // set i's features end there
	features   section.Array[uint64] // of each set strictly ascending
	signatures section.Array[byte]   // positions a set
	bands      *lsh.Tables
}

func loadSets(path string, f *section.File, documents, empties uint64, positions int) (*sets, error) {
	s := &sets{path: path, positions: positions}
	digests, err := f.Size(secDigests)
	if err != nil {
		return nil, err
	}
	n := digests / 16
	if n > documents-empties {
		return nil, fmt.Errorf("%w: %d sets of %d documents", section.ErrCorrupt, n, documents-empties)
	}
	features, err := f.Size(secFeatures)
	if err != nil {
		return nil, err
	}
	for _, load := range []func() error{
		func() (err error) { s.of, err = section.Integers[uint32](f, secSets, documents); return err },
		func() (err error) { s.groups.ends, err = section.Integers[uint32](f, secSetGroupEnds, n+1); return err },
		func() (err error) {
			s.groups.member, err = section.Integers[uint32](f, secSetMembers, documents-empties)
			return err
		},
		func() (err error) { s.digests, err = section.Integers[uint64](f, secDigests, 2*n); return err },
		func() (err error) { s.ends, err = section.Integers[uint64](f, secFeatureEnds, n); return err },
		func() (err error) { s.features, err = section.Integers[uint64](f, secFeatures, features/8); return err },
		func() (err error) {
			s.signatures, err = section.Integers[byte](f, secSignatures, n*uint64(positions))
			return err
		},
		func() (err error) { s.bands, err = lsh.Load(f, n, positions); return err },
	} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// len returns the number of sets.
func (s *sets) len() int { return s.ends.Len() }

// set returns the features of a set.
func (s *sets) set(i uint32) ([]uint64, error) {
	lo, hi, err := span(&s.ends, i)
	if err != nil {
		return nil, fileError(s.path, err)
	}
	if lo >= hi || hi > uint64(s.features.Len()) {
		return nil, corruptf(s.path, "the features of set %d span [%d, %d) of %d", i, lo, hi, s.features.Len())
	}
	set, err := s.features.Range(lo, hi)
	return set, fileError(s.path, err)
}

// signature returns the signature of a set.
func (s *sets) signature(i uint32) ([]byte, error) {
	from := uint64(i) * uint64(s.positions)
	signature, err := s.signatures.Range(from, from+uint64(s.positions))
	return signature, fileError(s.path, err)
}

func (s *sets) digest(i uint32) (analysis.Digest, error) {
	d, err := s.digests.Range(2*uint64(i), 2*uint64(i)+2)
	if err != nil {
		return analysis.Digest{}, fileError(s.path, err)
	}
	return analysis.Digest{d[0], d[1]}, nil
}

// ofDocument returns the set of a document; ok is false if it has none.
func (s *sets) ofDocument(doc uint32) (set uint32, ok bool, err error) {
	if set, err = s.of.At(uint64(doc)); err != nil {
		return 0, false, fileError(s.path, err)
	}
	if set != noSet && uint64(set) >= uint64(s.len()) {
		return 0, false, corruptf(s.path, "set %d of %d", set, s.len())
	}
	return set, set != noSet, nil
}

// groupSets brings documents of equal sets together, of which there are n.
func groupSets(of []uint32, n int) tables.Groups {
	g := tables.Groups{Ends: make([]uint32, n+1)}
	total := uint32(0)
	for _, set := range of {
		if set != noSet {
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
		if set != noSet {
			g.Member[next[set]] = uint32(doc)
			next[set]++
		}
	}
	return g
}

// A verifier decides which candidates are near. It is safe for concurrent use.
type verifier struct {
	threshold float64
	how       Verification
	positions int
	// least is at how many positions signatures agree at least, if their sets are similar
	// enough or, where these are compared themselves, could be.
	least int
}

// doubt is by how many standard errors an estimate may fall short of the threshold before
// the sets themselves are not looked at: one pair in 30,000 at the threshold does.
const doubt = 4

func newVerifier(c Criterion, positions int) *verifier {
	v := &verifier{threshold: c.Threshold, how: c.Verify, positions: positions}
	from := c.Threshold
	switch v.how {
	case Exact:
		from -= doubt * minhash.PackedStandardError(c.Threshold, positions, analysis.SignatureBits)
	case Unverified:
		from = 0
	}
	for v.least < positions && minhash.PackedJaccard(v.least, positions, analysis.SignatureBits) < from {
		v.least++
	}
	if from <= 0 {
		v.least = 0
	}
	return v
}

// estimate returns the similarity that signatures suggest, and whether it is worth going on.
func (v *verifier) estimate(a, b []byte) (float64, bool) {
	agree := minhash.Agree(a, b, v.positions, analysis.SignatureBits)
	return minhash.PackedJaccard(agree, v.positions, analysis.SignatureBits), agree >= v.least
}

// couldBe reports whether sets of such sizes may be similar enough.
func (v *verifier) couldBe(a, b int) bool {
	return float64(min(a, b)) >= math.Floor(v.threshold*float64(max(a, b)))
}
