package syntax

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// commas are the delimiters that tables have, the likeliest first.
var commas = []byte{',', ';', '\t', '|'}

// maxHeaderRow is the size in bytes of the longest header whose delimiter is found.
const maxHeaderRow = 64 << 10

// Comma returns the delimiter of a table that begins with head: the one that makes one of the columns in
// wanted, or else the one that the header has most of. It is a comma if there is none.
func Comma(head []byte, wanted []string) byte {
	most, best := 0, commas[0]
	for _, comma := range commas {
		header, _ := firstRow(head, comma)
		if header == nil {
			continue
		}
		cells := header.Cells()
		if len(cells) > 1 && slices.ContainsFunc(cells, func(name string) bool { return slices.Contains(wanted, name) }) {
			return comma
		}
		if len(cells) > max(most, 1) {
			most, best = len(cells), comma
		}
	}
	return best
}

// firstRow returns the first row of head, and a reader of what follows.
func firstRow(head []byte, comma byte) (*Row, *RowReader) {
	r := NewRowReader(bufio.NewReaderSize(bytes.NewReader(head), 4096), comma, maxHeaderRow)
	row, err := r.Next()
	if err != nil {
		return nil, nil
	}
	return row, r
}

// maxLooked is the number of rows that LooksLikeTable looks at.
const maxLooked = 20

// LooksLikeTable reports whether a text that begins with head is a table with one of the columns in wanted:
// its first line is a header of two names or more, all different, with that column, and the rows behind
// it have as many cells. whole says that the text ends with head. The delimiter is returned, too.
func LooksLikeTable(head []byte, whole bool, wanted []string) (comma byte, ok bool) {
	if !mayName(head, wanted) {
		return 0, false
	}
	return looksLike(head, whole, wanted)
}

// looksLike is LooksLikeTable by reading rows.
func looksLike(head []byte, whole bool, wanted []string) (comma byte, ok bool) {
	comma = Comma(head, wanted)
	header, rows := firstRow(head, comma)
	if header == nil {
		return 0, false
	}
	names := header.Cells()
	if len(names) < 2 || !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(wanted, name) }) {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(names))
	if sorted[0] == "" || len(slices.Compact(sorted)) < len(names) || header.Line != 1 || !bytes.HasSuffix(header.Raw, []byte("\n")) {
		return 0, false
	}
	for n := 0; ; n++ {
		row, err := rows.Next()
		cut := !whole && (err != nil || !bytes.HasSuffix(row.Raw, []byte("\n"))) // head may end inside of it
		switch {
		case errors.Is(err, io.EOF) || cut || n == maxLooked:
			return comma, n > 0
		case err != nil || row.Len() != len(names):
			return 0, false
		}
	}
}

// mayName reports whether the first row of head may have one of the names in wanted. It is soon told of most texts
// that they have none.
func mayName(head []byte, wanted []string) bool {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.IndexByte(first, '"') >= 0 {
		return true // a cell may go on in the next line, and need not be written as it is read
	}
	return slices.ContainsFunc(wanted, func(name string) bool { return bytes.Contains(first, []byte(name)) })
}
