package index

import "slices"

// Delete makes the next Commit take the document called id out of the index, before it adds others. An id that the
// index does not have is passed over, and so are documents that have been added since the last Commit.
func (w *Writer) Delete(id []byte) error {
	if w.failed == nil {
		w.deletes = append(w.deletes, slices.Clone(id))
	}
	return w.failed
}

// Renew makes the next Commit put the added document called id in the place of the one in the index even if they have the
// same features, so that what is kept of the text is what it is now. It counts as Replaced, and is treated as
// WriterOptions.OnConflict says.
func (w *Writer) Renew(id []byte) error {
	if w.failed == nil {
		if w.renews == nil {
			w.renews = map[string]bool{}
		}
		w.renews[string(id)] = true
	}
	return w.failed
}
