package index

import (
	"fmt"

	"simsearch/analysis"
	"simsearch/lsh"
)

// Info says what an index holds. It is what `simsearch info` prints.
type Info struct {
	Settings analysis.Settings `json:"settings"`
	Search   analysis.Search   `json:"search,omitzero"`
	Input    Input             `json:"input,omitzero"`
	// Base is the absolute path of the directory at which paths in ids begin, or "" if that is unknown.
	Base      string        `json:"base,omitempty"`
	Documents int           `json:"documents"`
	Empty     int           `json:"empty"`
	Bytes     uint64        `json:"bytes"` // of all segments
	Segments  []SegmentInfo `json:"segments"`
}

// SegmentInfo is about one segment.
type SegmentInfo struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	Empty     int    `json:"empty"`
	Distinct  int    `json:"distinct"` // distinct fingerprints
	Bytes     uint64 `json:"bytes"`
	Design    string `json:"design,omitempty"` // of the tables

	Sets int `json:"sets,omitempty"` // distinct sets of features
	// Planned is the least Jaccard similarity at which queries need not be compared with all sets.
	Planned float64    `json:"planned,omitempty"`
	Bands   *lsh.Bands `json:"bands,omitempty"`
	// Curve is the probabilities that the bands find a pair of Jaccard similarity 0.1, 0.2, … 1.0.
	Curve []float64 `json:"curve,omitempty"`

	Sections []SectionInfo `json:"sections"`
}

// SectionInfo is the size of one section of a segment file.
type SectionInfo struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
}

// Info describes the index without reading its contents.
func (ix *Snapshot) Info() Info {
	base, _ := ix.manifest.BaseFor(ix.dir)
	info := Info{Settings: ix.Settings(), Search: ix.Search(), Input: ix.Input(), Base: base, Documents: ix.Len(), Segments: []SegmentInfo{}}
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
			si.Sets = s.Sets().Len()
			if coded := s.Sets().Coded(); coded != nil {
				si.Planned = coded.Plan().Threshold
			}
		}
		if t := s.Bands(); t != nil {
			b := t.Bands()
			si.Bands = &b
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
