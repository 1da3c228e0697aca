package gate

import (
	"errors"
	"math"
	"math/bits"
	"sync"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/match/kernels"
	"simsearch/internal/match/prefix"
)

// A memory is some thousand documents, of which those that may be near another one are found by comparing all
// fingerprints, or sketches of all sets of a similar size: a third of a nanosecond each. An index of them would take
// longer to make than it saves.
type memory struct {
	threshold float64                     // of the searches that are expected
	all       []analysis.Result           // what is compared of each
	text      func(i int) (string, error) // of those without one in all; nil if they have none
	prints    []uint64                    // the fingerprints of those that have one
	printed   []int                       // and their numbers
	classes   [bits.UintSize + 1]class
}

// A class is sets whose sizes have the same number of binary digits. A sketch has a bit for each remainder of the
// features, which says whether an odd number of them have it: of two sets, at least as many features belong to one
// alone as bits differ.
type class struct {
	words  int
	of     []int
	blocks []uint64 // of eight sketches, as kernels.SketchesWithin wants them
}

func newMemory(near index.Predicate) *memory {
	m := &memory{threshold: index.CopyFloor}
	if near.BySets() && !near.Kind.Texts {
		m.threshold = near.Threshold
	}
	return m
}

// add adds a document, whose slices it keeps.
func (m *memory) add(r analysis.Result) {
	number := len(m.all)
	m.all = append(m.all, r)
	if r.HasFingerprint {
		m.prints, m.printed = append(m.prints, r.Fingerprint), append(m.printed, number)
	}
	if len(r.Set) == 0 {
		return
	}
	digits := bits.Len(uint(len(r.Set)))
	c := &m.classes[digits]
	if c.words == 0 {
		// Sets that have little in common differ in half of the bits.
		const margin, most = 4, 64
		largest := 1<<digits - 1
		lengths := prefix.Lengths{T: m.threshold}
		for c.words = 2; c.words < most && 64*c.words < margin*lengths.MostUnshared(largest) && 8*c.words < largest; {
			c.words += 2
		}
	}
	i := len(c.of)
	if c.of = append(c.of, number); i%8 == 0 {
		c.blocks = append(c.blocks, make([]uint64, 8*c.words)...)
	}
	at := 8*c.words*(i/8) + i%8
	for _, f := range r.Set {
		bit := c.bit(f)
		c.blocks[at+8*int(bit/64)] ^= 1 << (bit % 64)
	}
}

// bit returns the bit of a sketch that a feature turns.
func (c *class) bit(feature uint64) uint64 {
	bit, _ := bits.Mul64(feature*0x9e3779b97f4a7c15, uint64(64*c.words))
	return bit
}

var masks = sync.Pool{New: func() any { return new([]uint8) }}

// candidates appends to dst the numbers of documents that may be near r by p, and perhaps others: in no certain
// order, each once.
func (m *memory) candidates(dst []int, r *analysis.Result, p index.Predicate) []int {
	switch {
	case p.Kind.Within && r.HasFingerprint:
		for at := 0; at < len(m.prints); at++ {
			next := kernels.NextWithin(m.prints[at:], r.Fingerprint, p.Distance)
			if at += next; at < len(m.prints) {
				dst = append(dst, m.printed[at])
			}
		}
	case p.Kind.Within:
	case p.Kind == index.Copy:
		dst = m.similar(dst, r.Set, index.CopyFloor)
	case p.Kind == index.Jaccard:
		dst = m.similar(dst, r.Set, p.Threshold)
	default: // the reference
		for i := range m.all {
			dst = append(dst, i)
		}
	}
	return dst
}

// similar appends the sets that may have a Jaccard similarity of t or more to a set.
func (m *memory) similar(dst []int, set []uint64, t float64) []int {
	buffer := masks.Get().(*[]uint8)
	defer masks.Put(buffer)
	n := len(set)
	most := int(min(float64(n)/t+1, math.MaxInt32)) // features of the largest set
	for digits := range m.classes {
		c := &m.classes[digits]
		least, largest := 1<<max(0, digits-1), 1<<digits-1
		if len(c.of) == 0 || least > most || float64(largest+1) < t*float64(n) {
			continue
		}
		sketch := make([]uint64, c.words, 64)
		for _, f := range set {
			bit := c.bit(f)
			sketch[bit/64] ^= 1 << (bit % 64)
		}
		blocks := (len(c.of) + 7) / 8
		if cap(*buffer) < blocks {
			*buffer = make([]uint8, 2*blocks)
		}
		found := (*buffer)[:blocks]
		kernels.SketchesWithin(found, c.blocks, sketch, prefix.Lengths{T: t}.MostUnshared((n+min(largest, most)+1)/2))
		for b, mask := range found {
			for ; mask != 0; mask &= mask - 1 {
				if i := 8*b + bits.TrailingZeros8(mask); i < len(c.of) {
					dst = append(dst, c.of[i])
				}
			}
		}
	}
	return dst
}

// near calls yield with the number of each document that is near r, and how near it is. With o.Nearest, these are all
// that have anything in common with r by the kind.
func (m *memory) near(ix *index.Snapshot, r *analysis.Result, o index.Options, yield func(i int, how index.Measures)) error {
	var buffer [64]int
	found := buffer[:0]
	if o.Nearest > 0 {
		for i := range m.all {
			found = append(found, i)
		}
	} else {
		found = m.candidates(found, r, o.Predicate)
	}
	for _, i := range found {
		other := &m.all[i]
		if o.Kind.Texts && index.Jaccard.Compare(r, other).Value < index.CopyFloor {
			continue
		}
		if o.Kind.Texts && other.Text == nil && m.text != nil {
			whole := *other
			text, err := m.text(i)
			if err != nil && !errors.Is(err, index.ErrNoText) {
				return err
			}
			whole.Text, other = []byte(text), &whole
		}
		how := o.Kind.Compare(r, other)
		has := (!o.Kind.Within || how.Distance != index.NoDistance) && (!o.BySets() || len(r.Set) > 0 && len(other.Set) > 0)
		if !has || o.Nearest == 0 && !o.Reached(&how) || o.Nearest > 0 && !o.Kind.Bare && how.Value == 0 {
			continue
		}
		if o.BySets() && !o.Kind.Within && ix.Settings().Fingerprints() { // as answers of an index have it
			if how.Distance = index.NoDistance; r.HasFingerprint && other.HasFingerprint {
				how.Distance = hamming.Distance(r.Fingerprint, other.Fingerprint)
			}
		}
		yield(i, how)
	}
	return nil
}
