package segment

import (
	"bytes"
	"iter"
	"strconv"

	"simsearch/internal/files/document"
)

const (
	// leastRows is the least number of ids that are written as rows. Shorter lists can be read by older programs.
	leastRows = 1 << 14
	// rowsPerRun is the least number of rows of a run, on average, and fewRuns a number of runs that is always few.
	rowsPerRun, fewRuns = 64, 64
)

// A IDList is ids in their order: rows, as long as they are such, and else bytes. The zero value has none. A copy
// must not be added to.
type IDList struct {
	rows  RowRuns
	bytes []byte
	ends  []uint64 // nil if the ids are rows
}

// IDListOf returns the IDList of some ids.
func IDListOf(ids ...string) (l IDList) {
	for _, id := range ids {
		l.Add([]byte(id))
	}
	return l
}

// IDListOfRows returns the IDList of the ids of r.
func IDListOfRows(r *RowRuns) IDList { return IDList{rows: *r} }

// Len returns the number of ids.
func (l *IDList) Len() int {
	if l.ends != nil {
		return len(l.ends)
	}
	return int(l.rows.Len())
}

// Add adds a copy of an id.
func (l *IDList) Add(id []byte) {
	if l.ends == nil && l.rows.Add(id) {
		if len(l.rows.runs) > fewRuns+int(l.rows.Len())/rowsPerRun {
			l.spell()
		}
		return
	}
	l.spell()
	l.bytes = append(l.bytes, id...)
	l.ends = append(l.ends, uint64(len(l.bytes)))
}

// AddRows adds copies of the ids of n documents, n > 0: id, and those that have the numbers that follow.
func (l *IDList) AddRows(id []byte, n int) {
	if l.ends == nil && n > rowsPerRun && l.rows.Add(id) { // so that there are never too many runs
		l.rows.n += uint64(n - 1)
		return
	}
	l.Add(id)
	for i := 1; i < n; i++ {
		l.Add(RowID(id, i))
	}
}

// RowID returns the id whose number is i more than that of id, which must have a number unless i is 0. It is a new one.
func RowID(id []byte, i int) []byte {
	if i == 0 {
		return bytes.Clone(id)
	}
	prefix, row, _ := splitRow(id)
	return strconv.AppendUint(bytes.Clone(prefix), row+uint64(i), 10)
}

// Singly yields documents one by one, those of Document.Rows with a copy of it and their own ids.
func Singly(documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err != nil || len(doc.Rows) == 0 {
				if !yield(doc, err) {
					return
				}
				continue
			}
			one := *doc
			one.Rows = nil
			for i, fp := range doc.Rows {
				one.ID, one.Fingerprint, one.Line = RowID(doc.ID, i), fp, doc.Line+i
				if !yield(&one, nil) {
					return
				}
			}
		}
	}
}

// spell makes bytes of all rows.
func (l *IDList) spell() {
	if l.ends != nil {
		return
	}
	l.ends = make([]uint64, 0, l.rows.Len()+1)
	for i := range l.rows.Len() {
		l.bytes = l.rows.Append(l.bytes, i)
		l.ends = append(l.ends, uint64(len(l.bytes)))
	}
	l.rows = RowRuns{}
}

// At returns id i, below Len. The caller must not change it.
func (l *IDList) At(i int) []byte {
	if l.ends == nil {
		return l.rows.Append(nil, uint64(i))
	}
	lo := uint64(0)
	if i > 0 {
		lo = l.ends[i-1]
	}
	return l.bytes[lo:l.ends[i]]
}

// All yields the ids.
func (l *IDList) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range l.Len() {
			if !yield(string(l.At(i))) {
				return
			}
		}
	}
}

// Is reports whether id is the only one.
func (l *IDList) Is(id string) bool { return l.Len() == 1 && string(l.At(0)) == id }

// Bytes returns about how much memory the ids take, without their ends.
func (l *IDList) Bytes() uint64 {
	if l.ends == nil {
		return 64 * uint64(len(l.rows.runs))
	}
	return uint64(len(l.bytes))
}

// Runs returns the ids as rows, or nil if they are none. The caller must not add to them.
func (l *IDList) Runs() *RowRuns {
	if l.ends != nil {
		return nil
	}
	return &l.rows
}

// Written returns the ids if they are to be written as rows, and else nil.
func (l *IDList) Written() *RowRuns {
	if l.Len() < leastRows {
		return nil
	}
	return l.Runs()
}
