package analysis

import "fmt"

// A Search is the search that a collection is made for. Zeros are not set.
type Search struct {
	Preset   string  `json:"preset,omitempty"`  // the name that the user chose
	Distance int     `json:"k,omitempty"`       // in bits
	Jaccard  float64 `json:"jaccard,omitempty"` // the least similarity
}

// Check returns an error if a collection of settings s cannot be made for the search.
func (search Search) Check(s Settings) error {
	if search.Distance < 0 || search.Distance > s.Bits || !(search.Jaccard >= 0 && search.Jaccard <= 1) {
		return fmt.Errorf("an index for a distance of %d bits and a Jaccard similarity of %v: want 0 to %d, and 0 to 1", search.Distance, search.Jaccard, s.Bits)
	}
	return nil
}
