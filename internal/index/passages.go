package index

import "simsearch/internal/passages"

// HasPassages reports whether the index was made to find passages.
func (ix *Snapshot) HasPassages() bool { return ix.manifest.Passages }

// Quoting returns the documents that share a passage with q, in order, and a few others: their texts tell. The index HasPassages.
func (ix *Snapshot) Quoting(q *passages.Query) (docs []uint32, stats passages.Stats, err error) {
	err = ix.reading(func() error {
		for i, s := range ix.segments {
			from := len(docs)
			var of passages.Stats
			if docs, of, err = s.Quoting(docs, q); err != nil {
				return err
			}
			for j := range docs[from:] {
				docs[from+j] += ix.starts[i]
			}
			stats.Add(of)
		}
		return nil
	})
	return docs, stats, err
}
