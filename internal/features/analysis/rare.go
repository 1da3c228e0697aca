package analysis

import (
	"cmp"
	"math/bits"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/ground/ints"
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
// Short texts, and texts of little else than a common form, would have few. So the leastRare 5-grams of a text that come first are
// in its set in any case, by their ranks: the priority divided by w². The weights of 5-grams of a priority of 1/4 or more are not
// learnt. They count as 1.
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
	*weights = c.weigh(*weights, features)
	n := 0
	for i, h := range features {
		if w := c.weight((*weights)[i]); bits.Reverse64(h)>>32<<2 < w*w { // so that the rank is below 1/4
			features[n] = h
			n++
		}
	}
	return features[:n]
}

// weigh returns the weights of features, in the memory of weights.
func (c *rareChoice) weigh(weights []uint32, features []uint64) []uint32 {
	weights, err := c.idf.Weights(weights[:0], features)
	if err != nil {
		panic(err) // impossible: the model has been verified
	}
	return weights
}

// weight returns w as a multiple of 2^-16.
func (c *rareChoice) weight(idf uint32) uint64 { return min(1<<16, uint64(idf)<<16/c.most) }

// rare sets s.set to the set of rare n-grams among the hashed features.
func (s *Scratch) rare(c *rareChoice) []uint64 {
	s.rarest()
	if s.set = c.keep(s.set, &s.weights); len(s.set) < leastRare {
		s.first(c)
	}
	return s.set
}

// rarest sets s.set to the hashed features of priorities below 1/4.
func (s *Scratch) rarest() {
	s.set = slices.Grow(s.set[:0], len(s.hashes))[:len(s.hashes)]
	s.set = s.set[:quarter(s.set, s.hashes)]
	ints.SortFew(s.set, &s.sketch)
	s.set = compact(s.set)
}

// first sets s.set to the leastRare hashed features of the least ranks.
func (s *Scratch) first(c *rareChoice) {
	s.ranked = slices.Grow(s.ranked[:0], leastRare)
	for _, h := range s.hashes {
		if c.idf == nil || h&3 != 0 {
			s.rank(h, bits.Reverse64(h)>>32)
		}
	}
	if c.idf != nil {
		s.rarest()
		s.weights = c.weigh(s.weights, s.set)
		for i, h := range s.set {
			w := c.weight(s.weights[i])
			s.rank(h, bits.Reverse64(h)>>32<<32/(w*w))
		}
	}
	s.set = s.set[:0]
	for _, f := range s.ranked {
		s.set = append(s.set, f.feature)
	}
	slices.Sort(s.set)
}

// A ranked feature has a rank in multiples of 2^-32. Of those of equal ranks, the one of the smaller priority comes first.
type ranked struct{ feature, rank uint64 }

func byRank(a, b ranked) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(bits.Reverse64(a.feature), bits.Reverse64(b.feature)))
}

// rank puts a feature into s.ranked, which is ordered, if it is among the first.
func (s *Scratch) rank(feature, rank uint64) {
	full := len(s.ranked) == leastRare
	if full && rank > s.ranked[leastRare-1].rank {
		return
	}
	f := ranked{feature, rank}
	at, known := slices.BinarySearchFunc(s.ranked, f, byRank)
	if known || at == leastRare {
		return
	}
	if full {
		s.ranked = s.ranked[:leastRare-1]
	}
	s.ranked = slices.Insert(s.ranked, at, f)
}

// quarter copies to dst those of hashes whose priorities are below 1/4, and returns their number. dst is as long as hashes.
func quarter(dst, hashes []uint64) (n int) {
	for _, h := range hashes { // without a branch that no processor can foresee
		dst[n] = h
		n += int((h&3 - 1) >> 63)
	}
	return n
}

// referenceRare returns the set of rare n-grams of hashes, of which several may be equal, as the comment above says.
func referenceRare(hashes []uint64, weight func(hash uint64) uint64, most uint64) (set []uint64) {
	var all []ranked
	for _, h := range hashes {
		w := uint64(1 << 16)
		if h%4 == 0 {
			w = min(w, weight(h)<<16/most)
		}
		all = append(all, ranked{h, bits.Reverse64(h) >> 32 << 32 / (w * w)})
	}
	slices.SortFunc(all, byRank)
	for i, f := range slices.Compact(all) {
		if i < leastRare || f.rank < 1<<30 {
			set = append(set, f.feature)
		}
	}
	return slices.Sorted(slices.Values(set))
}
