package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/explain"
)

// Sections of a sketch, which dedup.Collection.WriteSketch writes. A set is the hashes of the features of some
// documents, ascending, or a fingerprint.
const (
	secLengths     = "documents.lengths" // 4 bytes a document: of its text, in bytes
	secTexts       = "documents.digests" // 8: of its text
	secSets        = "documents.sets"    // 4: the number of its set, or noSet
	secFacts       = "documents.facts"   // 44: explain.Facts
	secIDs         = "ids"
	secIDEnds      = "ids.ends" // 8
	secKeys        = "keys"     // 8: what a way to keep compares, if it has keys
	secKeysWhole   = "keys.whole"
	secSetDigests  = "sets.digests"  // 16 bytes a set
	secSetSizes    = "sets.sizes"    // 4
	secSetFeatures = "sets.features" // 8 a feature
)

const noSet = dedup.NoSet

// sketch reads a share of the files of the inputs, and writes its sketch to a file. Of the options, it uses what
// dedup.Read uses. The errors are those of dedup.Read and of the file system.
func (c *Command) sketch(ctx context.Context) (err error) {
	o := &c.How
	criterion, err := criterionOf(o)
	if err != nil {
		return err
	}
	all, err := dedup.Read(ctx, nil, c.Inputs, *o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	h := header{Kind: sketchKind, Criterion: criterion, Share: o.Share.String()}
	var paths []string
	from, to := all.SharedFiles()
	for i := from; i < to; i++ {
		paths = append(paths, all.Files[i].Path)
		h.Files = append(h.Files, fileHeader{terminal.String.Text(all.Files[i].Path), all.Starts[i+1] - all.Starts[i], all.Bad[i]})
	}
	return c.write(paths, h, func(w *section.Writer) error { return all.WriteSketch(ctx, w) })
}

// A sketch is what a sketch file has. Arrays are parts of the file.
type sketch struct {
	*input
	one         bool // the sets are fingerprints, of one number each
	n           int  // sets
	dedup.Lists      // but for facts
	facts       []uint32
	keys        [2][]uint64
	digests     []uint64
	sizes       []uint32
	features    section.Array[uint64]
}

// setsOf returns a sketch of which the sets alone can be read, by walk.
func setsOf(in *input) *sketch {
	how := in.how()
	return &sketch{input: in, one: how.ByDistance(), n: section.Integers[uint32](in.File, secSetSizes, section.Any).Len(),
		features: section.Integers[uint64](in.File, secSetFeatures, section.Any)}
}

// walk calls do with each set and its digest, which are parts of the file. It keeps nothing of the file in memory.
func (s *sketch) walk(ctx context.Context, do func(i int, features []uint64, digest [2]uint64) error) error {
	sizes := section.Integers[uint32](s.File, secSetSizes, uint64(s.n))
	digests := section.Integers[uint64](s.File, secSetDigests, 2*uint64(s.n))
	atSizes, atDigests, atFeatures := sizes.Walk(), digests.Walk(), s.features.Walk()
	for from := 0; from < s.n; from += lookEvery {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		some := atSizes.Next(lookEvery)
		of := atDigests.Next(2 * lookEvery)
		for i, n := range some {
			if !s.isSize(n) || uint64(n) > atFeatures.Left() {
				return s.Corruptf(secSetSizes, uint64(4*(from+i)), "a set of %d features, of which %d are left", n, atFeatures.Left())
			}
			features := atFeatures.Next(uint64(n))
			s.ascending(features, s.features.Len()-int(atFeatures.Left())-int(n))
			if err := do(from+i, features, [2]uint64{of[2*i], of[2*i+1]}); err != nil {
				return err
			}
		}
	}
	if left := atFeatures.Left(); left > 0 {
		return s.Corruptf(secSetFeatures, 0, "%d features belong to no set", left)
	}
	return nil
}

// isSize reports whether a set may have n features.
func (s *sketch) isSize(n uint32) bool { return n == 1 || n > 1 && !s.one }

// readSketch checks a sketch, and reads what it says of documents.
func readSketch(in *input) *sketch {
	s := setsOf(in)
	s.sizes = in.Uint32s(secSetSizes, section.Any)
	features := uint64(0)
	for i, n := range s.sizes {
		if !s.isSize(n) {
			panic(in.Corruptf(secSetSizes, uint64(4*i), "a set of %d features", n))
		}
		features += uint64(n)
	}
	s.digests = in.Uint64s(secSetDigests, 2*uint64(len(s.sizes)))
	s.features = section.Integers[uint64](in.File, secSetFeatures, features)
	documents := uint64(0)
	for _, f := range in.Files {
		if documents += uint64(f.Documents); f.Bad < 0 {
			panic(in.Corruptf(section.About, 0, "%d documents that cannot be read", f.Bad))
		}
	}
	s.Lengths, s.Digests = in.Uint32s(secLengths, documents), in.Uint64s(secTexts, documents)
	s.SetOf, s.facts = in.Uint32s(secSets, documents), in.Uint32s(secFacts, explain.FactWords*documents)
	s.IDs, s.IDEnds = in.Bytes(secIDs), in.Uint64s(secIDEnds, documents)
	if in.how().Keep.Way.HasKeys() {
		s.keys = [2][]uint64{in.Uint64s(secKeys, documents), in.Uint64s(secKeysWhole, documents)}
	}
	if !slices.IsSorted(s.IDEnds) || documents > 0 && s.IDEnds[documents-1] != uint64(len(s.IDs)) {
		panic(in.Corruptf(secIDEnds, 0, "the ends of the ids are not those of %d bytes", len(s.IDs)))
	}
	s.checkSets()
	return s
}

// checkSets checks that documents have sets that there are, and that each set is that of a document.
func (s *sketch) checkSets() {
	has, n := ints.NewNumberedSet(s.n), 0
	for i, set := range s.SetOf {
		switch {
		case set == noSet:
		case int64(set) >= int64(s.n):
			panic(s.Corruptf(secSets, uint64(4*i), "set %d of %d", set, s.n))
		case has.Add(set):
			n++
		}
	}
	if n < s.n {
		panic(s.Corruptf(secSets, 0, "%d of %d sets belong to no document", s.n-n, s.n))
	}
}

// set returns the features of a set, which begin at start, strictly ascending, as a part of the file.
func (s *sketch) set(i int, start uint64) []uint64 {
	features := s.features.Range(start, start+uint64(s.sizes[i]))
	s.ascending(features, int(start))
	return features
}

// ascending panics with a disk.Damage if features, the first of which is that number of all, are not strictly
// ascending.
func (s *sketch) ascending(features []uint64, first int) {
	for j := 1; j < len(features); j++ {
		if features[j] <= features[j-1] {
			panic(s.Corruptf(secSetFeatures, 8*uint64(first+j), "features are not in order"))
		}
	}
}

// sketches reads the sketches among inputs by read, in the order of their shares. The shares must be all of one
// number, each once.
func (all inputs) sketches(read func(*input) *sketch) (list []*sketch, err error) {
	for _, in := range all.of(sketchKind) {
		list = append(list, read(in))
	}
	slices.SortFunc(list, func(a, b *sketch) int { return cmp.Compare(a.share.Number, b.share.Number) })
	if len(list) == 0 {
		return nil, errors.New("no sketch is given")
	}
	for i, s := range list {
		switch {
		case s.share.Of != list[0].share.Of:
			return nil, fmt.Errorf("%s is share %s, and %s is %s: want shares of one number", s.path, s.Share, list[0].path, list[0].Share)
		case i > 0 && s.share.Number == list[i-1].share.Number:
			return nil, fmt.Errorf("%s and %s are both share %s: name each share once", list[i-1].path, s.path, s.Share)
		case s.share.Number != i+1:
			return nil, fmt.Errorf("share %d/%d is missing: name the sketches of all shares", i+1, s.share.Of)
		}
	}
	if len(list) < list[0].share.Of {
		return nil, fmt.Errorf("share %d/%d is missing: name the sketches of all shares", len(list)+1, list[0].share.Of)
	}
	return list, nil
}
