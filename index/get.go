package index

import (
	"errors"

	"simsearch/internal/segment"
)

// A Document is what an index has of one document.
type Document struct {
	Number         uint32 // in the Snapshot, in [0, Len())
	ID             []byte // valid until the Snapshot is closed
	HasFingerprint bool
	Fingerprint    uint64
	Set            []uint64 // the hashes of its features, strictly ascending; nil if the index has no sets, or the document no features
	Text           string   // "" if the index keeps no texts
	Fields         []byte   // what is kept of its fields, as document.Field reads it; nil if nothing is
}

// Get returns the document called id. ok is false if there is none. The error is ErrCorrupt or ErrClosed.
func (ix *Snapshot) Get(id []byte) (d Document, ok bool, err error) {
	err = ix.reading(func() (err error) {
		if d.Number, ok, err = ix.find(id); err != nil || !ok {
			return err
		}
		s, local := ix.locate(d.Number)
		var errs [4]error
		d.ID, errs[0] = s.ID(local)
		if ix.Settings().Fingerprints() {
			d.Fingerprint, d.HasFingerprint, errs[1] = s.Fingerprint(local)
		}
		text, _, err := s.Text(local)
		d.Text, errs[2] = string(text), err
		d.Fields, _, errs[3] = s.Fields(local)
		return errors.Join(append(errs[:], d.addSet(s, local))...)
	})
	return d, ok && err == nil, err
}

// addSet adds the set of document local of s.
func (d *Document) addSet(s *segment.Segment, local uint32) error {
	if s.Sets() == nil {
		return nil
	}
	set, ok, err := s.Sets().Of(local)
	if err == nil && ok {
		d.Set, err = s.Sets().AppendSet(nil, set)
	}
	return err
}
