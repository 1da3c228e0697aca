package corpus

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	html "golang.org/x/net/html/charset"

	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/inputs"
	"simsearch/internal/stream"
)

// Charset returns the name of the charset in which the file is read that Documents has come to, such as "UTF-16LE" or
// "windows-1252". It is "UTF-8" as long as nothing but ASCII has been read. Places (Extent, document.Origin) in a file that is
// not in UTF-8 are those in the text that it has in UTF-8.
func (r *Reader) Charset() string { return r.charset.String() }

// hasCharset reports whether a file in the format may be in another charset than UTF-8. Crawls and mail say in each record
// how it is written, and ids in lists may have any bytes.
func (f Format) hasCharset() bool {
	switch f {
	case WARC, Mail, Parquet, Image, Fingerprints, Sets:
		return false
	}
	return true
}

// decodeWide decodes a stream in UTF-16, which begins with head, or in the charset of the options. It reports whether it is one.
func (r *Reader) decodeWide(in inputs.Input, s *stream.Stream, format Format, head []byte) bool {
	c := charset.Wide(head)
	if r.o.Charset != "" {
		c, _ = charset.Parse(r.o.Charset) // newReader has checked it
	}
	if c == charset.UTF8 || !format.hasCharset() {
		return false
	}
	s.Decode(c)
	r.tellCharset(in, c)
	return true
}

// decodePage makes a stream one in UTF-8 if it is in a code page, which its first character beyond ASCII may tell later. A
// byte order mark of UTF-8 must have been consumed. A page in HTML is decoded as a whole.
func (r *Reader) decodePage(in inputs.Input, s *stream.Stream, format Format) {
	if !format.hasCharset() || format == HTML || r.charset != charset.UTF8 || r.o.Charset != "" || s.Offset() > 0 {
		return
	}
	s.DetectCharset(in.Once(), func(c charset.Charset) {
		if c != charset.UTF8 {
			r.tellCharset(in, c)
			r.setOrigin(in)
		}
	})
}

// tellCharset notes the charset of a file, and tells of it.
func (r *Reader) tellCharset(in inputs.Input, c charset.Charset) {
	r.charset = c
	if r.o.Decided != nil {
		r.o.Decided(Decision{Path: in.Path, Charset: c.String()})
	}
}

// setOrigin sets the origin of the documents of a file.
func (r *Reader) setOrigin(in inputs.Input) {
	if in.Once() {
		return
	}
	r.origin = document.Origin{Path: r.names.Absolute(in.Path), Format: r.format.String()}
	if r.charset != charset.UTF8 {
		r.origin.Format += ";" + r.charset.String()
	}
}

// parseOrigin returns the format and the charset of an origin.
func parseOrigin(from document.Origin) (f Format, c charset.Charset, err error) {
	name, of, ok := strings.Cut(from.Format, ";")
	if ok {
		if c, err = charset.Parse(of); err != nil {
			return f, c, err
		}
	}
	f, err = ParseFormat(name)
	return f, c, err
}

// decoded makes a stream one in UTF-8, behind its byte order mark, as a Reader reads it.
func decoded(s *stream.Stream, c charset.Charset) *stream.Stream {
	if c != charset.UTF8 {
		s.Decode(c)
	}
	skipByteOrderMark(s, s.Beginning(sniffSize, false))
	return s
}

// isBinary reports whether a file that begins with head is no text. One zero byte says so, as for git and grep, unless the
// name of the file or the options say that it is a text. Then the file is one with damage: lines and records with zero bytes
// are bad, and a file that is one document is a text if it has few characters of control.
func (r *Reader) isBinary(in inputs.Input, format Format, head []byte) bool {
	if format == WARC || format == Mail || bytes.IndexByte(head, 0) < 0 {
		return false
	}
	named := isTextName(in.Path)
	switch {
	case !named && (r.o.Format == Auto || !in.Named):
		return true
	case named && format != Text && format != HTML:
		return false
	}
	controls := 0
	for _, b := range head {
		if b < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1b", rune(b)) {
			controls++
		}
	}
	return 20*controls > len(head) // bytes by chance have twice as many
}

// decodedPage returns a page of HTML in UTF-8: what is not in UTF-8 is in the charset that it names, or else in a code
// page. The result is page itself if nothing changes.
func (h *htmlSource) decodedPage(page []byte) []byte {
	if utf8.Valid(page) {
		return page
	}
	var from io.Reader
	named, name, _ := html.DetermineEncoding(page, "")
	if name == "utf-8" || name == "windows-1252" || name == "replacement" { // it may name none
		c := charset.Of(page)
		if c == charset.UTF8 {
			return page
		}
		from, name = charset.NewReader(bytes.NewReader(page), c), c.String()
	} else {
		from = named.NewDecoder().Reader(bytes.NewReader(page))
	}
	decoded, err := io.ReadAll(from)
	if err != nil {
		return page
	}
	if h.r.o.Decided != nil {
		h.r.o.Decided(Decision{Path: h.path, Charset: name})
	}
	return decoded
}
