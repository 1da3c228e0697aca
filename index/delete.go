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

// delete adds to gone the documents that Delete has named. It returns how many there are.
func (w *Writer) delete(gone *deletions) (n int, err error) {
	for _, id := range w.deletes {
		i, doc, ok, err := find(gone.parts, id)
		if err == nil && ok {
			ok, err = gone.add(i, doc)
		}
		if err != nil {
			return n, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

// own takes note of a segment with documents that this writer has added.
func (w *Writer) own(segment string) { w.owns = append(w.owns, segment) }

// owned reports whether all documents of a segment were added by this writer.
func (w *Writer) owned(segment string) bool { return slices.Contains(w.owns, segment) }
