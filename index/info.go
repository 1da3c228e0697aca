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
func (ix *Snapshot) Explain(c Criterion) ([]string, error) {
	if err := c.Check(ix.Settings()); err != nil {
		return nil, err
	}
	var out []string
	for i, s := range ix.segments {
		name := ix.manifest.Segments[i].Name
		if c.BySets() {
			out = append(out, fmt.Sprintf("segment %s: %v", name, explainBands(s.Bands().Bands(), c)))
			continue
		}
		out = append(out, fmt.Sprintf("segment %s: %v; a query within %d %v", name, s.Tables().Design(), c.Distance, s.Tables().Explain(c.Distance)))
	}
	return out, nil
}

// explainBands says how a query by c is answered with bands.
func explainBands(b lsh.Bands, c Criterion) string {
	d := b.Depth(c.Threshold, c.Recall)
	if d == 0 {
		return fmt.Sprintf("%v; these find a pair of Jaccard similarity %.2f with probability %.3f at most, less than the recall of %.2f that is wanted, so that a query is compared with all signatures",
			b, c.Threshold, lsh.Bands{Bands: b.Bands, Rows: 1}.Probability(c.Threshold), c.Recall)
	}
	looked := lsh.Bands{Bands: b.Bands, Rows: d}
	return fmt.Sprintf("%v; a query looks up %d of the rows of each: %s", b, d, looked.Explain(c.Threshold))
}

// Info describes the index without reading its contents.
func (ix *Snapshot) Info() Info {
	info := Info{Settings: ix.Settings(), Documents: ix.Len(), Segments: []SegmentInfo{}}
	for i, s := range ix.segments {
		si := SegmentInfo{
			Name:      ix.manifest.Segments[i].Name,
			Documents: int(s.Documents()),
			Empty:     int(s.Empties()),
			Distinct:  int(s.Distinct()),
			Bytes:     ix.manifest.Segments[i].Bytes,
		}
		if t := s.Tables(); t != nil {
			si.Design = fmt.Sprint(t.Design())
		}
		if s.Sets() != nil {
			b := s.Bands().Bands()
			si.Sets, si.Bands = s.Sets().Len(), &b
			for tenth := 1; tenth <= 10; tenth++ {
				si.Curve = append(si.Curve, b.Probability(float64(tenth)/10))
			}
		}
		s.EachSection(func(name string, length uint64) {
			si.Sections = append(si.Sections, SectionInfo{name, length})
		})
		info.Empty += si.Empty
		info.Bytes += si.Bytes
		info.Segments = append(info.Segments, si)
	}
	return info
}
