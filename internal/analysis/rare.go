package analysis

import (
	"cmp"
	"math/bits"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/ints"
)

// A set of rare n-grams (preprocess.FeatureSpec.Rare) has a quarter of the 5-grams of its text at most, so that it takes what a
// set of words takes. Each 5-gram has a priority, which is the same in all texts: the bits of its hash in reverse, as a fraction
// in [0, 1). A set has those of a priority below w²/4. The weight w of a 5-gram is its inverse document frequency in the
// collection, as a share of the largest one that counts:
//
//	w = min(1, idf / (1 + log2(min(rareAmong, documents + 1))))
//
// So the Jaccard similarity J of two such sets estimates the Jaccard similarity of all 5-grams, weighted by w², with a standard
// error of sqrt(J·(1−J)/n) for n features in either set. Searches of the sets themselves are exact. Choosing features by their
// hashes is the sampling of A. Broder, "On the resemblance and containment of documents" (1997); choosing them by weight, too, is
// Poisson sampling with shared random numbers.
//
// Short texts would have few. So the leastRare 5-grams of a text with the least priorities are in its set in any case.
//
// The document frequencies are learnt from some of the documents, before the first set is made, and never change. An analysis
// that has learnt nothing takes all 5-grams for rare.

// leastRare is how many features a set of rare n-grams has at least, if its text has as many.
const leastRare = 32

// rareAmong is among how many documents a feature is rare that one of them has.
const rareAmong = 300

// A rareChoice chooses features by their weights.
type rareChoice struct {
	idf  IDF    // nil if all are rare
	most uint64 // the largest weight that counts

}

func newRareChoice(idf IDF) rareChoice {
	return rareChoice{idf: idf, most: uint64(fingerprint.MaxIDFWeight(min(rareAmong, idf.Documents()+1)))}
}

// keep returns those of features, whose priorities are below 1/4, that a set has. It overwrites features.
func (c *rareChoice) keep(features []uint64, weights *[]uint32) []uint64 {
	if c.idf == nil {
		return features
	}
	var err error
	if *weights, err = c.idf.Weights((*weights)[:0], features); err != nil {
		return features // impossible: the model has been verified
	}
	n := 0
	for i, h := range features {
		w := min(1<<16, uint64((*weights)[i])<<16/c.most)
		if bits.Reverse64(h)>>46 < w*w>>16 {
			features[n] = h
			n++
		}
	}
	return features[:n]
}

// rare sets s.set to the set of rare n-grams among the hashed features.
func (s *Scratch) rare(c *rareChoice) []uint64 {
	s.set = slices.Grow(s.set[:0], len(s.hashes))[:len(s.hashes)]
	s.set = s.set[:quarter(s.set, s.hashes)]
	ints.SortFew(s.set, &s.sketch)
	if s.set = c.keep(compact(s.set), &s.weights); len(s.set) >= leastRare {
		return s.set
	}
	if s.distinct(); len(s.set) > leastRare {
		slices.SortFunc(s.set, byPriority)
		s.set = s.set[:leastRare]
		slices.Sort(s.set)
	}
	return s.set
}

// quarter copies to dst those of hashes whose priorities are below 1/4, and returns their number. dst is as long as hashes.
func quarter(dst, hashes []uint64) (n int) {
	for _, h := range hashes { // without a branch that no processor can foresee
		dst[n] = h
		n += int((h&3 - 1) >> 63)
	}
	return n
}

func byPriority(a, b uint64) int { return cmp.Compare(bits.Reverse64(a), bits.Reverse64(b)) }

// referenceRare returns the set of rare n-grams of hashes, of which several may be equal, as the comment above says.
func referenceRare(hashes []uint64, weight func(hash uint64) uint64, most uint64) (set []uint64) {
	all := slices.Compact(slices.SortedFunc(slices.Values(hashes), byPriority))
	for _, h := range all {
		w := min(1<<16, weight(h)<<16/most)
		if bits.Reverse64(h)>>46 < w*w>>16 {
			set = append(set, h)
		}
	}
	if len(set) < leastRare {
		set = all[:min(len(all), leastRare)]
	}
	return slices.Sorted(slices.Values(set))
}
