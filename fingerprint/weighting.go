package fingerprint

import (
	"fmt"
	"slices"
	"strings"
)

// A Weighting is a rule for the weights of the features of a document.
type Weighting uint8

const (
	// TF is the term frequency tf: how often the feature occurs in the document.
	TF Weighting = iota
	// LogTF is 1 + log2 tf.
	LogTF
	// TFIDF is tf times the inverse document frequency, which an IDFLearner learns from a collection.
	TFIDF
	// Set is 1 for every feature that occurs.
	Set
)

var weightingNames = []string{"tf", "log-tf", "tfidf", "set"}

// ParseWeighting returns the weighting called name. The error lists all names.
func ParseWeighting(name string) (Weighting, error) {
	i := slices.Index(weightingNames, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown weights %q: want one of %s", name, strings.Join(weightingNames, ", "))
	}
	return Weighting(i), nil
}

// String returns the name of w, which ParseWeighting reads.
func (w Weighting) String() string {
	if int(w) >= len(weightingNames) {
		return fmt.Sprintf("Weighting(%d)", uint8(w))
	}
	return weightingNames[w]
}

// Validate returns an error unless w is a known weighting.
func (w Weighting) Validate() error {
	if int(w) >= len(weightingNames) {
		return fmt.Errorf("there are no weights %d: want 0 to %d", uint8(w), len(weightingNames)-1)
	}
	return nil
}

// MarshalText returns the name of w. The error is always nil.
func (w Weighting) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText sets w to the weighting called text. The error is that of ParseWeighting.
func (w *Weighting) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWeighting(string(text))
	return err
}
