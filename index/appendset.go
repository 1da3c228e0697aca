package index

import (
	"simsearch/analysis"
	"simsearch/internal/segment"
)

// AppendSet appends the set of features of document doc, doc < Len(), to dst, strictly ascending, and returns the
// extended slice and the digest of the set. Nothing is appended if the document has no features, or the index no sets.
// The error is ErrCorrupt or ErrClosed.
func (ix *Snapshot) AppendSet(dst []uint64, doc uint32) (features []uint64, digest analysis.Digest, err error) {
	features = dst
	err = ix.readDocument(doc, func(s *segment.Segment, local uint32) error {
		if s.Sets() == nil {
			return nil
		}
		set, ok, err := s.Sets().Of(local)
		if err != nil || !ok {
			return err
		}
		if digest, err = s.Sets().Digest(set); err != nil {
			return err
		}
		features, err = s.Sets().AppendSet(dst, set)
		return err
	})
	return features, digest, err
}
