package steps

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/join"
	"simsearch/internal/match/prefix"
	"simsearch/internal/quality/explain"
)

// A gathered is what all sketches have, with equal sets of several sketches as one. It is a dedup.Measured.
//
// A document whose set no other document has, and is near no other set, is kept, whatever becomes of the others.
// Where the near pairs are known, such a document is left out.
type gathered struct {
	dedup.Restored
	sketches []*sketch
	distinct int      // sets of all sketches, with those that are left out
	firsts   []uint64 // each set where it comes first, as setID returns it, ascending
	starts   []uint64 // of the features of each, in its sketch
}

// gatherNear gathers what decisions depend on, and the near pairs. If none are given, or too many, it gathers
// everything.
func gatherNear(list []*sketch, parts inputs, how *dedup.Options) *gathered {
	fingerprints := how.ByDistance()
	words, many := parts.pairWords()
	pairs, sets := 0, setsIn(list)
	for _, of := range words {
		pairs += len(of) / pairWords
	}
	// Equal sets of several sketches count once. How many there are is known when these have been gathered.
	if !many && pairs <= join.MostListed(sets, fingerprints) {
		g := gather(list, needed(list, parts, words, spill.MemoryOr(how.Memory)/4))
		if pairs <= join.MostListed(g.distinct, fingerprints) {
			g.Near = g.pairs(parts, words, how)
			return g
		}
	}
	return gather(list, nil)
}

// setsIn returns how many sets sketches have, with equal ones of several sketches counted each time.
func setsIn(list []*sketch) (n int) {
	for _, s := range list {
		n += s.n
	}
	return n
}

// pairWords returns the pairs of each part, and whether there are none, or so many that they are not listed.
func (all inputs) pairWords() (words [][]uint64, many bool) {
	words, many = make([][]uint64, len(all)), len(all) == 0
	for i, in := range all {
		if words[i] = in.Uint64s(secPairs, section.Any); len(words[i])%pairWords != 0 {
			panic(in.Corruptf(secPairs, 0, "%d words are no pairs", len(words[i])))
		}
		many = many || in.Many
	}
	return words, many
}

// checkPairs returns an error if the pairs of a part are missing, or they are not of the plan of these sketches.
func (all inputs) checkPairs(list []*sketch) error {
	if len(all) == 0 {
		return nil
	}
	if n := all[0].Parts; n < 1 || n > maxParts {
		return all[0].Corruptf(section.About, 0, "%d parts: want 1 to %d", n, maxParts)
	}
	seen := make([]bool, all[0].Parts+1)
	for _, in := range all {
		switch {
		case in.Parts != all[0].Parts || in.Sets != all[0].Sets:
			return fmt.Errorf("%s and %s are of different plans", in.path, all[0].path)
		case in.Part < 1 || in.Part > in.Parts || seen[in.Part]:
			return fmt.Errorf("%s is part %d of %d once more: name each once", in.path, in.Part, in.Parts)
		}
		seen[in.Part] = true
	}
	if i := slices.Index(seen[1:], false); i >= 0 {
		return fmt.Errorf("part %d of %d is missing: name the pairs of all parts", i+1, all[0].Parts)
	}
	if sets := setsIn(list); uint64(sets) != all[0].Sets {
		return fmt.Errorf("%s is of other sketches, with %d sets and not %d", all[0].path, all[0].Sets, sets)
	}
	return nil
}

// needed returns the sets of each sketch that decisions depend on: those that are near others, those that several
// documents have, and perhaps a few more. words are the pairs of the parts.
func needed(list []*sketch, parts inputs, words [][]uint64, memory int64) []ints.NumberedSet {
	wanted := make([]ints.NumberedSet, len(list))
	for at, s := range list {
		wanted[at] = ints.NewNumberedSet(s.n)
		once := ints.NewNumberedSet(s.n)
		for _, set := range s.SetOf {
			if set != noSet && !once.Add(set) {
				wanted[at].Add(set)
			}
		}
	}
	for i, in := range parts {
		for j, id := range words[i] {
			if j%pairWords == pairWords-1 {
				continue
			}
			share, set := int(id>>32), int(uint32(id))
			if share < 1 || share > len(list) || set >= list[share-1].n {
				panic(in.Corruptf(secPairs, uint64(8*j), "a set that is not in the sketches"))
			}
			wanted[share-1].Add(uint32(set))
		}
	}
	if len(list) > 1 { // one sketch has each set once
		addRepeated(list, wanted, memory)
	}
	return wanted
}

// bytesOfDigest is what sorting takes for a digest.
const bytesOfDigest = 8 + 2*(8+4)

