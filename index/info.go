package index

import "fmt"

// Info says what an index holds; it is what `simsearch info` prints.
type Info struct {
	Settings  Settings      `json:"settings"`
	Documents int           `json:"documents"`
	Empty     int           `json:"empty"`
	Bytes     uint64        `json:"bytes"` // of all segments
	Segments  []SegmentInfo `json:"segments"`
}

// SegmentInfo is about one segment.
type SegmentInfo struct {
	Name      string        `json:"name"`
	Documents int           `json:"documents"`
	Empty     int           `json:"empty"`
	Distinct  int           `json:"distinct"` // fingerprints
	Bytes     uint64        `json:"bytes"`
	Design    string        `json:"design"` // of the tables
	Sections  []SectionInfo `json:"sections"`
}

// SectionInfo is the size of one section of a segment file.
type SectionInfo struct {
	Name  string `json:"name"`
	Bytes uint64 `json:"bytes"`
}

// Explain says, segment by segment, how queries within distance k are answered.
func (ix *Index) Explain(k int) []string {
	var out []string
	for i, s := range ix.segments {
		out = append(out, fmt.Sprintf("segment %s: %v; a query within %d %v", ix.manifest.Segments[i].Name, s.tables.Design(), k, s.tables.Explain(k)))
	}
	return out
}

// Info describes the index without reading its contents.
func (ix *Index) Info() Info {
	info := Info{Settings: ix.Settings(), Documents: ix.Len(), Segments: []SegmentInfo{}}
	for i, s := range ix.segments {
		si := SegmentInfo{
			Name:      ix.manifest.Segments[i].Name,
			Documents: int(s.documents),
			Empty:     int(s.empties),
			Distinct:  len(s.groups.Values),
			Bytes:     ix.manifest.Segments[i].Bytes,
			Design:    fmt.Sprint(s.tables.Design()),
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
