package seen

// A Kind says by what records are near one another.
type Kind uint8

// The kinds of nearness: of fingerprints, of sets, or of both.
const (
	ByFingerprints Kind = iota
	BySets
	ByBoth
)

// Records are records that are near one another by fingerprints, by sets or by both.
type Records struct {
	fingerprints *Fingerprints
	sets         *Sets
	both         *Both
}

// New returns no records. Fingerprints of the given number of bits are near within distance k, and sets from
// the threshold of Jaccard similarity on.
func New(by Kind, k, bits int, threshold float64) *Records {
	switch by {
	case ByBoth:
		return &Records{both: NewBoth(k, bits, threshold)}
	case BySets:
		return &Records{sets: NewSets(threshold)}
	}
	return &Records{fingerprints: NewFingerprints(k, bits)}
}

// Near reports whether a record is near the one with a fingerprint and a set, of which it takes what it
// needs.
func (r *Records) Near(fingerprint uint64, set []uint64) (near bool) {
	switch {
	case r.both != nil:
		return r.both.Near(fingerprint, set)
	case r.sets != nil:
		return r.sets.Near(set)
	}
	r.fingerprints.Near(fingerprint, func(int) bool { near = true; return false })
	return near
}

// Add adds a record, which is not empty.
func (r *Records) Add(fingerprint uint64, set []uint64) {
	switch {
	case r.both != nil:
		r.both.Add(fingerprint, set)
	case r.sets != nil:
		r.sets.Add(set)
	default:
		r.fingerprints.Add(fingerprint)
	}
}
