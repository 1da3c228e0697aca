package dedup

import (
	"fmt"
	"math"
	"slices"

	"simsearch/internal/clean/warnings"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/join"
	"simsearch/internal/quality/report"
)

// rounding makes up for errors of products such as 100*0.29, which is less than 29.
const rounding = 1e-9

// Result returns the report as far as nothing must have been written for it.
func (d *Decisions) Result() *Report {
	c := d.c
	r := &Report{V: 1, Command: c.Options.Command, Settings: d.settings(), Threshold: c.Options.Threshold, Copy: c.Options.Copy,
		withContained: c.Options.Contained > 0}
	// The removed documents by their similarity to the kept one, in hundredths, and by the distance to it in bits.
	var similarities [101]int
	var distances [join.MaxBits + 1]int
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
			d.countRemoved(r, &s, doc)
			members[d.kept[doc]]++
			similarities[int(100*d.similarity(doc)+rounding)]++
			if c.Options.ByDistance() {
				distances[d.distance(doc)]++
			}
		}
		r.Removed, r.Bad = r.Removed+s.Removed, r.Bad+s.Bad
		r.Exact, r.Words, r.Near = r.Exact+s.Exact, r.Words+s.Words, r.Near+s.Near
		files = append(files, s)
	}
	var within []int
	if d.marks != nil {
		said := d.marks.Result()
		r.Review = &said
	}
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
	r.Warnings = append(warnings.Sentences(files, r.Sources, within, loses(r.Mode)), d.warnings(r)...)
	if c.Options.ByDistance() {
		r.K = distanceOf(&c.Options, r.Threshold)
		r.count(distances[:])
	} else {
		r.Histogram = histogram(similarities[:], r.Threshold)
	}
	return r
}

// countRemoved counts a removed document, and what it is to the kept one, also for its source.
func (d *Decisions) countRemoved(r *Report, s *warnings.Source, doc uint32) {
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
}

// distance returns the distance of a document to the one that is kept for it, in bits.
func (d *Decisions) distance(doc uint32) int {
	return join.DistanceAt(d.similarity(doc), d.c.Options.Settings.Bits)
}

// Summary returns what was removed, on one line.
func (r *Report) Summary() string {
	contained := ""
	if r.withContained {
		contained = ", " + terminal.Thousands(r.Contained) + " inside it"
	}
	equal, words := "text", r.measured("words", "fingerprint")
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
		facts = "; of the removed, " + r.Differs.String() + " (--spare all keeps these)"
	}
	return fmt.Sprintf("%s of %s %s: %s with the %s of the kept one%s, %s near it%s%s; %s",
		terminal.Thousands(r.Removed), terminal.Plural(r.Documents, "document"), done(r.Mode, "removed"), terminal.Thousands(r.Exact),
		equal, words, terminal.Thousands(r.Near-r.Contained), contained, facts, stay)
}

// histogram returns bins of a hundredth from the threshold on, or from the least similarity that occurs, and one of 1.
func histogram(similarities []int, threshold float64) (bins []report.Bin) {
	from := int(math.Floor(100 * threshold))
	if least := slices.IndexFunc(similarities[:from], func(n int) bool { return n > 0 }); least >= 0 {
		from = least
	}
	for i := from; i < 100; i++ {
		bins = append(bins, report.Bin{From: float64(i) / 100, To: float64(i+1) / 100, Documents: similarities[i]})
	}
	return append(bins, report.Bin{From: 1, To: 1, Documents: similarities[100]})
}

// count sets Distances, up to K or to the largest one that occurs.
func (r *Report) count(distances []int) {
	k := *r.K
	for distance, documents := range distances {
		if distance <= k || slices.Max(distances[distance:]) > 0 {
			r.Distances = append(r.Distances, Distance{Distance: distance, Documents: documents})
		}
	}
}
