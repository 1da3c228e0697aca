package intake

import (
	"slices"

	"simsearch/hamming"
	"simsearch/internal/index"
	"simsearch/internal/ints"
)

// Seen remembers records of an input and finds those near another one, exactly, while more are remembered: by the distance of
// fingerprints, by the Jaccard similarity of sets of features, or by both. An index in memory would do the
// same, but each record would be a segment until segments are merged.
type Seen struct {
	fingerprints *seenFingerprints // nil if sets decide alone
	sets         *seenSets         // nil unless they do
	both         [][]uint64        // the sets of the fingerprints, if they decide, too
	threshold    float64
}

// NewSeen returns no records, with fingerprints of the given number of bits. p is of a kind of nearness by which records are
// remembered (index.Kind.NoNew).
func NewSeen(p index.Predicate, bits int) *Seen {
	if !p.Kind.Within {
		return &Seen{sets: newSeenSets(p.Threshold)}
	}
	return &Seen{fingerprints: newSeenFingerprints(p.Distance, bits), threshold: p.Threshold}
}

// Near reports whether a record is near the one with a fingerprint and a set, of which it takes what it
// needs.
func (r *Seen) Near(fingerprint uint64, set []uint64) (near bool) {
	r.each(fingerprint, set, func(int, index.Measures) bool {
		near = true
		return false
	})
	return near
}

// Nearest returns the number, from 0 on, of the record that is nearest to the one with a fingerprint and a set, the first of
// several, and how near it is. ok is false if none is near.
func (r *Seen) Nearest(fingerprint uint64, set []uint64) (number int, how index.Measures, ok bool) {
	r.each(fingerprint, set, func(i int, m index.Measures) bool {
		if c := m.Compare(&how); !ok || c < 0 || c == 0 && i < number {
			number, how, ok = i, m, true
		}
		return true
	})
	return number, how, ok
}

// each calls yield with the numbers of the records that are near, and how near they are, until yield returns false. It may call
// it with the same number more than once.
func (r *Seen) each(fingerprint uint64, set []uint64, yield func(i int, m index.Measures) bool) {
	if r.sets != nil {
		r.sets.Near(set, func(i int, jaccard float64) bool {
			return yield(i, index.Measures{Value: jaccard, Distance: index.NoDistance})
		})
		return
	}
	r.fingerprints.Near(fingerprint, func(i int) bool {
		m := index.Measures{Distance: hamming.Distance(r.fingerprints.values[i], fingerprint)}
		if r.threshold > 0 {
			if len(set) > 0 {
				m.Value = ints.Jaccard(r.both[i], set)
			}
			if m.Value < r.threshold {
				return true
			}
		}
		return yield(i, m)
	})
}

// Add adds a record, which is not empty. It keeps a copy of the set.
func (r *Seen) Add(fingerprint uint64, set []uint64) {
	switch {
	case r.sets != nil:
		r.sets.Add(set)
		return
	case r.threshold > 0:
		r.both = append(r.both, slices.Clone(set))
	}
	r.fingerprints.Add(fingerprint)
}
