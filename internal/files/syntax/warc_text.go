package syntax

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"simsearch/internal/files/inputs"
)

// A CrawlKind is what the block of a record holds.
type CrawlKind uint8

// The kinds.
const (
	NoText  CrawlKind = iota // no text: an image, a request, or what a server says instead of a page
	Plain                    // a text
	HTML                     // a page
	Untyped                  // its header does not say what it is: see KindByContent
	XML                      // a page if it is one of XHTML: see KindByContent
)

// HasText reports whether a record may hold a text, by its header alone: the answer of a server, a resource,
// or a text that was made of one.
func (rec *CrawlRecord) HasText() bool {
	switch rec.Type {
	case "conversion", "resource":
		return kindOf(mediaType(rec.Field("Content-Type"))) != NoText
	case "response":
		media := mediaType(rec.Field("Content-Type"))
		return media == "" || strings.HasPrefix(media, "application/http")
	}
	return false
}

// mediaType returns the first media type of a field Content-Type, in lower case. Servers write two, quotes around
// them, or no semicolon before what follows.
func mediaType(contentType []byte) string {
	types := strings.FieldsFunc(strings.ToLower(string(contentType)), func(r rune) bool { return strings.ContainsRune(" \t;,\"'", r) })
	if len(types) == 0 {
		return ""
	}
	return types[0]
}

// kindOf returns the kind of a media type, as mediaType returns it.
func kindOf(media string) CrawlKind {
	kind, sub, ok := strings.Cut(media, "/")
	switch {
	case !ok, media == "unknown/unknown", media == "application/unknown", media == "*/*":
		return Untyped
	case media == "text/html", media == "application/xhtml+xml":
		return HTML
	case media == "text/plain":
		return Plain
	case media == "text/xml", media == "application/xml", strings.HasSuffix(sub, "+xml") && kind != "image":
		return XML
	case kind == "text" && !isNoText[sub]: // such as Markdown
		return Untyped
	}
	return NoText
}

// KindByContent returns the kind of a content in UTF-8 whose header says that it is Untyped or XML.
func KindByContent(content []byte, said CrawlKind) CrawlKind {
	media, _, _ := strings.Cut(http.DetectContentType(content), ";")
	head := bytes.ToLower(bytes.TrimSpace(content[:min(len(content), 1<<10)]))
	switch {
	case said == XML && !bytes.Contains(head, []byte("<html")) && !bytes.Contains(head, []byte("<!doctype html")):
		return NoText
	case said == XML, media == "text/html", media == "text/xml" && bytes.Contains(head, []byte("<html")):
		return HTML
	case media == "text/plain" && len(head) > 1 && head[0] == '<' && (head[1] == '!' || 'a' <= head[1] && head[1] <= 'z'):
		return HTML
	case media == "text/plain":
		return Plain
	}
	return NoText
}

// A CrawlContent is what the block of a record holds: a text, or a page in HTML, as bytes in the charset that the
// record names, if it does. The bytes are valid as long as the block, or are new.
type CrawlContent struct {
	Bytes   []byte
	Kind    CrawlKind
	Charset string
}

// Content returns what the block of the record holds. Of the answer of a server it is the body, with chunks joined and
// decompressed; an answer with a status other than 200 to 299 is of the kind NoText. The content has at most so many
// bytes; the error wraps ErrTooLong if it would have more. Another error says why the body cannot be read.
func (rec *CrawlRecord) Content(most int64) (CrawlContent, error) {
	if rec.Type != "response" {
		return contentOf(rec.Header, rec.Block), nil
	}
	header, body, ok := cutHTTP(rec.Block)
	if !ok {
		return CrawlContent{}, errors.New("no HTTP header before the body")
	}
	content := contentOf(header, body)
	if content.Kind == NoText || !isSuccess(header) {
		return CrawlContent{}, nil
	}
	var err error
	content.Bytes, err = decode(header, body, most)
	return content, err
}

