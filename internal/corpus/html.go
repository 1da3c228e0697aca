package corpus

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	html "golang.org/x/net/html/charset"

	"simsearch/internal/document"
	"simsearch/internal/inputs"
	"simsearch/internal/syntax"
)

var htmlKind = kind{
	name: "html", extensions: []string{".html", ".htm", ".xhtml"}, charsets: pageCharset, open: openHTML,
}

func openHTML(l lineSource, _ bool) (source, error) {
	return &htmlSource{textSource: textSource{lineSource: l}}, nil
}

// An htmlSource is a file that is one HTML document.
type htmlSource struct {
	textSource
	text []byte
}

func (h *htmlSource) next(doc *document.Document) error {
	if err := h.textSource.next(doc); err != nil {
		return err
	}
	page, err := h.decodedPage(doc.Text)
	if err != nil {
		return h.bad(err)
	}
	if int64(len(page)) > h.r.limits.document {
		return h.bad(h.r.limits.tooLong())
	}
	h.text = h.r.pageText(h.text[:0], page)
	doc.Text = h.text
	return nil
}

// decodedPage returns a page of HTML in UTF-8: what is not in UTF-8 is in the charset that it names, or else in a code
// page. The result is page itself if nothing changes.
func (h *htmlSource) decodedPage(page []byte) ([]byte, error) {
	if utf8.Valid(page) {
		return page, nil
	}
	var from io.Reader
	named, name, _ := html.DetermineEncoding(page, "")
	if name == "utf-8" || name == "windows-1252" || name == "replacement" { // it may name none
		if inputs.Foreign(page) {
			return nil, ErrCharset
		}
		c := inputs.CharsetOf(page)
		if c == inputs.UTF8 {
			return page, nil
		}
		from, name = inputs.NewReader(bytes.NewReader(page), c), c.String()
	} else {
		from = named.NewDecoder().Reader(bytes.NewReader(page))
	}
	decoded, err := io.ReadAll(from)
	if err != nil {
		return page, nil
	}
	if h.r.o.Decided != nil {
		h.r.o.Decided(Decision{Path: h.in.Path, Charset: name})
	}
	return decoded, nil
}

// Values of Options.HTML.
const (
	mainText = "main"
	allText  = "all"
)

// HTMLText returns in one form what Options.HTML names, or an error that lists what it can be. "main" is "".
func HTMLText(name string) (string, error) {
	switch name {
	case "", mainText:
		return "", nil
	case allText:
		return name, nil
	}
	return "", fmt.Errorf("%q: want %s or %s", name, mainText, allText)
}

// pageText appends the text of a page of HTML in UTF-8 to dst.
func (r *Reader) pageText(dst, page []byte) []byte {
	if r.o.HTML == allText {
		return syntax.AppendText(dst, page)
	}
	return syntax.AppendMainText(dst, page)
}
