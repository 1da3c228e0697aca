package prefix

import (
	"encoding/binary"
	"sync"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// Sets are the sets of a collection, numbered from 0, with the vocabulary that they are coded by and the
// postings of their prefixes. They are immutable and safe for concurrent use.
type Sets struct {
	features  section.Array[uint64] // of each rank; none in sets for pairs only
	ranks     int                   // features with a rank
	pairsOnly bool                  // features without a rank are not there
	ends      section.Array[uint64] // where the code of each set ends
	coded     section.Array[byte]
	postings  *Postings
	queries   sync.Pool // of *query
	scratch   sync.Pool // of *[]uint64
}

// Names of the sections of the codes.
const (
	secEnds  = "sets.ends"
	secCoded = "sets.coded"
)

// Load returns the n sets that Write put into f. They refer to the bytes of f, which must not change while
// the sets are used. Load checks the sizes of all sections, and no contents. Searches check a block when
// they first use it.
func Load(f *section.File, n uint64) *Sets {
	s := LoadCoded(f, n)
	if f.Has(secRarity) { // else scan
		s.postings = loadPostings(f, n)
	}
	return s
}

// HasCoded reports whether a file has sets, for LoadCoded.
func HasCoded(f *section.File) bool { return f.Has(secEnds) }

// LoadCoded is Load without the postings: searches compare all sets.
func LoadCoded(f *section.File, n uint64) *Sets {
	s := &Sets{postings: &Postings{}, features: loadFeatures(f), coded: section.Integers[byte](f, secCoded, section.Any)}
	s.ranks = s.features.Len()
	s.ends = section.Integers[uint64](f, secEnds, n)
	return s
}

// pairsOnly is said of asking sets for pairs only for anything else.
const pairsOnly = "prefix: the sets were collected for pairs only"

// Len returns the number of sets.
func (s *Sets) Len() int { return s.ends.Len() }

// Ranks returns the number of features that two sets or more have.
func (s *Sets) Ranks() int { return s.ranks }

// Bytes returns the number of bytes that code the sets: a little more than a byte a feature that several sets have.
func (s *Sets) Bytes() int { return s.coded.Len() }

// Plan returns what the postings were made for. It is zero if there are none.
func (s *Sets) Plan() Plan { return s.postings.plan }

// Code returns the code of set i.
func (s *Sets) Code(i uint32) []byte {
	var lo, hi uint64
	if i == 0 {
		hi = s.ends.At(0)
	} else {
		both := s.ends.Range(uint64(i)-1, uint64(i)+1)
		lo, hi = both[0], both[1]
	}
	if lo >= hi || hi > uint64(s.coded.Len()) {
		panic(s.ends.Corruptf(uint64(i), "the code of set %d spans [%d, %d) of %d", i, lo, hi, s.coded.Len()))
	}
	return s.coded.Range(lo, hi)
}

// Decoder returns a decoder of set i.
func (s *Sets) Decoder(i uint32) Decoder {
	d, err := decode(s.Code(i), s.ranks, s.pairsOnly)
	if err != nil {
		panic(s.Bad(i, err))
	}
	return d
}

// Bad returns the error of the code of set i, for the error of decoding it.
func (s *Sets) Bad(i uint32, err error) error {
	at := uint64(0)
	if i > 0 {
		at = s.ends.All[i-1]
	}
	return s.coded.Corruptf(at, "set %d: %v", i, err)
}

// Size returns the number of features of set i, i < Len().
func (s *Sets) Size(i uint32) int { return s.Decoder(i).Features }

// AppendSet appends the features of set i, i < Len(), ascending, and returns the extended slice. It
// allocates only to grow dst.
func (s *Sets) AppendSet(dst []uint64, i uint32) []uint64 {
	from := len(dst)
	dst = s.appendRanked(dst, i)
	scratch, _ := s.scratch.Get().(*[]uint64)
	if scratch == nil {
		scratch = new([]uint64)
	}
	ints.SortFew(dst[from:], scratch)
	s.scratch.Put(scratch)
	return dst
}

// appendRanked is AppendSet in another order: the rarest features first, but those that have no rank come last.
func (s *Sets) appendRanked(dst []uint64, i uint32) []uint64 {
	if s.pairsOnly {
		panic(pairsOnly)
	}
	d := s.Decoder(i)
	for d.Ranks > 0 {
		rank, err := d.Rank()
		if err != nil {
			panic(s.Bad(i, err))
		}
		dst = append(dst, s.features.At(uint64(rank)))
	}
	singles, err := d.Singles()
	if err != nil {
		panic(s.Bad(i, err))
	}
	for ; len(singles) > 0; singles = singles[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(singles))
	}
	return dst
}

