package dedup

import (
	"fmt"
	"math"

	"simsearch/internal/clean/warnings"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/join"
	"simsearch/internal/quality/report"
)

// A Result says what Decide has decided: the counts of a report, without what only a written report has.
type Result struct {
	Report
	Files Files

	// Similarities counts the removed documents by their similarity to the kept one: in similarities[i] are those
	// from i/100 to below (i+1)/100, and in the last one those of 1.
	similarities [101]int
	// Distances counts them by the distance to the kept one in bits, if near goes by the distance of fingerprints.
	distances [join.MaxBits + 1]int

	withContained, byDistance bool
}

// rounding makes up for errors of products such as 100*0.29, which is less than 29.
const rounding = 1e-9

// Result counts what is kept and removed.
func (d *Decisions) Result() Result {
	c := d.c
	r := Result{withContained: c.Options.Contained > 0, byDistance: c.Options.ByDistance()}
	r.Mode, r.Documents, r.Pictures = mode(&c.Options), c.Len(), c.Options.Settings.Image != 0
	members := map[uint32]int{}
	var files []warnings.Source
	for file := c.Refs; file < len(c.Files); file++ {
		s := warnings.Source{Path: c.Files[file].Path, Documents: c.documentsOf(file), Bad: c.Bad[file]}
		for doc := c.Starts[file]; doc < c.Starts[file+1]; doc++ {
			r.Bytes += int64(c.Lengths[doc])
			if c.SetOf[doc] == NoSet {
				r.Empty++
			}
			if d.kept[doc] == doc {
				r.KeptBytes += int64(c.Lengths[doc])
				if d.wouldLose(doc) {
					r.WouldLose++
				}
				continue
			}
			s.Removed++
			switch {
			case d.exact(doc):
				s.Exact++
			case d.similarity(doc) == 1:
				s.Words++
			default:
				s.Near++
			}
			r.Differs.Add(differs(d, doc))
			if d.contained(doc) > 0 {
				r.Contained++
			}
			members[d.kept[doc]]++
			r.similarities[int(100*d.similarity(doc)+rounding)]++
			if c.Options.ByDistance() {
				r.distances[d.distance(doc)]++
			}
		}
		r.Removed, r.Bad = r.Removed+s.Removed, r.Bad+s.Bad
		r.Exact, r.Words, r.Near = r.Exact+s.Exact, r.Words+s.Words, r.Near+s.Near
		files = append(files, s)
	}
	var within []int
	r.Review = reviewResult(d)
	r.Kept = r.Documents - r.Removed
	r.Files = c.filesOf(func(file int) bool {
		s := files[file-c.Refs]
		return s.Documents > 0 && s.Removed == s.Documents && s.Bad == 0
	})
	r.Sources, within = warnings.Sources(files)
	r.Groups = len(members)
	for _, n := range members {
		r.LargestGroup = max(r.LargestGroup, n+1)
	}
	r.Warnings = append(warnings.Sentences(files, r.Sources, within, loses(r.Mode)), d.warnings(r.LargestGroup)...)
	return r
}

// distance returns the distance of a document to the one that is kept for it, in bits.
func (d *Decisions) distance(doc uint32) int {
	return join.DistanceAt(d.similarity(doc), d.c.Options.Settings.Bits)
}

// Summary returns what was removed, on one line.
func (r *Result) Summary() string {
	contained := ""
	if r.withContained {
		contained = ", " + terminal.Thousands(r.Contained) + " inside it"
	}
	equal, words := "text", report.Either(r.byDistance, "words", "fingerprint")
	words = ", " + terminal.Thousands(r.Words) + " with its " + words
	switch {
	case r.Pictures:
		equal = "file"
	case r.Bytes == 0 && r.Documents > 0: // of which nothing else is known
		equal, words = "fingerprint", ""
	}
	stay := terminal.Thousands(r.Kept) + " kept"
	switch r.Mode {
	case marking:
		stay = "all stay"
	case rehearsal:
		stay = terminal.Thousands(r.Kept) + " would be kept"
	}
	if r.WouldLose > 0 {
		stay += fmt.Sprintf(", %s of these for what they alone have", terminal.Thousands(r.WouldLose))
	}
	facts := ""
	if r.Differs.Any > 0 {
		facts = "; of the removed, " + r.Differs.String()
	}
	return fmt.Sprintf("%s of %s %s: %s with the %s of the kept one%s, %s near it%s%s; %s",
		terminal.Thousands(r.Removed), terminal.Plural(r.Documents, "document"), done(r.Mode, "removed"), terminal.Thousands(r.Exact),
		equal, words, terminal.Thousands(r.Near-r.Contained), contained, facts, stay)
}

// histogram returns bins of a hundredth from the threshold on, or from the least similarity that occurs, and one of 1.
func (r *Result) histogram(threshold float64) (bins []report.Bin) {
	from := int(math.Floor(100 * threshold))
	for i, n := range r.similarities[:from] {
		if n > 0 {
			from = i
			break
		}
	}
	for i := from; i < 100; i++ {
		bins = append(bins, report.Bin{From: float64(i) / 100, To: float64(i+1) / 100, Documents: r.similarities[i]})
	}
	return append(bins, report.Bin{From: 1, To: 1, Documents: r.similarities[100]})
}

// reportDistances puts distances in the place of the similarities.
func (r *Result) reportDistances(k int) {
	report := &r.Report
	report.K, report.Histogram = &k, nil
	most := k
	for distance, documents := range r.distances {
		if documents > 0 {
			most = max(most, distance)
		}
	}
	for distance, documents := range r.distances[:most+1] {
		report.Distances = append(report.Distances, Distance{Distance: distance, Documents: documents})
	}
}
