package syntax

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/files/inputs"
)

// A Message is one message.
type Message struct {
	Header Header
	body   []byte
}

// ParseMessage parts a message into its header and its body, which are parts of raw. A line "From " before the header
// is passed over.
func ParseMessage(raw []byte) (Message, error) {
	for bytes.HasPrefix(raw, []byte(envelope)) || bytes.HasPrefix(raw, []byte(">"+envelope)) {
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	header, body, err := cutHeader(raw)
	if err == nil && len(header) == 0 {
		err = errHeader
	}
	return Message{header, body}, err
}

// A MessageParser makes texts of messages, one after the other.
type MessageParser struct {
	Without Without
	Most    int64 // bytes of a text
	// Told, if not nil, is told how a part is read.
	Told func(inputs.Decoded)

	parts int    // of the current message
	text  []byte // of it so far; a part of it has no room behind it
}

// Text returns what the text parts of a message say, in UTF-8, with a line end between two. Of parts that say the
// same in several ways, it is the plain one. HTML is read as AppendText reads it. Attachments are left out. A message
// that only passes on another one, with at most a signature, keeps its quotes. The error wraps ErrTooLong, or says
// what is broken. The text is a part of the message, or new.
func (p *MessageParser) Text(m Message) ([]byte, error) {
	text, err := p.textOf(m)
	if err != nil || p.Without&Quotes == 0 || len(bytes.TrimSpace(Signatures.from(text))) > 0 {
		return text, err
	}
	all := MessageParser{Without: p.Without &^ Quotes, Most: p.Most} // the parts have been told of
	return all.textOf(m)
}

func (p *MessageParser) textOf(m Message) ([]byte, error) {
	p.parts, p.text = 0, nil
	err := p.part(m.Header, m.body, 0, "text/plain")
	return p.text, err
}

// add appends the text of a part, on a line of its own.
func (p *MessageParser) add(text []byte) error {
	if int64(len(p.text)+len(text)) > p.Most {
		return ErrTooLong
	}
	if len(p.text) == 0 {
		p.text = slices.Clip(text)
		return nil
	}
	if p.text[len(p.text)-1] != '\n' {
		p.text = append(p.text, '\n')
	}
	p.text = append(p.text, text...)
	return nil
}

// part adds the text of a part. usual is its type if its header does not say it.
func (p *MessageParser) part(h Header, body []byte, depth int, usual string) error {
	switch p.parts++; {
	case depth > maxDepth:
		return fmt.Errorf("it has more than %d parts inside of each other", maxDepth)
	case p.parts > maxParts:
		return errParts
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
var isNoText = map[string]bool{
	"calendar": true, "vcard": true, "x-vcard": true, "directory": true, "rtf": true, "css": true, "javascript": true, "x-javascript": true,
	"ecmascript": true, "x-ecmascript": true, "jscript": true, "dns": true,
}

// isAttachment reports whether a part is to be shown only if a reader asks for it.
func isAttachment(h Header) bool {
	disposition, _, _ := bytes.Cut(h.raw("Content-Disposition"), []byte(";"))
	return bytes.EqualFold(bytes.TrimSpace(disposition), []byte("attachment"))
}

// forwarded adds the subject and the text of a message in a message.
func (p *MessageParser) forwarded(h Header, body []byte, depth int) error {
	inner, err := ParseMessage(bytes.TrimLeft(decodeTransfer(body, h.raw("Content-Transfer-Encoding")), "\r\n"))
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
func (p *MessageParser) leaf(h Header, body []byte, sub, charset string) error {
	text, how, err := inputs.Decode(decodeTransfer(body, h.raw("Content-Transfer-Encoding")), charset, sub == "html")
	if err != nil {
		return err
	}
	if p.Told != nil {
		p.Told(how)
	}
	switch {
	case sub == "html" && p.Without&Quotes != 0:
		text = appendUnquoted(make([]byte, 0, len(text)), text)
	case sub == "html":
		text = AppendText(make([]byte, 0, len(text)), text)
	}
	if p.Without != 0 {
		text = p.Without.from(text)
	}
	return p.add(text)
}

// multipart adds the texts of the parts of a body.
func (p *MessageParser) multipart(body []byte, sub, boundary string, depth int) error {
	if boundary == "" {
		return errors.New("it has parts, and its header names no boundary between them")
	}
	parts, ok := partsOf(body, "--"+boundary)
	if !ok {
		return fmt.Errorf("it has parts, and the boundary %.80q is not in it", boundary)
	}
	usual := "text/plain"
	if sub == "digest" {
		usual = "message/rfc822"
	}
	messages := make([]Message, 0, min(len(parts), maxParts))
	for _, raw := range parts {
		header, inner, err := cutHeader(raw)
		if err != nil {
			return err
		}
		if p.parts+len(messages) > maxParts {
			return errParts
		}
		messages = append(messages, Message{header, inner})
	}
	isAlternative := sub == "alternative"
	if isAlternative { // the parts say the same: the first plain one counts, or else the first other one, that says anything
		slices.SortStableFunc(messages, func(a, b Message) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	before := len(p.text)
	for _, m := range messages {
		if err := p.part(m.Header, m.body, depth+1, usual); err != nil {
			return err
		}
		if isAlternative {
			if len(bytes.TrimSpace(p.text[before:])) > 0 {
				return nil
			}
			p.text = p.text[:before]
		}
	}
	return nil
}

// rank returns 0 for a plain text, and 1 for all else.
func (m Message) rank() int {
	if media, _ := m.Header.media("text/plain"); media == "text/plain" {
		return 0
	}
	return 1
}

// partsOf returns the parts of a body, without the line ends before a boundary, which is a line of its own. A last
// part without a boundary behind it was cut short, and counts. ok is false if there is no boundary.
func partsOf(body []byte, boundary string) (parts [][]byte, ok bool) {
	start, at := 0, 0
	for line := range bytes.Lines(body) {
		end, is := bytes.CutPrefix(bytes.TrimRight(line, " \t\r\n"), []byte(boundary))
		isLast := string(end) == "--"
		if is && (len(end) == 0 || isLast) { // else it is perhaps a longer boundary
			if ok {
				parts = append(parts, trimEnd(body[start:at]))
			}
			if ok = true; isLast {
				return parts, true
			}
			start = at + len(line)
		}
		at += len(line)
	}
	if ok && start < len(body) {
		parts = append(parts, trimEnd(body[start:]))
	}
	return parts, ok
}
