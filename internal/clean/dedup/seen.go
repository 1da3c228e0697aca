package dedup

import (
	"encoding/json"
	"errors"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/quality/explain"
)

// A Run is what a run has seen. Documents are numbered from 0 in the order of its reading.
type seenRun struct {
	Removed []byte      // 1 for each document that is not in the output of its file, and 0 for others
	Facts   []seenFacts // of some documents
	Texts   []seenText  // of some documents

	now []uint32 // of each document, 1 more than the number that it has now, or 0; nil if none has one
}

// Move says that the n documents with numbers from one on have those from another one on now. It reports whether there were such documents.
func (r *seenRun) Move(from, to, n uint32) bool {
	if uint64(from)+uint64(n) > uint64(len(r.Removed)) {
		return false
	}
	if r.now == nil {
		r.now = make([]uint32, len(r.Removed))
	}
	for i := range n {
		r.now[from+i] = to + i + 1
	}
	return true
}

// Now returns the number that a document has now. ok is false if it has none.
func (r *seenRun) Now(doc uint32) (is uint32, ok bool) {
	if int64(doc) >= int64(len(r.now)) || r.now[doc] == 0 {
		return 0, false
	}
	return r.now[doc] - 1, true
}

// Facts are those of a document.
type seenFacts struct {
	Document uint32
	explain.Facts
}

// A Text is the beginning of the text of a document.
type seenText struct {
	Document uint32
	Text     []byte
	More     bool // the text goes on
	Most     int  // how many bytes were wanted
}

// Names of the sections of a file.
const (
	secTexts     = "texts"
	secRemoved   = "documents.removed"
	secDocuments = "facts.documents"
	secFacts     = "facts"
)

// Write writes what a run has seen to a file, which appears complete or not at all.
func writeSeen(fsys disk.FS, path string, r *seenRun) error {
	file, err := disk.CreateAtomic(fsys, path)
	if err != nil {
		return err
	}
	w := section.NewWriter(file)
	w.Begin(secTexts)
	err = json.NewEncoder(w).Encode(r.Texts)
	w.Begin(secRemoved)
	_, _ = w.Write(r.Removed) // Close returns the error
	documents, facts := make([]uint32, len(r.Facts)), []uint32(nil)
	for i, f := range r.Facts {
		documents[i] = f.Document
		facts = append(facts, f.Facts[:]...)
	}
	w.Begin(secDocuments)
	w.Uint32s(documents)
	w.Begin(secFacts)
	w.Uint32s(facts)
	if _, _, failed := w.Close(); err != nil || failed != nil {
		file.Abort()
		return errors.Join(err, failed)
	}
	return file.Commit()
}

// Read reads what Write has written. The error is section.ErrCorrupt, or that of the file system.
func readSeen(fsys disk.FS, path string) (r *seenRun, err error) {
	m, err := fsys.Map(path)
	if err != nil {
		return nil, err
	}
	err = disk.Guarded(func() (err error) {
		r, err = parseSeen(path, m.Data())
		return err
	})
	return r, errors.Join(err, m.Close())
}

func parseSeen(path string, data []byte) (*seenRun, error) {
	f, err := section.Parse(path, data)
	if err != nil {
		return nil, err
	}
	r := &seenRun{}
	removed, documents := f.Bytes(secRemoved), f.Uint32s(secDocuments, section.Any)
	facts := f.Uint32s(secFacts, uint64(len(documents))*explain.FactWords)
	if err := json.Unmarshal(f.Bytes(secTexts), &r.Texts); err != nil {
		return nil, f.Corruptf(secTexts, 0, "%v", err)
	}
	r.Removed, r.Facts = slices.Clone(removed), make([]seenFacts, len(documents))
	for i := range r.Facts {
		is := explain.Facts(facts[i*explain.FactWords:])
		if !is.Valid() {
			return nil, f.Corruptf(secFacts, 0, "the facts of document %d are none", documents[i])
		}
		r.Facts[i] = seenFacts{documents[i], is}
	}
	return r, nil
}
