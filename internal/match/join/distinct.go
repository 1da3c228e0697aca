package join

import (
	"context"
	"errors"
	"slices"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/spill"
	"simsearch/internal/match/prefix"
)

// distinct are the distinct sets of those documents of a source that take part, in the order of their numbers there.
type distinct struct {
	source Source
	sets   []uint32 // the number of each in the source, the first of equal ones
	of     []uint32 // the distinct set of each document, or NoSet
	codes  []*spill.Bytes
}

// close removes the temporary files. Sets that have been coded must not be used afterwards.
func (d *distinct) close() (err error) {
	for _, codes := range d.codes {
		err = errors.Join(err, codes.Close())
	}
	return err
}

// newDistinct compares the sets of s by their digests or, if bySignature is true, by their signatures.
func newDistinct(ctx context.Context, s Source, bySignature bool, o Options) (*distinct, error) {
	d := &distinct{source: s, of: slices.Clone(s.Of())}
	numbers := make([]uint32, s.Sets()) // of the sets, or NoSet
	if o.Only != nil {
		for set := range numbers {
			numbers[set] = NoSet
		}
		for doc, set := range d.of {
			if set != NoSet && o.Only[doc] {
				numbers[set] = 0
			} else {
				d.of[doc] = NoSet
			}
		}
	}
	known := map[[2]uint64]uint32{} // empty if the sets are known to be distinct
	for set := range uint32(len(numbers)) {
		if set%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if numbers[set] == NoSet {
			continue
		}
		numbers[set] = uint32(len(d.sets))
		if bySignature || !s.Distinct() {
			digest := digestOf(s, set, bySignature)
			if g, ok := known[digest]; ok {
				numbers[set] = g
				continue
			}
			known[digest] = numbers[set]
		}
		d.sets = append(d.sets, set)
	}
	for doc, set := range d.of {
		if set != NoSet {
			d.of[doc] = numbers[set]
		}
	}
	return d, nil
}

// digestOf returns the digest of a set, or of its signature.
func digestOf(s Source, set uint32, bySignature bool) (digest [2]uint64) {
	if !bySignature {
		return s.Digest(set)
	}
	digest[0], digest[1] = murmur3.Sum128(s.Signature(set))
	return digest
}

// code returns all sets as they can be joined.
func (d *distinct) code(ctx context.Context, o Options) (*prefix.Sets, error) {
	if coded, ok := d.source.Coded(); ok && len(d.sets) == d.source.Sets() {
		return coded, nil
	}
	return d.collect(ctx, d.sets, o)
}

// leastCounting is the least memory for counting features, in bytes. With less, the sets would be read again and again.
const leastCounting = 1 << 20

func (d *distinct) collect(ctx context.Context, inSource []uint32, o Options) (*prefix.Sets, error) {
	codes := spill.NewBytes(o.Disk, "", spill.Holds)
	d.codes = append(d.codes, &codes)
	how := prefix.Options{Threads: o.Threads, Memory: max(leastCounting, 40*int64(o.PairsInMemory)), Codes: &codes}
	return prefix.Collect(ctx, &someSets{d.source, inSource}, how)
}

// someSets are some sets of a source, as a prefix.Source.
type someSets struct {
	from Source
	sets []uint32
}

func (s *someSets) Len() int { return len(s.sets) }

func (s *someSets) Features() uint64 { return 1 << 8 * uint64(len(s.sets)) } // a guess: counting sizes would read all

func (s *someSets) Scan(do func(features []uint64) error) error {
	var features []uint64
	for _, set := range s.sets {
		features = s.from.AppendSet(features[:0], set)
		if err := do(features); err != nil {
			return err
		}
	}
	return nil
}
