package segment

import (
	"fmt"

	"simsearch/internal/match/lsh"
	"simsearch/tables"
)

// Info is about one segment. It is what `simsearch info` prints of it.
type Info struct {
	Name      string  `json:"name"`
	Documents int     `json:"documents"`
	Empty     int     `json:"empty"`
	Deleted   int     `json:"deleted,omitempty"` // documents of the file that are not of the index any more
	Distinct  int     `json:"distinct"`          // distinct fingerprints
	Bytes     uint64  `json:"bytes"`
	Design    string  `json:"design,omitempty"` // of the tables
	Tables    *Tables `json:"tables,omitempty"` // nil without fingerprints

	Sets int `json:"sets,omitempty"` // distinct sets of features
	// Planned is the least Jaccard similarity at which queries need not be compared with all sets.
	Planned float64    `json:"planned,omitempty"`
	Bands   *lsh.Bands `json:"bands,omitempty"`
	// Curve is the probabilities that the bands find a pair of Jaccard similarity 0.1, 0.2, … 1.0.
	Curve []float64 `json:"curve,omitempty"`

	Sections []SectionInfo `json:"sections"`
}

// Tables says of what size the tables of a segment are.
type Tables struct {
	Blocks        int     `json:"blocks,omitempty"`        // G, of tables that were chosen by hand
	HeaderBlocks  int     `json:"header_blocks,omitempty"` // g
	Tables        int     `json:"tables"`
	HeaderBits    int     `json:"header_bits"`     // of the narrowest header
	EntriesAProbe float64 `json:"entries_a_probe"` // that a look-up is expected to lead to, if fingerprints are uniform
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
		Empty:     s.Empties(),
		Deleted:   s.Deleted().Count(),
		Distinct:  max(0, s.prints.Len()),
		Bytes:     ref.Bytes,
	}
	if t := s.Tables(); t != nil {
		d := t.Design()
		blocks, headerBlocks, _ := d.Blocks()
		si.Design = fmt.Sprint(d)
		si.Tables = &Tables{blocks, headerBlocks, len(d.Permutations()), d.HeaderBits(), d.EntriesAProbe(t.Len())}
	}
	if s.wide != nil {
		si.Design = tables.DescribeWide(s.wide.Len(), s.wide.Width())
	}
	if s.Sets() != nil {
		si.Sets = s.Sets().Len()
		si.Planned = s.Sets().Coded().Plan().Threshold
	}
	if t := s.Bands(); t != nil {
		b := t.Bands()
		si.Bands = &b
		for tenth := 1; tenth <= 10; tenth++ {
			si.Curve = append(si.Curve, b.Probability(float64(tenth)/10))
		}
	}
	if ref.Deleted != nil {
		si.Bytes += ref.Deleted.Bytes
	}
	s.f.Sections(func(name string, _, length uint64) bool {
		si.Sections = append(si.Sections, SectionInfo{name, length})
		return true
	})
	return si
}
