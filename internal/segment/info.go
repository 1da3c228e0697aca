package segment

import (
	"fmt"

	"simsearch/lsh"
)

// Info is about one segment. It is what `simsearch info` prints of it.
type Info struct {
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

// Info describes the segment that ref refers to, without reading its contents.
func (s *Segment) Info(ref Ref) Info {
	si := Info{
		Name:      ref.Name,
		Documents: int(s.Documents()),
		Empty:     int(s.Empties()),
		Distinct:  int(s.Distinct()),
		Bytes:     ref.Bytes,
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
	return si
}
