package intake

import (
	"slices"

	"simsearch/internal/ints"
)

// Seen remembers records of an input and finds those near another one, exactly, while more are remembered: by the distance of
// fingerprints, by the Jaccard similarity of sets of features, or by both. An index in memory that takes one record at a time needs
// about 20 times as long, since each record is a segment until segments are merged.
type Seen struct {
	fingerprints *seenFingerprints // nil if sets decide alone
	sets         *seenSets         // nil unless they do
	both         [][]uint64        // the sets of the fingerprints, if they decide, too
	threshold    float64
}

// NewSeen returns no records. Fingerprints of the given number of bits are near within distance k, and sets from
// the threshold of Jaccard similarity on. Both must be near, or sets if k is less than 0, or fingerprints if threshold is 0.
func NewSeen(k, bits int, threshold float64) *Seen {
	if k < 0 {
		return &Seen{sets: newSeenSets(threshold)}
	}
	return &Seen{fingerprints: newSeenFingerprints(k, bits), threshold: threshold}
}

// Near reports whether a record is near the one with a fingerprint and a set, of which it takes what it
// needs.
func (r *Seen) Near(fingerprint uint64, set []uint64) (near bool) {
	if r.sets != nil {
		return r.sets.Near(set)
	}
	r.fingerprints.Near(fingerprint, func(i int) bool {
		near = r.threshold == 0 || len(set) > 0 && ints.Jaccard(r.both[i], set) >= r.threshold
		return !near
	})
	return near
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
