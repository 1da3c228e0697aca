package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/ground/ints"
	"simsearch/internal/quality/truth"
	"simsearch/minhash"
)

// The searches of published runs use sets of word n-grams. Clusters are the connected components of
// near pairs.

// gramSets returns the set of word n-grams of each text, as ascending hashes. Words are lower-case runs of letters,
// digits and underscores, as in the published runs. A text of fewer than n words has one gram with all its words.
func gramSets(texts []string, n int) [][]uint64 {
	out := make([][]uint64, len(texts))
	for i, text := range texts {
		ws := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		if len(ws) == 0 {
			continue
		}
		var set []uint64
		for at := 0; at == 0 || at+n <= len(ws); at++ {
			set = append(set, fingerprint.Murmur3.Sum([]byte(strings.Join(ws[at:min(len(ws), at+n)], " "))))
		}
		slices.Sort(set)
		out[i] = slices.Compact(set)
	}
	return out
}

// byBands returns the components of sets that agree on a band. A sketch has perms values and is cut
// into bands of rows values each. Candidates are not verified.
func byBands(sets [][]uint64, perms, bands, rows int, seed uint64) ints.DisjointSets {
	s := minhash.VariantFast.New(perms, seed)
	sketches := make([][]uint64, len(sets))
	for i, set := range sets {
		if len(set) > 0 {
			sketches[i] = s.Sketch(nil, set)
		}
	}
	components := ints.NewDisjointSets(len(sets))
	for b := range bands {
		first := map[uint64]uint32{}
		for i, sketch := range sketches {
			if sketch == nil {
				continue
			}
			var key []byte
			for _, v := range sketch[b*rows : (b+1)*rows] {
				key = fmt.Appendf(key, "%x.", v)
			}
			h := fingerprint.Murmur3.Sum(key)
			if other, ok := first[h]; ok {
				components.Union(other, uint32(i))
			} else {
				first[h] = uint32(i)
			}
		}
	}
	return components
}

// byDistance returns the components of sets whose SimHashes are within distance k.
func byDistance(ctx context.Context, sets [][]uint64, k int) (ints.DisjointSets, error) {
	components := ints.NewDisjointSets(len(sets))
	var values []uint64
	var docs []uint32
	var near []hamming.Match
	for i, set := range sets {
		fp, ok := fingerprint.Unit(set, 64)
		if !ok {
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		near = hamming.Scan(near[:0], values, fp, k)
		for _, m := range near {
			components.Union(docs[m.Index], uint32(i))
		}
		values, docs = append(values, fp), append(docs, uint32(i))
	}
	return components, nil
}

// bySimilarity returns the components of sets with an exact Jaccard similarity of at least
// threshold and SimHashes within distance k.
func bySimilarity(ctx context.Context, sets [][]uint64, threshold float64, k, threads int) (ints.DisjointSets, error) {
	pairs, err := truth.Joiner{Threads: threads}.Pairs(ctx, sets, threshold)
	components := ints.NewDisjointSets(len(sets))
	for _, p := range pairs {
		a, _ := fingerprint.Unit(sets[p.A], 64)
		b, _ := fingerprint.Unit(sets[p.B], 64)
		if hamming.Distance(a, b) <= k {
			components.Union(p.A, p.B)
		}
	}
	return components, err
}

// others returns, for each record, the other records of its component.
func others(components ints.DisjointSets) [][]uint32 {
	members := map[uint32][]uint32{}
	for i := range components {
		root := components.Find(uint32(i))
		members[root] = append(members[root], uint32(i))
	}
	out := make([][]uint32, len(components))
	for i := range components {
		for _, m := range members[components.Find(uint32(i))] {
			if m != uint32(i) {
				out[i] = append(out[i], m)
			}
		}
	}
	return out
}