// addRepeated adds the sets that several sketches have, by half of their digests. It sorts as many at a time as
// memory allows.
func addRepeated(list []*sketch, wanted []ints.NumberedSet, memory int64) {
	rounds := 1 + uint64(setsIn(list))*bytesOfDigest/uint64(max(1, memory))
	for round := range rounds {
		var digests, ids []uint64
		for at, s := range list {
			for i := range s.n {
				digest := s.digests[2*i]
				if mine, _ := bits.Mul64(digest, rounds); mine == round {
					digests, ids = append(digests, digest), append(ids, setID(at, i))
				}
			}
		}
		order := numbered(len(digests))
		ints.SortPairs(digests, order)
		for i := 1; i < len(digests); i++ {
			if digests[i] != digests[i-1] {
				continue
			}
			for _, id := range []uint64{ids[order[i-1]], ids[order[i]]} {
				wanted[id>>32].Add(uint32(id))
			}
		}
	}
}

// gather puts sketches together: the documents whose sets are wanted, or all that have one if wanted is nil, and those
// with the id of one of them in the same file.
func gather(list []*sketch, wanted []ints.NumberedSet) *gathered {
	g := &gathered{sketches: list}
	g.Sets = g
	if wanted == nil {
		for _, s := range list {
			all := ints.NewNumberedSet(s.n)
			for i := range uint32(s.n) {
				all.Add(i)
			}
			wanted = append(wanted, all)
		}
	}
	numbers := g.addSets(wanted)
	chosen, documents, ids, keyed := make([]ints.NumberedSet, len(list)), 0, 0, false
	for at, s := range list {
		chosen[at] = s.documentsOf(wanted[at])
		for doc := range s.SetOf {
			if chosen[at].Has(uint32(doc)) {
				documents++
				ids += len(s.ID(uint32(doc)))
			}
		}
		g.Keyless += len(s.SetOf)
		keyed = keyed || slices.ContainsFunc(s.keys[0], dedup.IsKey)
	}
	if keyed {
		g.Keyless = 0
	}
	g.SetOf, g.Facts = make([]uint32, 0, documents), make([]explain.Facts, 0, documents)
	g.IDs, g.IDEnds = make([]byte, 0, ids), make([]uint64, 0, documents)
	g.Lengths, g.Digests = make([]uint32, 0, documents), make([]uint64, 0, documents)
	for i := range g.Keys {
		if list[0].keys[i] != nil {
			g.Keys[i] = make([]uint64, 0, documents)
		}
	}
	g.Numbers = make([]uint32, 0, documents)
	for at, s := range list {
		g.addDocuments(s, chosen[at], wanted[at], numbers[at])
		s.mapped.Expect(s.mapped.Data(), disk.Done)
	}
	return g
}

// addSets adds the sets of each sketch that are wanted. It returns the numbers that these have here.
func (g *gathered) addSets(wanted []ints.NumberedSet) (numbers [][]uint32) {
	n := 0
	for at, s := range g.sketches {
		n += wanted[at].Index()
		g.distinct += s.n
	}
	digests, ids := make([]uint64, 0, n), make([]uint64, 0, n)
	for at, s := range g.sketches {
		for set := range s.n {
			if wanted[at].Has(uint32(set)) {
				digests, ids = append(digests, s.digests[2*set]), append(ids, setID(at, set))
			}
		}
	}
	var same []uint32
	if len(g.sketches) > 1 { // one sketch has each set once
		rest := func(i uint32) uint64 { return g.sketches[ids[i]>>32].digests[2*(ids[i]&math.MaxUint32)+1] }
		same = repeats(digests, func(a, b uint32) bool { return rest(a) == rest(b) })
	}
	g.Sizes, g.firsts, g.starts = make([]uint32, 0, n), make([]uint64, 0, n), make([]uint64, 0, n)
	all := make([]uint32, 0, n) // that are wanted, one sketch after the other
	for at, s := range g.sketches {
		start, before := uint64(0), len(all)
		for set, size := range s.sizes {
			if wanted[at].Has(uint32(set)) {
				if i := len(all); same == nil || same[i] == uint32(i) {
					all = append(all, uint32(len(g.Sizes)))
					g.Sizes, g.firsts, g.starts = append(g.Sizes, size), append(g.firsts, setID(s.share.Number, set)), append(g.starts, start)
				} else {
					all = append(all, all[same[i]])
				}
			}
			start += uint64(size)
		}
		numbers = append(numbers, all[before:])
	}
	g.distinct -= n - len(g.Sizes)
	return numbers
}

// documentsOf returns the documents that have the sets, and those with the id of one of them in the same file, by
// which removed.jsonl tells which of them it names.
func (s *sketch) documentsOf(sets ints.NumberedSet) ints.NumberedSet {
	chosen, ids := ints.NewNumberedSet(len(s.SetOf)), map[uint64]bool{}
	from := 0
	for _, f := range s.Files {
		to := from + int(f.Documents)
		clear(ids)
		for doc := from; doc < to; doc++ {
			if set := s.SetOf[doc]; set != noSet && sets.Has(set) {
				chosen.Add(uint32(doc))
				ids[murmur3.Sum64(s.ID(uint32(doc)))] = true
			}
		}
		for doc := from; doc < to && len(ids) > 0; doc++ {
			if !chosen.Has(uint32(doc)) && ids[murmur3.Sum64(s.ID(uint32(doc)))] {
				chosen.Add(uint32(doc))
			}
		}
		from = to
	}
	return chosen
}

