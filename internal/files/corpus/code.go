package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"simsearch/internal/files/document"
	"simsearch/preprocess"
)

var codeKind = kind{
	name: "code", note: "functions of sources", layout: inParts, charsets: oneCharset, open: openCode,
}

// defaultTokens is how many tokens a function has that is a document, at least.
const defaultTokens = 60

// codeOf returns the language of a file, or nil if it is not known.
func codeOf(file string) *preprocess.Code { return preprocess.CodeOf(plainName(file)) }

func openCode(l lineSource) (source, error) {
	l.start = l.s.Offset() // behind the byte order mark
	return &codeSource{textSource: textSource{lineSource: l}, from: l.start}, nil
}

// A codeSource is a source, of which each function is a document. The id has the lines of the function, and where two
// functions begin in one line, the column, too.
type codeSource struct {
	textSource
	text  []byte
	from  int64 // where the text lies in the file
	units [][2]int
	at    int // where the last function begins, in the line of that number
}

func (c *codeSource) next(doc *document.Document) error {
	if !c.done {
		if err := c.textSource.next(doc); err != nil {
			return err
		}
		if c.text, c.line = doc.Text, 1; c.r.again {
			doc.Origin.Length = int64(len(doc.Text))
			return nil
		}
		c.units = codeOf(c.in.Path).Units(c.text, cmp.Or(c.r.o.Tokens, defaultTokens))
	}
	if len(c.units) == 0 {
		return io.EOF
	}
	from, to := c.units[0][0], c.units[0][1]
	lines := bytes.Count(c.text[c.at:from], []byte{'\n'})
	line := fmt.Sprint(c.line + lines)
	if lines == 0 && c.length > 0 {
		line = fmt.Sprintf("%s:%d", line, from-bytes.LastIndexByte(c.text[:from], '\n'))
	}
	c.line += lines
	id := fmt.Appendf(append(doc.ID[:0], c.name...), ":%s-%d", line, c.line+bytes.Count(c.text[from:to], []byte{'\n'}))
	c.units, c.at = c.units[1:], from
	c.start, c.length, c.end = c.from+int64(from), int64(to-from), c.from+int64(to)
	*doc = document.Document{ID: id, Text: c.text[from:to], Line: c.line, Origin: c.origin()}
	return nil
}
