package index

import (
	"slices"

	"simsearch/internal/sequences"
)

// HasPassages reports whether the index was made to find passages.
func (ix *Snapshot) HasPassages() bool { return ix.manifest.Passages }

// Leads returns the documents that may share a passage with q, in order: all that do are among them. The index HasPassages.
func (ix *Snapshot) Leads(q *sequences.Query) (docs []uint32, stats sequences.Stats, err error) {
	err = ix.reading(func() error {
		for i, s := range ix.segments {
			var of sequences.Stats
			if docs, of, err = s.Leads(docs, q, ix.starts[i]); err != nil {
				return err
			}
			stats.Add(of)
		}
		return nil
	})
	return docs, stats, err
}

// Sharing returns those of docs that share a passage with q, and a few others: their texts tell. It uses the memory of docs.
func (ix *Snapshot) Sharing(q *sequences.Query, docs []uint32) (sharing []uint32, err error) {
	err = ix.reading(func() (err error) {
		sharing = slices.DeleteFunc(docs, func(doc uint32) (far bool) {
			if s, local := ix.locate(doc); err == nil {
				var is bool
				is, err = s.Sharing(q, local)
				far = !is
			}
			return far
		})
		return err
	})
	return sharing, err
}
