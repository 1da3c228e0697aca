package fingerprint

import "simsearch/internal/ground/ints"

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

var weightingNames = &ints.Names{Type: "Weighting", What: "weights", All: []string{"tf", "log-tf", "tfidf", "set"}}

// String returns the name of w.
func (w Weighting) String() string { return weightingNames.String(uint8(w)) }

// Validate returns an error unless w is a known weighting.
func (w Weighting) Validate() error { return weightingNames.Validate(uint8(w)) }

// MarshalText returns the name of w. The error is always nil.
func (w Weighting) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText sets w to the weighting called text. The error lists all names.
func (w *Weighting) UnmarshalText(text []byte) error { return ints.ParseName(weightingNames, w, text) }
