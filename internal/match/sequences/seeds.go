package sequences

import (
	"cmp"
	"slices"
)

// An index keeps a code of one byte for each word, in the order of the text. Equal words have equal codes, so that
// two texts that agree within some bounds have codes that do: what the codes do not share, the texts do not.
//
// Codes are found by seeds. A gram is three codes that follow each other. Of each four grams that do, the one that
// comes first in a fixed order is a seed, the first of equal ones. So each run of six words has a seed, the same one
// in each text (winnowing: Schleimer, Wilkerson and Aiken 2003, https://doi.org/10.1145/872757.872770). In a random
// order, 40 % of the grams are seeds. If grams come first whose least code is that in the middle, then those whose
// least code is the first one, 35 % are: two that follow each other cannot both be of the first kind.
//
// A seed is kept with some bits of the three codes before it and behind it, its surroundings: these tell whether the
// six words of the query are there.

const (
	gramWords  = 3
	gramWindow = 4
	// seededRun is the length of runs each of which has a seed.
	seededRun = gramWords + gramWindow - 1
)

// Code returns the code of a word by its hash.
func Code(word uint64) uint8 { return uint8(word >> 56) }

// AppendCodes appends the codes of words to dst.
func AppendCodes(dst []uint8, words []uint64) []uint8 {
	for _, w := range words {
		dst = append(dst, Code(w))
	}
	return dst
}

// gramAt returns the gram that begins at code i, mixed. Distinct grams are distinct.
func gramAt(codes []uint8, i int) uint32 {
	x := uint32(codes[i])<<16 | uint32(codes[i+1])<<8 | uint32(codes[i+2])
	x = (x ^ x>>13) * 0x85ebca6b
	x = (x ^ x>>16) * 0xc2b2ae35
	return x ^ x>>15
}

// rankAt returns the place in the order of grams of the gram that begins at code i. It does without branches, which
// nobody could predict.
func rankAt(codes []uint8, i int, gram uint32) uint32 {
	first, middle, last := int32(codes[i]), int32(codes[i+1]), int32(codes[i+2])
	under := uint32(middle-first) >> 31 &^ (uint32(last-middle) >> 31) // 1 if the middle is less than the first, and no more than the last
	kind := (under ^ 1) * (1 + uint32(last-first)>>31)                 // 0; 1 if the first is the least, 2 if the last is
	return gram>>2 | kind<<30
}

// eachSeed calls do with each seed of codes: where it begins, and its gram.
func eachSeed(codes []uint8, do func(at int, gram uint32)) {
	n := len(codes) - gramWords + 1
	if n < gramWindow {
		return
	}
	grams := make([]uint64, n) // with their places in the order
	for i := range grams {
		gram := gramAt(codes, i)
		grams[i] = uint64(gram)<<32 | uint64(rankAt(codes, i, gram))
	}
	for _, at := range AppendLeast(nil, grams, gramWindow) {
		do(int(at), uint32(grams[at]>>32))
	}
}

// AppendLeast appends the place of the least hash of each window of n hashes, the first of equal ones, in ascending
// order and once each. It compares the lower halves, so that the upper ones, by which tables are searched, stay
// uniform.
func AppendLeast(dst []int32, hashes []uint64, n int) []int32 {
	least, at := uint32(0), -1
	for last := n - 1; last < len(hashes); last++ {
		from := last - n + 1
		switch next := uint32(hashes[last]); {
		case at < from:
			least, at = uint32(hashes[from]), from
			for i, hash := range hashes[from+1 : last+1] {
				if uint32(hash) < least {
					least, at = uint32(hash), from+1+i
				}
			}
		case next < least:
			least, at = next, last
		default:
			continue
		}
		dst = append(dst, int32(at))
	}
	return dst
}

// Bits of the surroundings of a seed: of the codes before it, the nearest first, and of those behind it.
const (
	before1, before2, before3 = 0x7, 0x7 << 3, 0x3 << 6
	behind1, behind2, behind3 = 0x7 << 8, 0x7 << 11, 0x3 << 14
)

// sides are the surroundings of a seed in six words that have it: how many of these are before it, and their bits.
var sides = [gramWindow]uint16{
	behind1 | behind2 | behind3, before1 | behind1 | behind2, before1 | before2 | behind1, before1 | before2 | before3,
}

// surroundings returns the bits of the codes around the seed at a place. Codes that a text does not have have bits 0.
func surroundings(codes []uint8, at int) (bits uint16) {
	shifts, end := [3]uint{0, 3, 6}, at+gramWords
	for i, s := range shifts {
		if at-1-i >= 0 {
			bits |= uint16(codes[at-1-i]) << s & [3]uint16{before1, before2, before3}[i]
		}
		if end+i < len(codes) {
			bits |= uint16(codes[end+i]) << (s + 8) & [3]uint16{behind1, behind2, behind3}[i]
		}
	}
	return bits
}

// A sought is a seed of a query.
type sought struct {
	gram  uint32
	bits  uint16
	sides []uint16 // of which one must agree
}

// manySought is the number of seeds from which on repeated ones are left out. Sorting the few of most texts would
// take longer.
const manySought = 1024

// soughtOf returns the seeds of codes. Of many, a seed that the text repeats is returned once: otherwise a text that
// repeats a few words, and a document that does, would take quadratic time.
func soughtOf(codes []uint8) (all []sought) {
	eachSeed(codes, func(at int, gram uint32) {
		s := sought{gram: gram, bits: surroundings(codes, at)}
		lo, hi := max(0, at+seededRun-len(codes)), min(at, gramWindow-1) // how many words may be before it
		s.sides = sides[lo : hi+1]
		all = append(all, s)
	})
	if len(all) < manySought {
		return all
	}
	slices.SortFunc(all, func(x, y sought) int {
		return cmp.Or(cmp.Compare(x.gram, y.gram), cmp.Compare(x.bits, y.bits), slices.Compare(x.sides, y.sides))
	})
	return slices.CompactFunc(all, func(x, y sought) bool {
		return x.gram == y.gram && x.bits == y.bits && slices.Equal(x.sides, y.sides)
	})
}

// agrees reports whether a run of six words that has the seed may surround one with some bits.
func (s *sought) agrees(bits uint16) bool {
	differ := s.bits ^ bits
	for _, side := range s.sides {
		if differ&side == 0 {
			return true
		}
	}
	return false
}
