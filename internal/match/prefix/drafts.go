package prefix

import (
	"context"
	"slices"
	"sync/atomic"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
)

// Drafts are sets that are going to be written. They are coded as they come: by a vocabulary of the features that
// several of the first sets have, which are most of the features of those that follow. When all are there, only the
// rest of their features are counted, by a pass over these, and looked up in a second vocabulary (Draft). Features of
// the rest come first in the order: they are rarer, as the first sets tell, and any order is as good for what is
// found. So the sets take little more than a byte a feature until they are written, and are looked up while they are
// in a cache.
//
// Few sets are coded by one vocabulary, that of all.
type Drafts struct {
	features uint64 // of all sets
	rest     uint64 // of these, those that the first vocabulary has not
	// It is learnt from as many sets, or from fewer with as many features together.
	learnSets, learnFeatures int

	// The first sets, one after the other, and where each ends, until they are learnt from.
	sample     []uint64
	sampleEnds []int

	learnt  atomic.Pointer[learnt] // nil before
	lengths []uint32               // of the codes, once it is learnt
	codes   spill.Bytes
	coder   Coder
}

// Learnt is what the first sets have taught.
type learnt struct {
	*Vocabulary
	counts []Counted
	sets   int
}

// likely returns the counts that are to be expected of a number of sets.
func (l *learnt) likely(sets int) []Counted {
	counts := slices.Clone(l.counts)
	for i := range counts {
		counts[i].Sets = uint32(uint64(counts[i].Sets) * uint64(sets) / uint64(l.sets))
	}
	return counts
}

const learnSets, learnFeatures = 5000, 1 << 20

// NewDrafts returns no sets. About hold bytes are in memory, and the others in a temporary file in dir.
func NewDrafts(fsys disk.FS, dir string, hold int) *Drafts {
	return &Drafts{codes: spill.NewBytes(fsys, dir, hold), learnSets: learnSets, learnFeatures: learnFeatures}
}

// Len returns the number of sets.
func (d *Drafts) Len() int { return len(d.sampleEnds) + len(d.lengths) }

// Features returns the number of features of all sets.
func (d *Drafts) Features() uint64 { return d.features }

// A Coder codes sets by what has been learnt. It must not be used by several goroutines at once.
type Coder struct{ view View }

// Append appends the code of a set to dst, for Add, or nothing if there is nothing learnt yet. Add may run at the
// same time.
func (c *Coder) Append(dst []byte, d *Drafts, set []uint64) []byte {
	l := d.learnt.Load()
	if l == nil {
		return dst
	}
	l.See(&c.view, set)
	return AppendCoded(dst, &c.view)
}

// Add adds a set, which is strictly ascending and not empty. code is what Coder.Append has appended of it.
func (d *Drafts) Add(set []uint64, code []byte) {
	d.features += uint64(len(set))
	switch {
	case d.learnt.Load() == nil:
		d.sample, d.sampleEnds = append(d.sample, set...), append(d.sampleEnds, len(d.sample)+len(set))
		d.rest += uint64(len(set))
		if len(d.sampleEnds) >= d.learnSets || len(d.sample) >= d.learnFeatures {
			d.learn()
		}
	case len(code) > 0:
		d.add(code)
	default:
		d.add(d.coder.Append(nil, d, set))
	}
}

func (d *Drafts) add(code []byte) {
	draft, err := readDraft(code)
	if err != nil {
		panic(err) // impossible: it has just been made
	}
	d.rest += uint64(draft.Rest())
	d.codes.Append(code)
	d.lengths = append(d.lengths, uint32(len(code)))
}

// learn learns from the sets that are there, and codes them.
func (d *Drafts) learn() {
	counts, err := Count(context.Background(), d.sets(), 1, 1, defaultMemory, nil)
	if err != nil {
		panic(err) // impossible: nothing is read
	}
	d.learnt.Store(&learnt{newVocabulary(counts), counts, d.Len()})
	sample, ends, from := d.sample, d.sampleEnds, 0
	d.sample, d.sampleEnds, d.rest = nil, nil, 0
	for _, end := range ends {
		d.add(d.coder.Append(nil, d, sample[from:end]))
		from = end
	}
}

// Flush writes to a file what exceeds the memory.
func (d *Drafts) Flush() error { return d.codes.Flush() }

// Close removes the file, if there is one.
func (d *Drafts) Close() error { return d.codes.Close() }

// sets returns all sets.
func (d *Drafts) sets() *SomeDrafts { return &SomeDrafts{d, nil, d.Len()} }

// Kept returns the sets for which keep is true, n of them.
func (d *Drafts) Kept(n int, keep func(set int) bool) *SomeDrafts { return &SomeDrafts{d, keep, n} }

// SomeDrafts are some of the sets. As a Source, they have the features that the first vocabulary has not.
type SomeDrafts struct {
	*Drafts
	keep func(set int) bool // nil keeps all
	n    int
}

// Features returns how many features the first vocabulary has not, of all sets.
func (s *SomeDrafts) Features() uint64 { return s.rest }

// Scan implements Source.
func (s *SomeDrafts) Scan(do func(features []uint64) error) error {
	var features []uint64
	return s.scan(func(code []byte) error {
		d, err := readDraft(code)
		if err != nil {
			return err
		}
		features = d.AppendRest(features[:0])
		return do(features)
	})
}

// scan calls do with the code of each set.
func (s *SomeDrafts) scan(do func(code []byte) error) error {
	each := func(i int, code []byte) error {
		if s.keep != nil && !s.keep(i) {
			return nil
		}
		return do(code)
	}
	if s.learnt.Load() != nil {
		return s.codes.Scan(func(i int) (int, bool) {
			if i >= len(s.lengths) {
				return 0, false
			}
			return int(s.lengths[i]), true
		}, each)
	}
	from := 0
	var code []byte
	for i, end := range s.sampleEnds {
		code = appendUnranked(code[:0], s.sample[from:end])
		from = end
		if err := each(i, code); err != nil {
			return err
		}
	}
	return nil
}
