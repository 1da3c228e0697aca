package bulk

import (
	"errors"
	"slices"

	"simsearch/internal/ground/disk"
)

// A Part is fingerprints, ascending, each once, with their documents.
type Part struct {
	Values []uint64
	// Walk returns a function for the documents of each fingerprint, one after the other. A slice is valid until the
	// next one.
	Walk  func() (next func() []uint32)
	Start uint32 // what is added to the number of each document
}

// Merged are the fingerprints of several parts, each once, with their documents. The fingerprints are listed, in a
// temporary file if they are many, and the documents are merged as they are asked for. So it takes little memory
// however many there are.
type Merged struct {
	words int // of a fingerprint
	parts []Part
	all   List
}

// Merge merges parts, of fingerprints of so many words. About hold words are in memory, and the file is in the
// directory for temporary files. The caller closes the result. Reading maps, Merge and what uses its result run
// inside disk.Guarded. The error is that of the file system.
func Merge(fsys disk.FS, parts []Part, words, hold int) (_ *Merged, err error) {
	m := &Merged{words: words, parts: parts, all: NewList(fsys, "", hold)}
	m.each(func(value []uint64, _ []int) bool {
		m.all.Append(value...)
		err = m.all.Flush()
		return err == nil
	})
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Values returns all fingerprints, ascending, as List.All does.
func (m *Merged) Values() ([]uint64, error) { return m.all.All() }

// Close removes the temporary file.
func (m *Merged) Close() error { return m.all.Close() }

// each yields all fingerprints in order, and which parts have each.
func (m *Merged) each(yield func(value []uint64, of []int) bool) {
	var of []int // parts
	at := make([]int, len(m.parts))
	for {
		of = of[:0]
		var least []uint64
		for i, p := range m.parts {
			if at[i] == len(p.Values) {
				continue
			}
			value := p.Values[at[i] : at[i]+m.words]
			order := -1
			if len(of) > 0 {
				order = slices.Compare(value, least)
			}
			switch {
			case order < 0:
				least, of = value, append(of[:0], i)
			case order == 0:
				of = append(of, i)
			}
		}
		if len(of) == 0 || !yield(least, of) {
			return
		}
		for _, i := range of {
			at[i] += m.words
		}
	}
}

// Groups yields the number of each fingerprint, in order, and its documents, which may be none. A slice is valid
// until the next one is yielded.
func (m *Merged) Groups(yield func(number uint32, documents []uint32) bool) {
	var next []func() []uint32
	for i := range m.parts {
		next = append(next, m.parts[i].Walk())
	}
	number := uint32(0)
	var documents []uint32
	m.each(func(_ []uint64, of []int) bool {
		documents = documents[:0]
		for _, i := range of {
			for _, doc := range next[i]() {
				documents = append(documents, m.parts[i].Start+doc)
			}
		}
		number++
		return yield(number-1, documents)
	})
}
