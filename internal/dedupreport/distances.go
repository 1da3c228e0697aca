package dedupreport

import (
	"fmt"

	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

// Documents may be near by the distance of their fingerprints. Then Report.K says so, Distances and AtDistances take the
// places of Histogram and Thresholds, and similarities are shares of bits.

// A Distance says how many removed documents have a distance to the one kept for them.
type Distance struct {
	Distance  int `json:"distance"` // bits, in [0, 64]
	Documents int `json:"documents"`
}

// AtDistance says how many documents would have been removed if another distance were near.
type AtDistance struct {
	K       int  `json:"k"` // the largest distance of near documents, in bits
	Removed int  `json:"removed"`
	Chosen  bool `json:"chosen"` // this is what was done
}

// A wording says what is measured.
type wording struct {
	Others, OthersCaption, Threshold string // of what would have been removed
	How, Caption, Measure            string // of the histogram
	GroupsCaption                    string
	Near                             string // of documents, in a sentence
	Advice                           string // if what is barely near is no duplicate
}

func (r *Report) wording() wording {
	if r.K == nil {
		return wording{
			Others: "At other thresholds", OthersCaption: "What would have been removed at another threshold.", Threshold: "threshold",
			How: "How similar removed documents are to the one kept", Caption: "Removed documents by their similarity to the one kept.", Measure: "similarity",
			GroupsCaption: "Similarity is the smallest of a removed document to the one kept.",
			Near:          fmt.Sprintf("at a similarity of %s or more", threshold(r.Threshold)),
			Advice:        "raise the threshold",
		}
	}
	return wording{
		Others: "At other distances", OthersCaption: "What would have been removed if other distances were near.", Threshold: "k",
		How: "How far removed documents are from the one kept", Caption: "Removed documents by the distance of their fingerprints from that of the one kept.", Measure: "distance",
		GroupsCaption: "Distance is the largest of a removed document from the one kept, in bits.",
		Near:          fmt.Sprintf("with fingerprints that differ in %s at most", terminal.Plural(*r.K, "bit")),
		Advice:        "choose a smaller k",
	}
}

// distances sets what is shown of other distances, and the histogram.
func (v *view) distances(r *Report) {
	most := 1
	for _, at := range r.AtDistances {
		most = max(most, at.Removed)
	}
	for _, at := range r.AtDistances[:min(mostRows, len(r.AtDistances))] {
		v.Thresholds = append(v.Thresholds, r.atThreshold(fmt.Sprint(at.K), at.Removed, at.Chosen, most))
	}
	bars := svg.Bars{
		Title: "How many removed documents have which distance from the one kept", X: "distance from the one kept, in bits", Y: "removed documents",
		Line: &svg.Line{At: float64(*r.K) + 0.5, Name: fmt.Sprintf("k = %d", *r.K)}, Whole: true, Width: 760, Height: 300,
	}
	far := 0
	for _, d := range r.Distances {
		bars.Bins = append(bars.Bins, svg.Bar{From: float64(d.Distance) - 0.5, To: float64(d.Distance) + 0.5, Value: float64(d.Documents)})
		if d.Documents > 0 {
			v.Bins = append(v.Bins, binView{terminal.Plural(d.Distance, "bit"), terminal.Thousands(d.Documents)})
		}
		if d.Distance > *r.K {
			far += d.Documents
		}
	}
	if len(v.Bins) == 0 {
		v.Histogram = []string{"There is nothing to show, since nothing is removed."}
		return
	}
	if len(r.Borderline) > 0 {
		v.Histogram = append(v.Histogram, "Documents at the largest distance are those to look at first: some of them are under “Borderline pairs”.")
	}
	if far > 0 {
		v.Histogram = append(v.Histogram, fmt.Sprintf("%s %s further from the one kept than k. Each is near to another document of its group, though.", documents(far), verb(far, "is", "are")))
	}
	narrow := bars
	narrow.Width, narrow.Height = 340, 260
	v.Plots = []*svg.Bars{&bars, &narrow}
}

// shown returns a similarity, or the distance in its place.
func shown(similarity float64, distance *int, unit string) string {
	switch {
	case distance == nil:
		return terminal.Similarity(similarity)
	case unit == "":
		return fmt.Sprint(*distance)
	}
	return terminal.Plural(*distance, unit)
}
