package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/collected"
	"simsearch/internal/corpus"
	"simsearch/internal/dedup"
	"simsearch/internal/disk"
	"simsearch/internal/explain"
	"simsearch/internal/ints"
	"simsearch/internal/join"
	"simsearch/internal/objects"
	"simsearch/internal/prefix"
	"simsearch/internal/section"
	"simsearch/internal/terminal"
)

// ComponentsOptions say how groups are made.
type ComponentsOptions struct {
	Threads  int
	Memory   int64
	Temp     string
	FS       disk.FS
	Phase    func(what string)
	Progress func(done, all int64)
}

// A Decided says what Components has decided.
type Decided struct {
	Documents int
	Removed   int
	Listed    bool // by the pairs of join, and not by comparing all sets again
	Pairs     int  // of near sets, if they are listed
}

// Components reads the sketches of all shares and the pairs of all parts, decides as dedup does which documents are removed, and writes
// the lists removed.jsonl and clusters.jsonl to a directory, which it makes. Without pairs, or if they are too many to be listed,
// it compares all sets. Then it takes the memory of dedup. With pairs, it takes some hundred bytes a document,
// and what dedup takes for those sets that are near others.
func Components(ctx context.Context, in []string, dir string, o ComponentsOptions) (done Decided, err error) {
	err = reading(&o.FS, in, []string{sketchKind, pairsKind}, func(all inputs) error {
		done, err = components(ctx, all, dir, &o)
		return err
	})
	return done, err
}

func components(ctx context.Context, all inputs, dir string, o *ComponentsOptions) (done Decided, err error) {
	list, err := all.sketches(readSketch)
	if err != nil {
		return done, err
	}
	r, err := gather(list)
	if err != nil {
		return done, err
	}
	criterion, err := all.criterion()
	if err != nil {
		return done, err
	}
	how, err := criterion.options()
	if err != nil {
		return done, section.InFile(list[0].path, list[0].Corruptf(secAbout, 0, "%v", err))
	}
	how.Threads, how.Memory, how.Temp, how.FS, how.Phase, how.Progress = max(1, o.Threads), o.Memory, o.Temp, o.FS, o.Phase, o.Progress
	pairs, err := r.pairs(all.of(pairsKind), how.ByDistance())
	if err != nil {
		return done, err
	}
	var near dedup.NearPairs
	if pairs != nil {
		r.onlyPaired(pairs)
		near = func(add func(a, b uint32, similarity float64)) {
			for _, p := range pairs {
				add(p.a, p.b, p.similarity)
			}
		}
		done.Listed, done.Pairs = true, len(pairs)
	}
	c, err := collected.Restore(r.Restored, how)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := dedup.DecideOn(ctx, c, near)
	if err != nil {
		return done, err
	}
	for doc := range r.Lengths {
		if d.KeptFor(doc).Document != doc {
			done.Removed++
		}
	}
	done.Documents = len(r.Lengths)
	if _, err := disk.MkdirAll(o.FS, dir); err != nil {
		return done, err
	}
	var readers disk.Readers
	for _, path := range all.paths() {
		objects.See(&readers, path)
	}
	to, err := o.FS.Root(dir, readers.Mode())
	if err != nil {
		return done, err
	}
	return done, errors.Join(d.WriteLists(ctx, to), to.Close())
}

// A gathered is what all sketches have, with equal sets of several sketches as one. It is a collected.Store, to which nothing is added.
type gathered struct {
	collected.Restored
	sketches []*sketch
	firsts   []uint64 // the first word of the record of each set, where it comes first, ascending
}

