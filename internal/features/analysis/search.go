package analysis

import "fmt"

// A Search is the search that a collection is made for. Zeros are not set.
type Search struct {
	Preset   string  `json:"preset,omitempty"`  // the name that the user chose
	Distance int     `json:"k,omitempty"`       // in bits
	Jaccard  float64 `json:"jaccard,omitempty"` // the least similarity
	Copy     float64 `json:"copy,omitempty"`    // the least probability of a copy
	// Blocks and HeaderBlocks are the tables of fingerprints, chosen by hand: one for each choice of
	// HeaderBlocks of Blocks. They are G and g of Manku, Jain and Das Sarma. 0 and 0 leave the choice to a plan.
	Blocks       int `json:"blocks,omitempty"`
	HeaderBlocks int `json:"header_blocks,omitempty"`
	// Recall is the probability with which searches by bands find a pair at the least similarity, in
	// (0, 1). With Bands and Rows they are by so many bands of so many rows, whatever these find.
	Recall float64 `json:"recall,omitempty"`
	Bands  int     `json:"bands,omitempty"`
	Rows   int     `json:"rows,omitempty"`
	// Planned is the Jaccard similarity that sets are planned for, if it is not the usual one.
	Planned float64 `json:"planned_jaccard,omitempty"`
}

// Check returns an error if a collection of settings s cannot be made for the search.
func (search Search) Check(s Settings) error {
	if !(search.Copy >= 0 && search.Copy <= 1) || search.Copy > 0 && !s.Sets() {
		return fmt.Errorf("an index for a probability of a copy of %v: want 0 to 1, and sets", search.Copy)
	}
	if search.Distance < 0 || search.Distance > s.Bits || !(search.Jaccard >= 0 && search.Jaccard <= 1) {
		return fmt.Errorf("an index for a distance of %d bits and a Jaccard similarity of %v: want 0 to %d, and 0 to 1", search.Distance,
			search.Jaccard, s.Bits)
	}
	g, of := search.HeaderBlocks, search.Blocks
	switch {
	case of == 0 && g == 0:
	case !s.Fingerprints():
		return fmt.Errorf("tables of %d of %d blocks, and mode %s has no fingerprints", g, of, s.Mode)
	case of < 2 || of > s.Bits:
		return fmt.Errorf("%d blocks: want 2 to %d, the bits of a fingerprint", of, s.Bits)
	case g < 1 || g >= of:
		return fmt.Errorf("headers of %d of %d blocks: want 1 to %d", g, of, of-1)
	}
	if search.Planned != 0 && !(s.Sets() && search.Planned > 0 && search.Planned <= 1) {
		return fmt.Errorf("sets planned for a Jaccard similarity of %v: want sets, and more than 0 and at most 1", search.Planned)
	}
	if search.Recall == 0 && search.Bands == 0 && search.Rows == 0 {
		return nil
	}
	byHand := search.Bands > 0 && search.Rows > 0 && search.Bands <= s.Positions/search.Rows
	if !s.Signatures() || !(search.Recall >= 0 && search.Recall < 1) || byHand == (search.Bands == 0 && search.Rows == 0) || byHand && search.Recall != 0 {
		return fmt.Errorf("an index for a recall of %v by %d bands of %d rows: want one of the two, and signatures of as many positions",
			search.Recall, search.Bands, search.Rows)
	}
	return nil
}
