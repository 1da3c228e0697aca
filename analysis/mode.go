package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// A Mode says what documents are searched by.
type Mode uint8

const (
	// SimHash is fingerprints, searched by distance.
	SimHash Mode = iota
	// MinHash is sets of features, searched by Jaccard similarity.
	MinHash
	// Both is fingerprints and sets.
	Both
)

var modeNames = []string{"simhash", "minhash", "both"}

// ParseMode returns the mode called name.
func ParseMode(name string) (Mode, error) {
	i := slices.Index(modeNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown mode %q: want %s or %s", name, strings.Join(modeNames[:len(modeNames)-1], ", "), modeNames[len(modeNames)-1])
	}
	return Mode(i), nil
}

// String returns the name that ParseMode reads.
func (m Mode) String() string {
	if int(m) >= len(modeNames) {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return modeNames[m]
}

// MarshalText returns the name of the mode.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (m *Mode) UnmarshalText(name []byte) (err error) {
	*m, err = ParseMode(string(name))
	return err
}
