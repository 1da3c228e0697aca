package analysis

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"simsearch/internal/ints"
)

// A set of rare n-grams (preprocess.FeatureSpec.Rare) has about a fifth of the 5-grams of its text, so that it takes what a set
// of words takes. Each 5-gram has a priority from 0 to 1, which is the same in all texts: the bits of its hash in reverse,
// divided by 2^64. A set has those whose priority is less than w/4. The weight w of a 5-gram is 1 if it is rare, and less if it is
// common in some language:
//
//	w = ln(1 + 1/s) / ln(1 + 1/rareShare)
//
// with s the share of stretches of 2,000 bytes that have it, at least rareShare. So the Jaccard similarity J of two such sets is an
// estimate of the Jaccard similarity of all 5-grams, weighted by rarity, with a standard error of sqrt(J·(1−J)/n) for n
// features in either set. Searches of the sets themselves are exact. (Sampling by hash is the modulo sampling of A. Broder,
// "On the resemblance and containment of documents", 1997; by weight, it is Poisson sampling with shared random numbers.)
//
// Short texts would have few. So the leastRare 5-grams of a text with the least priorities are in its set in any case, but for
// those that are left out since they are common.

// leastRare is how many features a set of rare n-grams has at least, if its text has as many.
const leastRare = 32

// rareShare is the share of stretches up to which a 5-gram is rare.
const rareShare = 0.01

// CommonBits is how many first bits of the hash of a 5-gram say whether it is left out.
const CommonBits = 36

// common.bin lists the 5-grams that are left out because of their weight, of those with a priority below 1/4: the
// first CommonBits bits of their hashes, each as the difference from the one before, as LEB128. bench/commongrams makes it.
//
//go:embed common.bin
var commonGrams []byte

// LeavesOut reports whether a set of rare n-grams leaves out the one with the given hash, for the share of stretches that have
// it, although its priority is below 1/4. It is what common.bin is made by.
func LeavesOut(hash uint64, share float64) bool {
	weight := math.Log(1+1/max(share, rareShare)) / math.Log(1+1/rareShare)
	priority := float64(bits.Reverse64(hash)>>11) / (1 << 53)
	return priority < .25 && priority >= weight/4
}

// common returns the keys of common.bin, and their directory.
var common = sync.OnceValues(func() (keys []uint64, dir ints.Directory) {
	key := uint64(0)
	for rest := commonGrams; len(rest) > 0; {
		d, n := binary.Uvarint(rest)
		if n <= 0 {
			panic("common.bin is damaged") // impossible: it is embedded, and tested
		}
		key, rest = key+d, rest[n:]
		keys = append(keys, key)
	}
	dir = ints.OutlineDirectory(CommonBits, ints.DirectoryBits(len(keys), CommonBits, 0))
	dir.Build(keys)
	return keys, dir
})

// isCommon reports whether a 5-gram is left out since it is common.
func isCommon(keys []uint64, dir *ints.Directory, hash uint64) bool {
	key := hash >> (64 - CommonBits)
	slot := dir.Slot(key)
	for _, k := range keys[dir.Starts[slot]:dir.Starts[slot+1]] {
		if k == key {
			return true
		}
	}
	return false
}

// rare sets s.set to the set of rare n-grams among the hashed features.
func (s *Scratch) rare() []uint64 {
	s.set = slices.Grow(s.set[:0], len(s.hashes))[:len(s.hashes)]
	n := 0
	for _, h := range s.hashes { // without a branch that no processor can foresee
		s.set[n] = h
		n += int((h&3 - 1) >> 63)
	}
	s.set = s.set[:n]
	ints.SortFew(s.set, &s.sketch)
	keys, dir := common()
	left := func(h uint64) bool { return h&3 == 0 && isCommon(keys, &dir, h) }
	if s.set = slices.DeleteFunc(compact(s.set), left); len(s.set) >= leastRare {
		return s.set
	}
	if s.set = slices.DeleteFunc(s.distinct(), left); len(s.set) > leastRare {
		slices.SortFunc(s.set, byPriority)
		s.set = s.set[:leastRare]
		slices.Sort(s.set)
	}
	return s.set
}

func byPriority(a, b uint64) int { return cmp.Compare(bits.Reverse64(a), bits.Reverse64(b)) }

// referenceRare returns the set of rare n-grams of hashes, of which several may be equal, as the comment above says.
func referenceRare(hashes []uint64) (set []uint64) {
	keys, _ := common()
	all := slices.SortedFunc(slices.Values(hashes), byPriority)
	for _, h := range slices.Compact(all) {
		_, left := slices.BinarySearch(keys, h>>(64-CommonBits))
		below := bits.Reverse64(h) < 1<<62
		if (below || len(set) < leastRare) && !(below && left) {
			set = append(set, h)
		}
	}
	return slices.Sorted(slices.Values(set))
}
