package corpus

import (
	"bytes"
	"errors"
	"fmt"

	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/terminal"
)

var fingerprintsKind = kind{
	name: "fingerprints", extensions: prints.Extensions, layout: inParts, charsets: noCharset, prepared: true,
	openFile: openRaw, open: func(l lineSource) (source, error) { return &fingerprintSource{lineSource: l}, nil },
}

// A fingerprintSource is a file with one fingerprint a line. An id may come before the fingerprint,
// with a tab, a comma or a space between. The id is in its form for lists (package idtext).
type fingerprintSource struct {
	lineSource
	sure     bool // some number of the file is hexadecimal for sure
	doubtful int  // the first line that may be decimal, and was taken for hexadecimal; or 0
	decimal  int  // the first line with a decimal; or 0
}

func (f *fingerprintSource) next(doc *document.Document) error {
	line, err := f.readRecord()
	if err != nil {
		return err
	}
	idText, number, separator := prints.Cut(line)
	id := doc.ID
	switch {
	case separator == 0:
		id = f.place(id)
	case len(idText) == 0:
		return f.bad(fmt.Errorf("no id before the %s", separatorNames[separator]))
	default:
		id = terminal.List.AppendID(id[:0], idText)
	}
	fp, as, err := prints.Parse(number, f.r.bits)
	if err != nil {
		return f.bad(err)
	}
	if err := f.check(as, number); err != nil {
		return err
	}
	f.given(doc, id, fp)
	return nil
}

// check returns an error if a number may be decimal and was taken for hexadecimal: this one, or one
// before.
func (f *fingerprintSource) check(as prints.Notation, number []byte) error {
	switch {
	case as == prints.Hexadecimal:
		f.sure = true
	case f.sure:
	case as == prints.HexOrDecimal && f.decimal > 0:
		return f.bad(fmt.Errorf("%q may be decimal, as line %d is, or hexadecimal: want 0x or a sign before it", number, f.decimal))
	case as == prints.HexOrDecimal && f.doubtful == 0:
		f.doubtful = f.line
	case as == prints.Decimal && f.doubtful > 0:
		return wrongInput(f.in.Path, fmt.Errorf("line %d is decimal, and line %d was taken for hexadecimal: want a sign before decimal "+
			"numbers, or 0x before others", f.line, f.doubtful))
	case as == prints.Decimal && f.decimal == 0:
		f.decimal = f.line
	}
	return nil
}

var separatorNames = map[byte]string{'\t': "tab", ',': "comma", ' ': "space"}

// ErrFingerprints marks a table without texts whose lines are fingerprints.
var ErrFingerprints = errors.New("its lines are fingerprints")

// maxLooked is the number of lines that looksLikeFingerprints looks at.
const maxLooked = 20

// looksLikeFingerprints reports whether the lines of head are fingerprints. The first line may be a
// heading, and the last one be cut.
func looksLikeFingerprints(r *Reader, head []byte, whole bool) bool {
	n, found := 0, 0
	for line := range bytes.Lines(head) {
		n++
		if !whole && line[len(line)-1] != '\n' || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		_, number, _ := prints.Cut(bytes.TrimRight(line, "\r\n"))
		_, _, err := prints.Parse(number, r.bits)
		switch {
		case err == nil:
			found++
		case n > 1:
			return false
		}
		if n == maxLooked {
			break
		}
	}
	return found > 0
}
