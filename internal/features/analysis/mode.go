package analysis

import (
	"fmt"

	"simsearch/internal/ground/ints"
)

// A Mode says what the documents of a collection are searched by.
type Mode uint8

const (
	// SimHash searches fingerprints by distance.
	SimHash Mode = iota
	// MinHash searches sets of features by Jaccard similarity.
	MinHash
	// Both has fingerprints and sets, and searches by either.
	Both
)

var modeNames = &ints.Names{Type: "Mode", What: "mode", All: []string{"simhash", "minhash", "both"}}

// String returns the name of m.
func (m Mode) String() string { return modeNames.String(uint8(m)) }

// MarshalText returns the name of m. The error is always nil.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets m to the mode called name. The error lists all names.
func (m *Mode) UnmarshalText(name []byte) error {
	if ints.ParseName(modeNames, m, name) != nil {
		return fmt.Errorf("unknown mode %q: want simhash, minhash or both", name)
	}
	return nil
}
