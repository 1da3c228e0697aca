package store

import "fmt"

// A Keep says what an index keeps of texts, so that they can be shown. Searches need none of it.
type Keep string

const (
	// KeepDefault is what the index keeps already, and in a new one KeepText if there are sets of
	// features, or else KeepNothing.
	KeepDefault Keep = ""
	// KeepText keeps texts, compressed.
	KeepText Keep = "text"
	// KeepSource keeps where texts were read, and a digest of each. A text without a source, such as one
	// of standard input, is kept itself.
	KeepSource Keep = "source"
	// KeepNothing keeps nothing.
	KeepNothing Keep = "nothing"
)

// ParseKeep returns the Keep called name: "text", "source" or "nothing".
func ParseKeep(name string) (Keep, error) {
	switch k := Keep(name); k {
	case KeepText, KeepSource, KeepNothing:
		return k, nil
	}
	return KeepDefault, fmt.Errorf("unknown %q: want one of text, source, nothing", name)
}

// String returns the name of k, which ParseKeep reads, or "".
func (k Keep) String() string { return string(k) }

// Validate returns an error unless k is one of the above.
func (k Keep) Validate() error {
	if k == KeepDefault {
		return nil
	}
	_, err := ParseKeep(string(k))
	return err
}
