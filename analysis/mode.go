package analysis

import (
	"fmt"
	"slices"
	"strings"
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

var modeNames = []string{"simhash", "minhash", "both"}

// ParseMode returns the mode called name: "simhash", "minhash" or "both".
func ParseMode(name string) (Mode, error) {
	i := slices.Index(modeNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown mode %q: want %s or %s", name, strings.Join(modeNames[:len(modeNames)-1], ", "), modeNames[len(modeNames)-1])
	}
	return Mode(i), nil
}

// String returns the name of m, which ParseMode reads.
func (m Mode) String() string {
	if int(m) >= len(modeNames) {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return modeNames[m]
}

// MarshalText returns the name of m. The error is always nil.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets m to the mode called name. The error is that of ParseMode.
func (m *Mode) UnmarshalText(name []byte) (err error) {
	*m, err = ParseMode(string(name))
	return err
}
