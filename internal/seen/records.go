package seen

import (
	"slices"

	"simsearch/internal/ints"
)

// Records are records that are near one another by fingerprints, by sets or by both.
type Records struct {
	fingerprints *Fingerprints // nil if sets decide alone
	sets         *Sets         // nil unless they do
	both         [][]uint64    // the sets of the fingerprints, if they decide, too
	threshold    float64
}

// New returns no records. Fingerprints of the given number of bits are near within distance k, and sets from
// the threshold of Jaccard similarity on. Both must be near, or sets if k is less than 0, or fingerprints if threshold is 0.
func New(k, bits int, threshold float64) *Records {
	if k < 0 {
		return &Records{sets: NewSets(threshold)}
	}
	return &Records{fingerprints: NewFingerprints(k, bits), threshold: threshold}
}

// Near reports whether a record is near the one with a fingerprint and a set, of which it takes what it
// needs.
func (r *Records) Near(fingerprint uint64, set []uint64) (near bool) {
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
func (r *Records) Add(fingerprint uint64, set []uint64) {
	switch {
	case r.sets != nil:
		r.sets.Add(set)
		return
	case r.threshold > 0:
		r.both = append(r.both, slices.Clone(set))
	}
	r.fingerprints.Add(fingerprint)
}
