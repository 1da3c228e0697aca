package index

import (
	"fmt"

	"simsearch/analysis"
	"simsearch/lsh"
)

// Info says what an index holds; it is what `simsearch info` prints.
type Info struct {
	Settings  analysis.Settings `json:"settings"`
	Documents int               `json:"documents"`
	Empty     int               `json:"empty"`
	Bytes     uint64            `json:"bytes"` // of all segments
	Segments  []SegmentInfo     `json:"segments"`
}

// SegmentInfo is about one segment.
type SegmentInfo struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	Empty     int    `json:"empty"`
	Distinct  int    `json:"distinct"` // fingerprints
	Bytes     uint64 `json:"bytes"`
	Design    string `json:"design,omitempty"` // of the tables

	Sets  int        `json:"sets,omitempty"` // distinct sets of features
	Bands *lsh.Bands `json:"bands,omitempty"`
	// Curve is the probability with which pairs of Jaccard similarity 0.1 to 1.0 are found.
	Curve []float64 `json:"curve,omitempty"`

	Sections []SectionInfo `json:"sections"`
}

// SectionInfo is the size of one section of a segment file.
type SectionInfo struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
}

// Explain says, segment by segment, how a search by c is answered.
func (ix *Index) Explain(c Criterion) ([]string, error) {
	if err := c.Check(ix.Settings()); err != nil {
		return nil, err
	}
	var out []string
	for i, s := range ix.segments {
		name := ix.manifest.Segments[i].Name
		if c.BySets() {
			out = append(out, fmt.Sprintf("segment %s: %v", name, s.sets.explain(c)))
			continue
		}
		out = append(out, fmt.Sprintf("segment %s: %v; a query within %d %v", name, s.tables.Design(), c.Distance, s.tables.Explain(c.Distance)))
	}
	return out, nil
}

// explain says how a query by c is answered.
func (s *sets) explain(c Criterion) string {
	b := s.bands.Bands()
	d := b.Depth(c.Threshold, c.Recall)
	if d == 0 {
		return fmt.Sprintf("%v; these find a pair of Jaccard similarity %.2f with probability %.3f at most, less than the recall of %.2f that is wanted, so that a query is compared with all signatures",
			b, c.Threshold, lsh.Bands{Bands: b.Bands, Rows: 1}.Probability(c.Threshold), c.Recall)
	}
	looked := lsh.Bands{Bands: b.Bands, Rows: d}
	return fmt.Sprintf("%v; a query looks up %d of the rows of each: %s", b, d, explainBands(looked, c.Threshold))
}

// explainBands says in a few words what bands are good for.
func explainBands(b lsh.Bands, threshold float64) string {
	return fmt.Sprintf("a pair of Jaccard similarity %.2f is found with probability %.3f, one of %.2f with %.4f, one of %.2f with %.6f",
		threshold, b.Probability(threshold), threshold*0.75, b.Probability(threshold*0.75), threshold/4, b.Probability(threshold/4))
}

// Info describes the index without reading its contents.
func (ix *Index) Info() Info {
	info := Info{Settings: ix.Settings(), Documents: ix.Len(), Segments: []SegmentInfo{}}
	for i, s := range ix.segments {
		si := SegmentInfo{
			Name:      ix.manifest.Segments[i].Name,
			Documents: int(s.documents),
			Empty:     int(s.empties),
			Distinct:  int(s.distinct),
			Bytes:     ix.manifest.Segments[i].Bytes,
		}
		if s.tables != nil {
			si.Design = fmt.Sprint(s.tables.Design())
		}
		if s.sets != nil {
			b := s.sets.bands.Bands()
			si.Sets, si.Bands = s.sets.len(), &b
			for tenth := 1; tenth <= 10; tenth++ {
				si.Curve = append(si.Curve, b.Probability(float64(tenth)/10))
			}
		}
		s.f.Sections(func(name string, _, length uint64) bool {
			si.Sections = append(si.Sections, SectionInfo{name, length})
			return true
		})
		info.Empty += si.Empty
		info.Bytes += si.Bytes
		info.Segments = append(info.Segments, si)
	}
	return info
}
