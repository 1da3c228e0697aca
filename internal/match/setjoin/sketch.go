package setjoin

import "math/bits"

// Sketches bound from below how many features two sets do not share. The sketch of a set has a bit for each remainder
// of hashes of its ranks, which says whether an odd number of them have it. Of two sets, at least as many features
// belong to one alone as bits differ. (A bitmap filter: Sandes, Teodoro and Melo 2020, who set bits in turn, too.)
//
// A record is a sketch, and behind it how many features the set has and how many of them are not in the sketch, in 32
// bits each, the former in the upper ones, of which the first is set if the set is in a crowd (listing). Not in the
// sketch are features without a rank, and those that join.leaveBehind takes out.
type sketches struct {
	words   int // of each sketch, even
	records []uint64
}

// newSketches returns n empty sketches for sets of the given mean size, of which at most limit features need not be
// shared. Sketches of sets that have little in common differ in half of their bits. A sketch takes no more than a
// byte a feature.
func newSketches(n, mean, limit int) *sketches {
	words := sketchWords(mean, limit)
	return &sketches{words: words, records: make([]uint64, n*(words+1))}
}

func sketchWords(mean, limit int) (words int) {
	const margin = 4
	words = 2
	for 64*words < margin*limit && 8*(words+2) <= mean {
		words += 2
	}
	return words
}

// record returns record i.
func (s *sketches) record(i uint32) []uint64 {
	at := int(i) * (s.words + 1)
	return s.records[at : at+s.words+1]
}

func (s *sketches) describe(record []uint64, size, alone int) {
	record[s.words] = uint64(size)<<32 | uint64(alone)
}

func (s *sketches) sizeOf(record []uint64) int { return int(record[s.words] >> 32 &^ (1 << 31)) }

// aloneOf returns how many features are not in the sketch. They belong to this set alone, of a pair that is yet to be
// found.
func (s *sketches) aloneOf(record []uint64) int { return int(uint32(record[s.words])) }

func (s *sketches) inCrowd(record []uint64) bool { return record[s.words]>>63 != 0 }
func (s *sketches) setInCrowd(record []uint64)   { record[s.words] |= 1 << 63 }

// flip adds a rank to a sketch.
func flip(sketch []uint64, rank uint32) {
	at := uint64(rank*golden32) * uint64(64*len(sketch)) >> 32
	sketch[at/64] ^= 1 << (at % 64)
}

// golden32 spreads ranks, and golden64 pairs.
const golden32, golden64 = 0x9e3779b1, 0x9e3779b97f4a7c15

// within reports whether at most limit bits of two sketches differ. It mostly looks at two words.
func within(a, b []uint64, limit int) bool {
	b = b[:len(a)]
	for i := 0; i+1 < len(a); i += 2 {
		if limit -= bits.OnesCount64(a[i]^b[i]) + bits.OnesCount64(a[i+1]^b[i+1]); limit < 0 {
			return false
		}
	}
	return true
}
