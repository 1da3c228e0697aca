package corpus

import (
	"cmp"

	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
)

var htmlKind = kind{
	name: "html", extensions: []string{".html", ".htm", ".xhtml"}, charsets: pageCharset,
	open: openWhole((*textSource).htmlText),
}

// htmlText returns the text of a page.
func (t *textSource) htmlText(content []byte) ([]byte, error) {
	page, err := t.decoded(content, "", true)
	if err != nil {
		return nil, err
	}
	return t.r.pageText(nil, page), nil
}

// decoded returns a content in UTF-8, and tells how it is read. named is the charset that what it lies in names, or "".
func (l *lineSource) decoded(content []byte, named string, markup bool) ([]byte, error) {
	text, how, err := inputs.Decode(content, named, markup)
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > l.r.limits.document:
		return nil, l.r.limits.tooLong()
	}
	l.tell(how)
	return text, nil
}

// tell tells how a content is read.
func (l *lineSource) tell(how inputs.Decoded) {
	d := Decision{Path: place(l.in.Path, l.line), Charset: cmp.Or(how.Charset, "UTF-8")}
	d.Named = cmp.Or(how.Wrong, how.Other, how.Unknown)
	switch {
	case how.Wrong != "":
		d.Oddity = WrongCharset
	case how.Other != "":
		d.Oddity = OtherCharset
	case how.Unknown != "":
		d.Oddity = UnknownCharset
	case how.Charset != "" && kinds[l.r.format].charsets == pageCharset:
	case how.Guessed:
		d.Oddity = NoCharset
	default:
		return
	}
	l.r.o.Decided(d)
}

// Values of Options.HTML.
const (
	mainText = "main"
	allText  = "all"
)

// pageText appends the text of a page of HTML in UTF-8 to dst.
func (r *Reader) pageText(dst, page []byte) []byte {
	if r.o.HTML == allText {
		return syntax.AppendText(dst, page)
	}
	return syntax.AppendMainText(dst, page)
}