// Features appends the ranks of set i, i < Len(), ascending, and returns the extended slice, and how many features of
// it no other set has.
func (s *Sets) Features(dst []uint64, i uint32) (ranks []uint64, alone int) {
	d := s.Decoder(i)
	for d.Ranks > 0 {
		rank, err := d.Rank()
		if err != nil {
			panic(s.Bad(i, err))
		}
		dst = append(dst, uint64(rank))
	}
	return dst, d.Alone
}

// AppendShape appends what set i, i < Len(), has in common with sets that differ from it only in features
// of no other set: its ranks, coded. It returns the extended slice, and the numbers of features with a rank
// and without.
func (s *Sets) AppendShape(dst []byte, i uint32) (shape []byte, ranks, alone int) {
	d := s.Decoder(i)
	singles := 8 * d.Alone
	if s.pairsOnly {
		singles = 0
	}
	rest := d.Rest()
	if singles > len(rest) {
		panic(s.Bad(i, errCoded))
	}
	return append(dst, rest[:len(rest)-singles]...), d.Ranks, d.Alone
}

// Shared returns how many features sets i and j share, both less than Len(), and how many each has.
func (s *Sets) Shared(i, j uint32) (shared, sizeI, sizeJ int) {
	a, b := s.Decoder(i), s.Decoder(j)
	if sizeI, sizeJ = a.Features, b.Features; i == j {
		return sizeI, sizeI, sizeJ
	}
	return s.merge(i, j, a, b, NoRank, 0), sizeI, sizeJ
}

// SharedFrom returns how many features two sets share if the first rank that they share is the given one. If
// it is another one, the answer is 0. If they share less than least features, the answer is some such number.
func (s *Sets) SharedFrom(i, j, rank uint32, least int) (shared int) {
	return s.merge(i, j, s.Decoder(i), s.Decoder(j), rank, least)
}

// merge is SharedFrom of sets i and j, which a and b decode. With NoRank, the first rank may be any. Features without
// a rank belong to one set.
func (s *Sets) merge(i, j uint32, a, b Decoder, rank uint32, least int) (shared int) {
	if a.Ranks == 0 || b.Ranks == 0 {
		return 0
	}
	x, err := a.Rank()
	if err != nil {
		panic(s.Bad(i, err))
	}
	y, err := b.Rank()
	if err != nil {
		panic(s.Bad(j, err))
	}
	for need := max(1, least); ; { // ranks that each set must still have
		if x == y {
			if shared == 0 && x != rank && rank != NoRank {
				return 0
			}
			shared++
			need = max(1, least-shared)
		}
		less := x <= y
		if y <= x {
			if b.Ranks < need {
				return shared
			}
			if y, err = b.Rank(); err != nil {
				panic(s.Bad(j, err))
			}
		}
		if less {
			if a.Ranks < need {
				return shared
			}
			if x, err = a.Rank(); err != nil {
				panic(s.Bad(i, err))
			}
		}
	}
}

// Check checks all sets against their checksums, so that reading them needs no further check.
func (s *Sets) Check() {
	s.ends.Check(0, uint64(s.ends.Len()))
	s.coded.Check(0, uint64(s.coded.Len()))
}

// secFeatures is the section of a vocabulary.
const secFeatures = "vocabulary.features"

// loadFeatures loads the feature of each rank. It checks the size, and no contents.
func loadFeatures(f *section.File) section.Array[uint64] {
	size := f.Size(secFeatures)
	if size/8 >= 1<<32 {
		panic(f.Corruptf(secFeatures, 0, "%d features", size/8))
	}
	return section.Integers[uint64](f, secFeatures, size/8)
}
