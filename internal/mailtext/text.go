package mailtext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"simsearch/internal/htmltext"
)

// A Message is one message.
type Message struct {
	Header Header
	body   []byte
}

// Parse parts a message into its header and its body, which are parts of raw. A line "From " before the header is
// passed over.
func Parse(raw []byte) (Message, error) {
	for bytes.HasPrefix(raw, []byte(envelope)) || bytes.HasPrefix(raw, []byte(">"+envelope)) {
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	header, body, err := cutHeader(raw)
	if err == nil && len(header) == 0 {
		err = errHeader
	}
	return Message{header, body}, err
}

// A Parser makes texts of messages, one after the other.
type Parser struct {
	Without Without
	Most    int64 // bytes of a text

	parts int    // of the current message
	text  []byte // of it so far
	owned bool   // text is no part of the message
}

// Text returns what the text parts of a message say, in UTF-8, with a line end between two. Of parts that say the same
// in several ways, it is the plain one. HTML is read as htmltext reads it. Attachments are left out. A message that only
// passes on another one, with at most a signature, keeps its quotes. The error wraps
// ErrTooLong, or says what is broken. The text is a part of the message, or new.
func (p *Parser) Text(m Message) ([]byte, error) {
	text, err := p.textOf(m)
	if err != nil || p.Without&Quotes == 0 || len(bytes.TrimSpace(Signatures.from(text))) > 0 {
		return text, err
	}
	all := Parser{Without: p.Without &^ Quotes, Most: p.Most}
	return all.textOf(m)
}

func (p *Parser) textOf(m Message) ([]byte, error) {
	p.parts, p.text, p.owned = 0, nil, false
	err := p.part(m.Header, m.body, 0, "text/plain")
	return p.text, err
}

// add appends the text of a part, on a line of its own.
func (p *Parser) add(text []byte) error {
	if int64(len(p.text)+len(text)) > p.Most {
		return ErrTooLong
	}
	if len(p.text) == 0 {
		p.text, p.owned = text, false
		return nil
	}
	if !p.owned {
		p.text, p.owned = append(make([]byte, 0, 2*(len(p.text)+len(text))), p.text...), true
	}
	if p.text[len(p.text)-1] != '\n' {
		p.text = append(p.text, '\n')
	}
	p.text = append(p.text, text...)
	return nil
}

// part adds the text of a part. usual is its type if its header does not say it.
func (p *Parser) part(h Header, body []byte, depth int, usual string) error {
	switch p.parts++; {
	case depth > maxDepth:
		return fmt.Errorf("it has more than %d parts inside of each other", maxDepth)
	case p.parts > maxParts:
		return fmt.Errorf("it has more than %d parts", maxParts)
	}
	if isAttachment(h) {
		return nil
	}
	media, params := h.media(usual)
	switch kind, sub, _ := strings.Cut(media, "/"); {
	case kind == "multipart":
		return p.multipart(body, sub, params["boundary"], depth)
	case media == "message/rfc822" || media == "message/global":
		return p.forwarded(h, body, depth)
	case kind == "text" && !isNoText[sub]:
		return p.leaf(h, body, sub, params["charset"])
	}
	return nil
}

// isNoText lists texts that are for programs.
var isNoText = map[string]bool{"calendar": true, "vcard": true, "x-vcard": true, "directory": true, "rtf": true, "css": true, "javascript": true}

// isAttachment reports whether a part is to be shown only if a reader asks for it.
func isAttachment(h Header) bool {
	disposition, _, _ := bytes.Cut(h.raw("Content-Disposition"), []byte(";"))
	return bytes.EqualFold(bytes.TrimSpace(disposition), []byte("attachment"))
}

// forwarded adds the subject and the text of a message in a message.
func (p *Parser) forwarded(h Header, body []byte, depth int) error {
	inner, err := Parse(bytes.TrimLeft(decodeTransfer(body, h.raw("Content-Transfer-Encoding")), "\r\n"))
	if errors.Is(err, errHeader) {
		return nil
	}
	if err != nil {
		return err
	}
	if subject, ok := inner.Header.Field("Subject"); ok {
		if err := p.add([]byte(subject + "\n")); err != nil {
			return err
		}
	}
	return p.part(inner.Header, inner.body, depth+1, "text/plain")
}

// leaf adds the text of a part without parts.
func (p *Parser) leaf(h Header, body []byte, sub, charset string) error {
	text := toUTF8(decodeTransfer(body, h.raw("Content-Transfer-Encoding")), charset)
	if sub == "html" {
		if p.Without&Quotes != 0 {
			text = markQuotes(text)
		}
		text = htmltext.Append(make([]byte, 0, len(text)), text)
	}
	if p.Without != 0 {
		text = p.Without.from(text)
	}
	return p.add(text)
}

// multipart adds the texts of the parts of a body.
func (p *Parser) multipart(body []byte, sub, boundary string, depth int) error {
	if boundary == "" {
		return errors.New("it has parts, and its header names no boundary between them")
	}
	parts := splitter{rest: body, boundary: "--" + boundary}
	if !parts.begin() {
		return fmt.Errorf("it has parts, and the boundary %.80q is not in it", boundary)
	}
	if sub == "alternative" {
		return p.alternative(&parts, depth)
	}
	usual := "text/plain"
	if sub == "digest" {
		usual = "message/rfc822"
	}
	for raw, ok := parts.next(); ok; raw, ok = parts.next() {
		header, inner, err := cutHeader(raw)
		if err == nil {
			err = p.part(header, inner, depth+1, usual)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// alternative adds the text of one of several parts that say the same: of the first plain one, or else of the first
// other one, that says anything.
func (p *Parser) alternative(parts *splitter, depth int) error {
	type choice struct {
		header Header
		body   []byte
	}
	var plain, others []choice
	for raw, ok := parts.next(); ok; raw, ok = parts.next() {
		header, body, err := cutHeader(raw)
		if err != nil {
			return err
		}
		if p.parts++; p.parts > maxParts {
			return fmt.Errorf("it has more than %d parts", maxParts)
		}
		if media, _ := header.media("text/plain"); media == "text/plain" {
			plain = append(plain, choice{header, body})
		} else {
			others = append(others, choice{header, body})
		}
	}
	before := len(p.text)
	for _, c := range append(plain, others...) {
		if err := p.part(c.header, c.body, depth+1, "text/plain"); err != nil {
			return err
		}
		if len(bytes.TrimSpace(p.text[before:])) > 0 {
			return nil
		}
		p.text = p.text[:before]
	}
	return nil
}

// A splitter yields the parts of a body.
type splitter struct {
	rest     []byte
	boundary string // with the dashes before it
}

// begin moves behind the first boundary. It returns false if there is none.
func (s *splitter) begin() bool {
	_, behind, found, last := s.cut(s.rest)
	if s.rest = behind; last {
		s.rest = nil
	}
	return found
}

// next returns the next part, without the line end before the boundary. A last part without a boundary behind it was
// cut short, and counts.
func (s *splitter) next() (part []byte, ok bool) {
	if s.rest == nil {
		return nil, false
	}
	part, behind, _, last := s.cut(s.rest)
	if s.rest = behind; last {
		s.rest = nil
	}
	part = bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r"))
	return part, true
}

// cut parts text at the first line that is the boundary. last says that it is the last one, or that there is none.
func (s *splitter) cut(text []byte) (before, behind []byte, found, last bool) {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(s.boundary))
		if i < 0 {
			return text, nil, false, true
		}
		start := at + i
		at = start + len(s.boundary)
		if start > 0 && text[start-1] != '\n' {
			continue
		}
		line, rest, _ := bytes.Cut(text[at:], []byte("\n"))
		end := bytes.TrimRight(line, " \t\r")
		if len(end) > 0 && string(end) != "--" {
			continue // the line goes on: perhaps a longer boundary
		}
		return text[:start], rest, true, len(end) > 0 || len(rest) == 0
	}
}
