package dedup

import (
	"fmt"

	"simsearch/internal/dedupreport"
	"simsearch/internal/join"
)

// otherDistances are those at which a report counts what would be removed, as otherThresholds of similarities.
var otherDistances = []int{0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16}

// otherThresholds returns the thresholds at which a report counts what would be removed.
func (o *Options) otherThresholds() (thresholds []float64) {
	if !o.byDistance() {
		return otherThresholds
	}
	for _, k := range otherDistances {
		thresholds = append(thresholds, join.SimilarityAt(k))
	}
	return thresholds
}

// reportDistances puts distances in the places of the similarities that a report has of all documents.
func (r *Result) reportDistances(report *dedupreport.Report, k int) {
	report.K, report.Histogram = &k, nil
	most := k
	for distance, documents := range r.Distances {
		if documents > 0 {
			most = max(most, distance)
		}
	}
	for distance, documents := range r.Distances[:most+1] {
		report.Distances = append(report.Distances, dedupreport.Distance{Distance: distance, Documents: documents})
	}
	for i := len(report.Thresholds) - 1; i >= 0; i-- {
		at := report.Thresholds[i]
		report.AtDistances = append(report.AtDistances, dedupreport.AtDistance{K: join.DistanceAt(at.Threshold), Removed: at.Removed, Chosen: at.Chosen})
	}
	report.Thresholds = nil
}

// criterion returns the settings that say what is near.
func (c *Collection) criterion() []dedupreport.Setting {
	s := c.o.Settings
	if s.Image != 0 {
		return []dedupreport.Setting{{Name: "k", Value: fmt.Sprint(join.DistanceAt(c.o.Threshold))}, {Name: "image hash", Value: s.Image.String()}}
	}
	if c.o.byDistance() {
		return []dedupreport.Setting{
			{Name: "k", Value: fmt.Sprint(join.DistanceAt(c.o.Threshold))},
			{Name: "features", Value: s.Features.String()},
			{Name: "weights", Value: s.Weights.String()},
			{Name: "lang", Value: s.Language},
		}
	}
	return []dedupreport.Setting{{Name: "jaccard", Value: fmt.Sprint(c.o.Threshold)}, {Name: "features", Value: s.SetFeatures.String()}}
}
