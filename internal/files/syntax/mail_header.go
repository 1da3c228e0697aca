package syntax

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/mail"
	"strings"
	"time"

	"simsearch/internal/files/inputs"
)

// A Header is the header of a message or part, as it stands there, without the empty line behind it.
type Header []byte

// fieldName returns the length of the name of the field that line begins with, or 0 if it begins with none.
func fieldName(line []byte) int {
	for i, c := range line {
		if c == ':' {
			return i
		}
		if c <= ' ' || c >= 0x7f {
			// Some programs write white space before the colon.
			if rest := bytes.TrimLeft(line[i:], " \t"); i > 0 && len(rest) > 0 && rest[0] == ':' {
				return i
			}
			return 0
		}
	}
	return 0
}

// cutHeader parts a message or part into its header and its body. The header ends before an empty line, or before the
// first line that is no part of it.
func cutHeader(raw []byte) (header Header, body []byte, err error) {
	at := 0
	for at < len(raw) {
		line := raw[at:]
		end := bytes.IndexByte(line, '\n') + 1
		if end > 0 {
			line = line[:end]
		}
		switch {
		case line[0] == '\n' || string(line) == "\r\n":
			return Header(raw[:at]), raw[at+len(line):], nil
		case (line[0] == ' ' || line[0] == '\t') && at > 0, fieldName(line) > 0:
		default:
			return Header(raw[:at]), raw[at:], nil
		}
		if at += len(line); at > maxHeader {
			return nil, nil, fmt.Errorf("its header has more than %d bytes", maxHeader)
		}
	}
	return Header(raw), nil, nil
}

// raw returns the value of a field, with line ends and encoded words, or nil if there is none.
func (h Header) raw(name string) []byte {
	start, end := -1, 0
	for line := range bytes.Lines(h) {
		if start >= 0 && line[0] != ' ' && line[0] != '\t' {
			break
		}
		if start < 0 && len(line) > len(name) && line[0]|0x20 == name[0]|0x20 && strings.EqualFold(string(line[:len(name)]), name) {
			if value := bytes.TrimLeft(line[len(name):], " \t"); value[0] == ':' {
				start = end + len(line) - len(value) + 1
			}
		}
		end += len(line)
	}
	if start < 0 {
		return nil
	}
	return append([]byte{}, bytes.TrimSpace(h[start:end])...)
}

// Field returns the value of the first field called name, in one line, with encoded words (RFC 2047) decoded. Upper and
// lower case of the name do not matter. ok is false if there is none.
func (h Header) Field(name string) (value string, ok bool) {
	if name == "" {
		return "", false
	}
	raw := h.raw(name)
	if raw == nil {
		return "", false
	}
	value = oneLine.Replace(string(raw))
	words := mime.WordDecoder{CharsetReader: charsetReader}
	if decoded, err := words.DecodeHeader(value); err == nil {
		value = decoded
	}
	text, _, _ := inputs.Decode([]byte(value), "", false) // in a charset that nobody knows, it is as it stands
	return string(bytes.ToValidUTF8(text, []byte("\ufffd"))), true
}

var oneLine = strings.NewReplacer("\r", "", "\n", "")

// MessageDate returns a date of mail in the form of RFC 3339, since those of mail have more forms than others, such as
// "Fri, 2 Jan 26 10:00 EST (Eastern)". It returns a value that cannot be read as it stands.
func MessageDate(value string) string {
	numbered := value
	before, _, _ := strings.Cut(value, "(") // a comment
	if fields := strings.Fields(before); len(fields) > 0 {
		if zone, ok := zones[fields[len(fields)-1]]; ok {
			numbered = strings.Join(fields[:len(fields)-1], " ") + " " + zone
		}
	}
	at, err := mail.ParseDate(numbered)
	if err != nil {
		return value
	}
	return at.Format(time.RFC3339)
}

// zones are the zones that have names (RFC 5322, section 4.3). The standard library takes a name as the local zone
// does or, if that has none, as Greenwich.
var zones = map[string]string{
	"EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500", "MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
}

// charsetReader decodes an encoded word.
func charsetReader(charset string, from io.Reader) (io.Reader, error) {
	word, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	text, _, err := inputs.Decode(word, charset, false)
	return bytes.NewReader(text), err
}

// Names returns the names of the fields, in their order, each once.
func (h Header) Names() (names []string) {
	seen := map[string]bool{}
	for line := range bytes.Lines(h) {
		n := fieldName(line)
		if name := string(line[:n]); n > 0 && !seen[strings.ToLower(name)] {
			seen[strings.ToLower(name)] = true
			names = append(names, name)
		}
	}
	return names
}

// maxID is the length in bytes of the longest Message-ID that is taken: that of a line.
const maxID = 998

// ID returns the Message-ID without angle brackets, or nil if there is none, or one that cannot be an id.
func (h Header) ID() []byte {
	id := h.raw("Message-ID")
	if _, inside, ok := bytes.Cut(id, []byte("<")); ok {
		id, _, _ = bytes.Cut(inside, []byte(">"))
	}
	if len(id) > maxID || bytes.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil
	}
	return id
}

// media returns the media type in lower case, and its parameters. Where the field is missing, the type is usual.
func (h Header) media(usual string) (media string, params map[string]string) {
	raw := h.raw("Content-Type")
	if raw == nil {
		return usual, nil
	}
	media, params = mediaOf(string(raw))
	if media == "" || media == "text" {
		media = "text/plain"
	}
	return media, params
}

// mediaOf returns the media type that a field Content-Type has, in lower case, and its parameters.
func mediaOf(value string) (media string, params map[string]string) {
	media, params, err := mime.ParseMediaType(value)
	if err != nil {
		return parseLoosely(value)
	}
	return media, params
}

// parseLoosely is mime.ParseMediaType for values that break its rules: parameters that are named twice, or are no
// parameters.
func parseLoosely(value string) (media string, params map[string]string) {
	media, rest, _ := strings.Cut(value, ";")
	params = map[string]string{}
	for rest != "" {
		name, value, ok := strings.Cut(rest, "=")
		if !ok {
			break
		}
		name = name[strings.LastIndexByte(name, ';')+1:] // what comes before has no value
		name = strings.ToLower(strings.TrimSpace(name))
		value = strings.TrimLeft(value, " \t\r\n")
		if strings.HasPrefix(value, `"`) {
			value, rest, _ = strings.Cut(value[1:], `"`)
			_, rest, _ = strings.Cut(rest, ";")
		} else {
			value, rest, _ = strings.Cut(value, ";")
			value = strings.TrimSpace(value)
		}
		if _, again := params[name]; !again {
			params[name] = value
		}
	}
	return strings.ToLower(strings.TrimSpace(media)), params
}
