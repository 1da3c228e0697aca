package segment

import (
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/sequences"
)

// A passageBuilder gathers the codes of the words of documents.
type passageBuilder struct {
	codes spill.Bytes
	sizes []uint32 // of the codes of each document that was added
	drop  []bool   // which of these are left out; nil is none
}

func (b *passageBuilder) add(codes []uint8) {
	b.codes.Append(codes)
	b.sizes = append(b.sizes, uint32(len(codes)))
}

// write writes the sections of n documents, which takes about so much memory.
func (b *passageBuilder) write(w *section.Writer, n int, memory int64) error {
	return sequences.Write(w, n, func(do func(doc int, codes []uint8) error) error {
		doc := 0
		size := func(i int) (n int, ok bool) {
			if i < len(b.sizes) {
				return int(b.sizes[i]), true
			}
			return 0, false
		}
		return b.codes.Scan(size, func(i int, codes []byte) error {
			if b.drop != nil && b.drop[i] {
				return nil
			}
			doc++
			return do(doc-1, codes)
		})
	}, int(memory))
}

// HasPassages reports whether passages can be found.
func (s *Segment) HasPassages() bool { return s.passages != nil }

// Leads appends the documents to dst that may share a passage with q, in order: all that do are among them. Documents
// are numbered from start.
func (s *Segment) Leads(dst []uint32, q *sequences.Query, start uint32) ([]uint32, sequences.Stats) {
	n := len(dst)
	dst, stats := s.passages.Leads(dst, q)
	live := dst[:n]
	for _, doc := range dst[n:] {
		if doc, ok := s.deleted.Live(doc); ok {
			live = append(live, start+doc)
		}
	}
	return live, stats
}

// Shares reports whether a document shares a passage with q. Few that are said to do not.
func (s *Segment) Shares(q *sequences.Query, doc uint32) bool {
	return s.passages.Shares(q, s.deleted.At(doc))
}
