package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strconv"
)

// mostDigits is the largest number of digits of a number, so that it fits 63 bits.
const mostDigits = 18

// RowRuns are the ids of documents, which are numbered from 0. The zero value has none. Reading is safe for
// concurrent use.
type RowRuns struct {
	n    uint64
	runs []run // in the order of the documents

	sorted []uint32 // the numbers of the runs, by prefix and first row; nil unless Index was called
}

// A run is documents that follow each other, whose ids are one prefix and ascending numbers.
type run struct {
	prefix []byte
	first  uint64 // the number of the first document of the run
	row    uint64 // the number of its id
}

// splitRow returns the prefix of an id and the number behind it, which is the longest that has no zero in front. ok
// is false if the id does not end in a digit.
func splitRow(id []byte) (prefix []byte, row uint64, ok bool) {
	from := len(id)
	for at := len(id) - 1; at >= 0 && len(id)-at <= mostDigits && id[at] >= '0' && id[at] <= '9'; at-- {
		if id[at] != '0' || at == len(id)-1 {
			from = at
		}
	}
	if from == len(id) {
		return id, 0, false
	}
	for _, c := range id[from:] {
		row = 10*row + uint64(c-'0')
	}
	return id[:from], row, true
}

// Add adds the id of the next document. It returns false, and adds nothing, if the id has no number. It may keep a
// copy of the prefix.
func (r *RowRuns) Add(id []byte) bool {
	prefix, row, ok := splitRow(id)
	if !ok {
		return false
	}
	if k := len(r.runs) - 1; k < 0 || row != r.runs[k].row+r.n-r.runs[k].first || !bytes.Equal(prefix, r.runs[k].prefix) {
		if k >= 0 && bytes.Equal(prefix, r.runs[k].prefix) {
			prefix = r.runs[k].prefix
		} else {
			prefix = bytes.Clone(prefix)
		}
		r.runs, r.sorted = append(r.runs, run{prefix, r.n, row}), nil
	}
	r.n++
	return true
}

// Len returns the number of documents.
func (r *RowRuns) Len() uint64 { return r.n }

// end returns the number of the document behind run k.
func (r *RowRuns) end(k int) uint64 {
	if k+1 < len(r.runs) {
		return r.runs[k+1].first
	}
	return r.n
}

// Append appends the id of document doc, below Len, to dst.
func (r *RowRuns) Append(dst []byte, doc uint64) []byte {
	k := sort.Search(len(r.runs), func(k int) bool { return r.runs[k].first > doc }) - 1
	x := &r.runs[k]
	return strconv.AppendUint(append(dst, x.prefix...), x.row+doc-x.first, 10)
}

// Index prepares Find, and reports whether no two documents have the same id. It must be called again after Add.
func (r *RowRuns) Index() (distinct bool) {
	if r.sorted == nil {
		r.sorted = make([]uint32, len(r.runs))
		for k := range r.sorted {
			r.sorted[k] = uint32(k)
		}
		slices.SortFunc(r.sorted, func(a, b uint32) int {
			x, y := &r.runs[a], &r.runs[b]
			return cmp.Or(bytes.Compare(x.prefix, y.prefix), cmp.Compare(x.row, y.row), cmp.Compare(a, b))
		})
	}
	for i := 1; i < len(r.sorted); i++ {
		k := int(r.sorted[i-1])
		x, y := &r.runs[k], &r.runs[r.sorted[i]]
		if bytes.Equal(x.prefix, y.prefix) && y.row-x.row < r.end(k)-x.first {
			return false
		}
	}
	return true
}

// Find returns the document called id. ok is false if there is none. The ids must be distinct.
func (r *RowRuns) Find(id []byte) (doc uint64, ok bool) {
	prefix, row, ok := splitRow(id)
	if !ok {
		return 0, false
	}
	at := sort.Search(len(r.sorted), func(i int) bool { // the first run that begins behind the id
		x := &r.runs[r.sorted[i]]
		return cmp.Or(bytes.Compare(x.prefix, prefix), cmp.Compare(x.row, row)) > 0
	})
	if at == 0 {
		return 0, false
	}
	k := int(r.sorted[at-1])
	x := &r.runs[k]
	if doc = x.first + row - x.row; !bytes.Equal(x.prefix, prefix) || doc >= r.end(k) {
		return 0, false
	}
	return doc, true
}

// Encode appends r to dst, as internal/ground/section/FORMAT.md says: for each run its documents, its first row, and
// how long its prefix is, which follows. A length of 0 stands for the prefix of the run before, and else for one
// less.
func (r *RowRuns) Encode(dst []byte) []byte {
	for k := range r.runs {
		x := &r.runs[k]
		dst = binary.AppendUvarint(dst, r.end(k)-x.first)
		dst = binary.AppendUvarint(dst, x.row)
		if k > 0 && bytes.Equal(x.prefix, r.runs[k-1].prefix) {
			dst = append(dst, 0)
			continue
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(x.prefix))+1), x.prefix...)
	}
	return dst
}

// mostRow is the largest number of a row: one of mostDigits digits.
const mostRow = 1e18 - 1

// DecodeRows returns what Encode has written, indexed. Prefixes are parts of b, and of at most most bytes. The error
// says what is wrong with the bytes, and where.
func DecodeRows(b []byte, most int) (r *RowRuns, at int, err error) {
	r = &RowRuns{}
	for at < len(b) {
		x := run{first: r.n}
		var numbers [3]uint64
		next := at
		for i := range numbers {
			n := 0
			if numbers[i], n = binary.Uvarint(b[next:]); n <= 0 {
				return nil, at, fmt.Errorf("run %d is cut", len(r.runs))
			}
			next += n
		}
		n, length := numbers[0], numbers[2]
		switch x.row = numbers[1]; {
		case n == 0 || n > 1<<32 || x.row > mostRow || x.row+n-1 > mostRow:
			return nil, at, fmt.Errorf("run %d has %d rows from row %d on", len(r.runs), n, x.row)
		case length == 0 && len(r.runs) == 0:
			return nil, at, fmt.Errorf("the first run has no prefix")
		case length == 0:
			x.prefix = r.runs[len(r.runs)-1].prefix
		case length-1 > uint64(min(most, len(b)-next)):
			return nil, at, fmt.Errorf("run %d has a prefix of %d bytes", len(r.runs), length-1)
		default:
			x.prefix = b[next : next+int(length-1)]
			next += int(length - 1)
		}
		if bytes.IndexByte(x.prefix, 0) >= 0 {
			return nil, at, fmt.Errorf("run %d has a prefix with a zero byte", len(r.runs))
		}
		// A number that is longer in the id than in the run would be another id.
		if _, row, _ := splitRow(strconv.AppendUint(bytes.Clone(x.prefix), x.row, 10)); row != x.row {
			return nil, at, fmt.Errorf("run %d has a prefix that ends in a number", len(r.runs))
		}
		r.runs, r.n, at = append(r.runs, x), r.n+n, next
	}
	r.Index()
	return r, at, nil
}