// gather puts sketches together.
func gather(list []*sketch) (*gathered, error) {
	g := &gathered{sketches: list}
	same := g.repeats()
	sets, documents, ids, keys := 0, 0, 0, 0
	for _, s := range list {
		sets, documents, ids, keys = sets+s.n, documents+len(s.setOf), ids+len(s.ids), keys+len(s.keys[0])
	}
	g.Sizes, g.firsts = make([]uint32, 0, sets), make([]uint64, 0, sets)
	g.SetOf, g.Facts = make([]uint32, 0, documents), make([]explain.Facts, 0, documents)
	g.IDs, g.IDEnds = make([]byte, 0, ids), make([]uint64, 0, documents)
	g.Lengths, g.Digests = make([]uint32, 0, documents), make([]uint64, 0, documents)
	for i := range g.Keys {
		g.Keys[i] = slices.Grow(g.Keys[i], keys)
	}
	numbers := make([]uint32, 0, sets) // of each set of all sketches, equal ones as one
	for _, s := range list {
		before := len(numbers)
		for i, size := range s.sizes {
			set := uint32(len(g.Sizes))
			if first := len(numbers); same != nil && same[first] != uint32(first) {
				set = numbers[same[first]]
			} else {
				g.Sizes, g.firsts = append(g.Sizes, size), append(g.firsts, setID(s.share.Number, i))
			}
			numbers = append(numbers, set)
		}
		for _, set := range s.setOf {
			if set != noSet {
				set = numbers[before+int(set)]
			}
			g.SetOf = append(g.SetOf, set)
		}
		for i := 0; i < len(s.facts); i += explain.FactWords {
			facts, ok := explain.FactsOfWords([explain.FactWords]uint32(s.facts[i:]))
			if !ok {
				return nil, section.InFile(s.path, s.Corruptf(secFacts, uint64(4*i), "no language"))
			}
			g.Facts = append(g.Facts, facts)
		}
		for _, end := range s.idEnds {
			g.IDEnds = append(g.IDEnds, uint64(len(g.IDs))+end)
		}
		g.IDs = append(g.IDs, s.ids...)
		g.Lengths, g.Digests = append(g.Lengths, s.lengths...), append(g.Digests, s.texts...)
		for i, keys := range s.keys {
			g.Keys[i] = append(g.Keys[i], keys...)
		}
		for _, f := range s.Files {
			g.Files = append(g.Files, corpus.File{Path: string(terminal.String.AppendID(nil, []byte(f.Path)))})
			g.Counts, g.Bad, g.Ranks = append(g.Counts, f.Documents), append(g.Bad, f.Bad), append(g.Ranks, f.Rank)
		}
		s.mapped.Expect(s.mapped.Data(), disk.Done)
	}
	if !slices.ContainsFunc(g.Ranks, func(rank uint8) bool { return rank != g.Ranks[0] }) {
		g.Ranks = nil
	}
	g.Sets = g
	return g, nil
}

// repeats is that of the sets of all sketches.
func (g *gathered) repeats() (first []uint32) {
	if len(g.sketches) == 1 { // which has each set once
		return nil
	}
	var starts []int // of the sets of each sketch
	var digests []uint64
	for _, s := range g.sketches {
		starts = append(starts, len(digests))
		digests = slices.Grow(digests, s.n)
		for i := range s.sizes {
			digests = append(digests, s.digest(i)[0])
		}
	}
	rest := func(set uint32) uint64 {
		at, ok := slices.BinarySearch(starts, int(set)+1)
		_ = ok // it lies before the place of set+1, whether there is a start or not
		return g.sketches[at-1].digest(int(set) - starts[at-1])[1]
	}
	return repeats(digests, func(a, b uint32) bool { return rest(a) == rest(b) })
}

// repeats returns for each thing the first one that it equals, by their numbers; or nil if all are different. Only those with the same digest
// may be equal. It sorts digests.
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

// A nearPair is a pair of near sets, by their numbers among all.
type nearPair struct {
	a, b       uint32
	similarity float64
}