// contentOf returns what lies behind a header.
func contentOf(header, body []byte) CrawlContent {
	contentType := field(header, "Content-Type")
	c := CrawlContent{Bytes: body, Kind: kindOf(mediaType(contentType))}
	if _, rest, ok := strings.Cut(strings.ToLower(string(contentType)), "charset"); c.Kind != NoText && ok {
		_, params := mediaOf(";charset" + strings.ReplaceAll(rest, ",", ";"))
		c.Charset = params["charset"]
	}
	return c
}

// cutHTTP parts an HTTP message into its header and its body.
func cutHTTP(block []byte) (header, body []byte, ok bool) {
	if !bytes.HasPrefix(block, []byte("HTTP/")) {
		return nil, nil, false
	}
	end := 0
	for line := range bytes.Lines(block) {
		if end += len(line); end > maxHeader {
			return nil, nil, false
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return block[:end], block[end:], true
		}
	}
	return block, nil, true // a header alone
}

// isSuccess reports whether the status line says that the body is what was asked for.
func isSuccess(header []byte) bool {
	_, rest, _ := bytes.Cut(header, []byte(" "))
	rest = bytes.TrimLeft(rest, " ")
	return len(rest) >= 3 && rest[0] == '2'
}

// decode joins the chunks of a body, and decompresses it, as its header says. Crawlers often store bodies
// decoded, and leave the header as it was. So a body that is clearly not as the header says is taken as
// it is.
func decode(header, body []byte, most int64) ([]byte, error) {
	if strings.Contains(strings.ToLower(string(field(header, "Transfer-Encoding"))), "chunked") {
		// A body that is cut has the chunks that are there.
		joined, err := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(body)))
		if len(joined) > 0 || err == nil {
			body = joined
		}
	}
	codings := strings.Split(strings.ToLower(string(field(header, "Content-Encoding"))), ",")
	codings = append([]string{""}, codings...) // what the first bytes tell
	for i := len(codings) - 1; i >= 0; i-- {
		var err error
		if body, err = decompress(body, strings.TrimSpace(codings[i]), most); err != nil {
			return nil, err
		}
	}
	if int64(len(body)) > most {
		return nil, ErrTooLong
	}
	return body, nil
}

// What begins a body in gzip or zstd, which no text does.
const (
	gzipMagic = "\x1f\x8b\x08"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// decompress decompresses a body that is compressed by coding, or, if this is "", in the way that its first bytes tell.
func decompress(body []byte, coding string, most int64) ([]byte, error) {
	var from io.Reader
	var err error
	sure := true // that it is compressed
	switch {
	case bytes.HasPrefix(body, []byte(gzipMagic)) && (coding == "" || strings.HasSuffix(coding, "gzip")):
		coding = "gzip"
		raw := bufio.NewReader(bytes.NewReader(body))
		from = inputs.Members(raw, func() error {
			if next, _ := raw.Peek(len(gzipMagic)); string(next) != gzipMagic {
				return io.EOF // what comes behind a member and is none, such as a line end, is left out
			}
			return nil
		})
	case bytes.HasPrefix(body, []byte(zstdMagic)) && (coding == "" || coding == "zstd"):
		coding = "zstd"
		var z *zstd.Decoder
		if z, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20)); err == nil {
			defer z.Close()
			from = z
		}
	case coding == "deflate":
		if from, err = zlib.NewReader(bytes.NewReader(body)); err != nil { // as browsers do
			from, err, sure = flate.NewReader(bytes.NewReader(body)), nil, false
		}
	case coding == "br":
		from, sure = brotli.NewReader(bytes.NewReader(body)), false
	default: // identity, none, what nobody knows, and what is stored decompressed
		return body, nil
	}
	if err != nil {
		return nil, fmt.Errorf("a body in %s: %w", coding, err)
	}
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case int64(len(text)) > most:
		return nil, ErrTooLong
	case err != nil && !sure && strings.HasPrefix(http.DetectContentType(body), "text/"):
		return body, nil // it is stored decompressed
	case err != nil:
		return nil, fmt.Errorf("a body in %s: %w", coding, err)
	}
	return text, nil
}
