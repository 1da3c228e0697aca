package eval

import (
	"math/rand/v2"
	"slices"
)

// random returns a random source for one purpose. It depends on the seed and on what alone.
func (c *Collection) random(what string) *rand.Rand {
	h := c.o.Seed
	for _, b := range []byte(what) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(c.o.Seed, h))
}

// withFeatures returns the documents with features, ascending.
func (c *Collection) withFeatures() (docs []uint32) {
	for doc, set := range c.Features {
		if len(set) > 0 && len(c.Sets[doc]) > 0 {
			docs = append(docs, uint32(doc))
		}
	}
	return docs
}

// shuffled returns the documents with features in a random order for one purpose.
func (c *Collection) shuffled(what string) []uint32 {
	docs := c.withFeatures()
	c.random(what).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

// Sizes of samples. The standard error of a share is below half a percent.
const (
	sampleNear    = 20_000 // pairs in the truth
	sampleSharing = 20_000 // pairs that share a feature
	sampleRandom  = 20_000
)

// sample returns distinct pairs of documents with features. In a small collection they are all pairs.
// Otherwise they are pairs in the truth, pairs that share a feature, and random pairs. Random pairs stand
// for nearly all pairs of the collection; the others stand for similar pairs, which a random draw would
// hardly meet.
//
// Similar pairs are drawn by exact features only. The pairs that are near by fingerprints are those with
// an estimated distance that errs on the near side. Drawing from these once showed a bias of the estimate
// that does not exist.
//
// Each call returns the same slice, which must not be changed.
func (c *Collection) sample() (out [][2]uint32) {
	if c.drawnPairs != nil {
		return c.drawnPairs
	}
	defer func() { c.drawnPairs = out }()
	docs := c.withFeatures()
	n := len(docs)
	if n*(n-1)/2 <= sampleNear+sampleSharing+sampleRandom {
		for i, a := range docs {
			for _, b := range docs[i+1:] {
				out = append(out, [2]uint32{a, b})
			}
		}
		return out
	}
	r := c.random("sample")
	var near [][2]uint32
	for _, p := range c.Truth.All {
		if len(c.Features[p.A]) > 0 && len(c.Features[p.B]) > 0 {
			near = append(near, [2]uint32{p.A, p.B})
		}
	}
	r.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
	out = append(near[:min(len(near), sampleNear)], c.sharing(r, sampleSharing)...)
	for range sampleRandom {
		a, b := docs[r.IntN(n)], docs[r.IntN(n)]
		if a != b {
			out = append(out, [2]uint32{min(a, b), max(a, b)})
		}
	}
	slices.SortFunc(out, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
	return slices.Compact(out)
}

// sharing returns up to n pairs of documents that share a feature. It draws the shared feature uniformly,
// then two documents that have it.
func (c *Collection) sharing(r *rand.Rand, n int) (out [][2]uint32) {
	total := 0
	for _, set := range c.Sets {
		total += len(set)
	}
	// Of more than held features, only a part is looked at: those with small salted hashes.
	const held = 2 << 20
	salt, limit := r.Uint64()|1, ^uint64(0)
	if total > held {
		limit = uint64(float64(limit) * held / float64(total))
	}
	documents := map[uint64][]uint32{}
	var shared []uint64
	for _, doc := range c.withFeatures() {
		for _, x := range c.Sets[doc] {
			if (x^x>>32)*salt > limit {
				continue
			}
			if documents[x] = append(documents[x], doc); len(documents[x]) == 2 {
				shared = append(shared, x)
			}
		}
	}
	if len(shared) == 0 {
		return nil
	}
	for range n {
		with := documents[shared[r.IntN(len(shared))]]
		a, b := with[r.IntN(len(with))], with[r.IntN(len(with))]
		if a != b {
			out = append(out, [2]uint32{min(a, b), max(a, b)})
		}
	}
	return out
}
