package store

import (
	"fmt"
	"slices"
	"strings"
)

// A Keep says what an index keeps of texts, so that they can be shown. Searches need none of it.
type Keep uint8

const (
	// KeepDefault is what the index keeps already, and in a new one KeepText if there are sets of
	// features, or else KeepNothing.
	KeepDefault Keep = iota
	// KeepText keeps texts, compressed.
	KeepText
	// KeepSource keeps where texts were read, and a digest of each. A text without a source, such as one
	// of standard input, is kept itself.
	KeepSource
	// KeepNothing keeps nothing.
	KeepNothing
)

var keepNames = []string{"default", "text", "source", "nothing"}

// ParseKeep returns the Keep called name: "text", "source" or "nothing".
func ParseKeep(name string) (Keep, error) {
	i := slices.Index(keepNames, name)
	if i < 1 {
		return 0, fmt.Errorf("unknown %q: want one of %s", name, strings.Join(keepNames[1:], ", "))
	}
	return Keep(i), nil
}

// String returns the name of k, which ParseKeep reads, or "default".
func (k Keep) String() string {
	if int(k) >= len(keepNames) {
		return fmt.Sprintf("Keep(%d)", uint8(k))
	}
	return keepNames[k]
}

// Validate returns an error unless k is one of the above.
func (k Keep) Validate() error {
	if int(k) >= len(keepNames) {
		return fmt.Errorf("nothing is kept as %v: want %s", k, strings.Join(keepNames, ", "))
	}
	return nil
}

// MarshalText returns the name of k. The error is always nil.
func (k Keep) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText sets k to the Keep called text. The error is that of ParseKeep.
func (k *Keep) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKeep(string(text))
	return err
}
