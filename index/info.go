package index

import (
	"simsearch/analysis"
	"simsearch/internal/segment"
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
	Deleted   int           `json:"deleted,omitempty"` // documents that the files still have, and the index has not
	Bytes     uint64        `json:"bytes"`             // of all segments
	Segments  []SegmentInfo `json:"segments"`
}

// SegmentInfo is about one segment: its documents and what searches them, and the size of each section.
type SegmentInfo = segment.Info

// SectionInfo is the size of one section of a segment file: its Name and its Bytes.
type SectionInfo = segment.SectionInfo

// Info describes the index without reading its contents.
func (ix *Snapshot) Info() Info {
	base, _ := ix.manifest.BaseFor(ix.dir)
	info := Info{Settings: ix.Settings(), Search: ix.Search(), Input: ix.Input(), Base: base, Documents: ix.Len(), Segments: []SegmentInfo{}}
	for i, s := range ix.segments {
		si := s.Info(ix.parts[i].Ref)
		if ix.parts[i].Memory {
			si.Name = "log"
		}
		info.Empty += si.Empty
		info.Deleted += si.Deleted
		info.Bytes += si.Bytes
		info.Segments = append(info.Segments, si)
	}
	return info
}