// addDocuments adds the chosen documents of a sketch, and the sets of these that have numbers.
func (g *gathered) addDocuments(s *sketch, chosen, sets ints.NumberedSet, numbers []uint32) {
	from := 0
	for _, f := range s.Files {
		to, before := from+int(f.Documents), len(g.SetOf)
		for doc := from; doc < to; doc++ {
			if !chosen.Has(uint32(doc)) {
				continue
			}
			set := s.SetOf[doc]
			if set != noSet && sets.Has(set) {
				set = numbers[sets.Before(set)]
			} else {
				set = noSet
			}
			facts := explain.Facts(s.facts[doc*explain.FactWords:])
			if !facts.Valid() {
				panic(s.Corruptf(secFacts, uint64(4*doc*explain.FactWords), "no language"))
			}
			g.SetOf, g.Facts = append(g.SetOf, set), append(g.Facts, facts)
			g.IDs = append(g.IDs, s.ID(uint32(doc))...)
			g.IDEnds = append(g.IDEnds, uint64(len(g.IDs)))
			g.Lengths, g.Digests = append(g.Lengths, s.Lengths[doc]), append(g.Digests, s.Digests[doc])
			for i, keys := range s.keys {
				if keys != nil {
					g.Keys[i] = append(g.Keys[i], keys[doc])
				}
			}
			g.Numbers = append(g.Numbers, uint32(doc-from+1))
		}
		g.Files = append(g.Files, corpus.File{Path: string(terminal.String.AppendID(nil, []byte(f.Path)))})
		g.Counts = append(g.Counts, uint32(len(g.SetOf)-before))
		g.Bad = append(g.Bad, f.Bad)
		from = to
	}
}

// repeats returns for each thing the first one that it equals, by their numbers; or nil if all are different. Only
// those with the same digest may be equal. It sorts digests.
func repeats(digests []uint64, equal func(a, b uint32) bool) (first []uint32) {
	order := numbered(len(digests))
	ints.SortPairs(digests, order)
	for i := 0; i < len(digests); {
		to := i + 1
		for ; to < len(digests) && digests[to] == digests[i]; to++ { // hardly ever
			at := i
			for !equal(order[at], order[to]) {
				at++ // it equals itself
			}
			if at == to {
				continue
			}
			if first == nil {
				first = numbered(len(digests))
			}
			first[order[to]] = first[order[at]] // equal digests keep their order
		}
		i = to
	}
	return first
}

// numbered returns the numbers from 0 to below n.
func numbered(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

// pairs returns the pairs of all parts. words are those of the parts.
func (g *gathered) pairs(parts inputs, words [][]uint64, how *dedup.Options) *dedup.NearPairs {
	all := &dedup.NearPairs{At: how.Threshold}
	for at, of := range words {
		for i := 0; i < len(of); i += pairWords {
			a, okA := slices.BinarySearch(g.firsts, of[i])
			b, okB := slices.BinarySearch(g.firsts, of[i+1])
			in := parts[at]
			if !okA || !okB || a >= b {
				panic(in.Corruptf(secPairs, uint64(8*i), "a pair of sets that are not in the sketches"))
			}
			similarity, near := 0.0, false
			if shared := of[i+2]; how.ByDistance() {
				if near = shared <= uint64(how.Distance); near {
					similarity = join.SimilarityAt(int(shared), 64)
				}
			} else if near = shared <= uint64(min(g.Sizes[a], g.Sizes[b])); near {
				similarity = prefix.Jaccard(int(shared), int(g.Sizes[a]), int(g.Sizes[b]))
				near = similarity >= how.Threshold
			}
			if !near {
				panic(in.Corruptf(secPairs, uint64(8*i), "a pair of sets that are not near"))
			}
			all.Add(uint32(a), uint32(b), similarity)
		}
	}
	return all
}

// Close does nothing: the files are closed by those who have opened them.
func (g *gathered) Close() error { return nil }

// Scan calls do with the sets, as dedup.Store says.
func (g *gathered) Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	for i := range g.firsts {
		if _, ok := length(i); !ok {
			return nil
		}
		if err := do(i, g.set(uint32(i))); err != nil {
			return err
		}
	}
	return nil
}

// set returns the features of a set, as a part of the file.
func (g *gathered) set(i uint32) []uint64 {
	id := g.firsts[i]
	return g.sketches[id>>32-1].set(int(uint32(id)), g.starts[i])
}

// Features appends the features of a set. It leaves none out.
func (g *gathered) Features(dst []uint64, set uint32) (features []uint64, alone int) {
	return append(dst, g.set(set)...), 0
}

// Shared returns how many features two sets share, and how many each has.
func (g *gathered) Shared(a, b uint32) (shared, sizeA, sizeB int) {
	return ints.Shared(g.set(a), g.set(b)), int(g.Sizes[a]), int(g.Sizes[b])
}