// pairs reads the pairs of all parts. They are nil if there are none, or too many. The error says if a part is missing.
func (g *gathered) pairs(parts inputs, fingerprints bool) (all []nearPair, err error) {
	if len(parts) == 0 {
		return nil, nil
	}
	seen := make([]bool, parts[0].Parts+1)
	all = []nearPair{}
	for _, in := range parts {
		switch {
		case in.Parts != parts[0].Parts || in.Sets != parts[0].Sets:
			return nil, fmt.Errorf("%s and %s are of different plans", in.path, parts[0].path)
		case in.Part < 1 || in.Part > in.Parts || seen[in.Part]:
			return nil, fmt.Errorf("%s is part %d of %d once more: name each once", in.path, in.Part, in.Parts)
		}
		seen[in.Part] = true
	}
	if i := slices.Index(seen[1:], false); i >= 0 {
		return nil, fmt.Errorf("part %d of %d is missing: name the pairs of all parts", i+1, parts[0].Parts)
	}
	sets := 0
	for _, s := range g.sketches {
		sets += len(s.sizes)
	}
	if uint64(sets) != parts[0].Sets {
		return nil, fmt.Errorf("%s is of other sketches, with %d sets and not %d", parts[0].path, parts[0].Sets, sets)
	}
	most := join.MostListed(len(g.Sizes), fingerprints)
	for _, in := range parts {
		if in.Many {
			return nil, nil
		}
		if all, err = g.pairsOf(in, all, fingerprints); err != nil {
			return nil, section.InFile(in.path, err)
		}
		if len(all) > most {
			return nil, nil
		}
	}
	return all, nil
}

// pairsOf appends the pairs of a part.
func (g *gathered) pairsOf(in *input, all []nearPair, fingerprints bool) ([]nearPair, error) {
	words, err := in.Uint64s(secPairs, section.Any)
	if err != nil {
		return nil, err
	}
	if len(words)%pairWords != 0 {
		return nil, in.Corruptf(secPairs, 0, "%d words are no pairs", len(words))
	}
	for i := 0; i < len(words); i += pairWords {
		a, okA := slices.BinarySearch(g.firsts, words[i])
		b, okB := slices.BinarySearch(g.firsts, words[i+1])
		shared := words[i+2]
		if !okA || !okB || a >= b || shared > uint64(max(64, g.Sizes[a])) {
			return nil, in.Corruptf(secPairs, uint64(8*i), "a pair of sets that are not in the sketches")
		}
		similarity := join.SimilarityAt(int(shared), 64)
		if !fingerprints {
			similarity = prefix.Jaccard(int(shared), int(g.Sizes[a]), int(g.Sizes[b]))
		}
		all = append(all, nearPair{uint32(a), uint32(b), similarity})
	}
	return all, nil
}

// onlyPaired leaves out the features of sets that are near no other.
func (g *gathered) onlyPaired(pairs []nearPair) {
	paired := make([]bool, len(g.Sizes))
	for _, p := range pairs {
		paired[p.a], paired[p.b] = true, true
	}
	for set := range g.Sizes {
		if !paired[set] {
			g.Sizes[set] = 0
		}
	}
}

// Add, Flush and Close do nothing: all sets are there, and the files are closed by those who have opened them.
func (g *gathered) Add([]uint64) { panic("steps: sketches are not written to") }

// Flush does nothing.
func (g *gathered) Flush() error { return nil }

// Close does nothing.
func (g *gathered) Close() error { return nil }

// Scan calls do with the sets, as collected.Store says.
func (g *gathered) Scan(length func(i int) (n int, ok bool), do func(i int, features []uint64) error) error {
	for i, id := range g.firsts {
		n, ok := length(i)
		if !ok {
			return nil
		}
		var features []uint64
		if n > 0 {
			s := g.sketches[id>>32-1]
			var err error
			if features, err = s.set(int(uint32(id))); err != nil {
				return section.InFile(s.path, err)
			}
		}
		if err := do(i, features); err != nil {
			return err
		}
	}
	return nil
}
