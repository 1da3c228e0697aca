package mailtext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A Source is what messages are read from, such as a *bufio.Reader that counts.
type Source interface {
	// Peek, Discard and Buffered are those of bufio.Reader.
	Peek(n int) ([]byte, error)
	Discard(n int) (int, error)
	Buffered() int
	// Offset returns the number of bytes that have been consumed.
	Offset() int64
}

// A Mailbox reads the messages of a file in one of the formats called mbox: each message begins with a line "From ",
// with the sender and the time of delivery.
//
// Lines of the text that begin so have a > in front, in mboxo if they begin with "From " itself, and in mboxrd if
// perhaps with several > before that. Programs that write neither are not rare. So a line "From " begins a message only
// if it has a time and a year, or if there is an empty line before it and a field of a header behind it.
type Mailbox struct {
	from Source
	most int
	n    int // messages
	buf  []byte
}

// A Place is where a message stands in its mailbox.
type Place struct {
	Number int   // from 1
	Start  int64 // of the line "From "
	End    int64 // of the message, with the empty lines behind it
}

// NewMailbox returns a Mailbox. Messages of more than most bytes are not read into memory.
func NewMailbox(from Source, most int64) *Mailbox {
	return &Mailbox{from: from, most: int(min(most, 1<<30))}
}

const (
	envelope = "From "
	// lookahead is the number of bytes, from a line "From " on, that tell whether it begins a message.
	lookahead = 2 << 10
	// context is the number of bytes before that line that tell whether the line before is empty.
	context = len("\n\r\n")
)

// Next returns the next message as it stands in the file, from its line "From " on, valid until the next call. After
// ErrTooLong, which is about one message, there may be more. At the end the error is io.EOF; any other error is that of
// reading. place is of what was found, in any case but io.EOF.
func (m *Mailbox) Next() (raw []byte, place Place, err error) {
	if m.n == 0 {
		m.skipLineEnds()
	}
	place = Place{m.n + 1, m.from.Offset(), 0}
	m.buf = m.buf[:0]
	tooLong := false
	take := func(part []byte) {
		if tooLong = tooLong || len(part) > m.most-len(m.buf); !tooLong {
			m.buf = append(m.buf, part...)
		}
		_, _ = m.from.Discard(len(part))
	}
	for begin := 1; ; {
		window, last, err := m.window()
		if err != nil {
			return nil, place, fmt.Errorf("inside of message %d, which begins at byte %d: %w", place.Number, place.Start, err)
		}
		end, behind, known := nextEnvelope(window, begin, last)
		if known && (end < len(window) || last) {
			take(window[:end])
			break
		}
		keep := end - context // more has to be seen behind a line
		if known {
			keep = len(window) - context - len(envelope)
		}
		keep = max(keep, 0)
		take(window[:keep])
		begin = max(behind-keep, context)
	}
	place.End = m.from.Offset()
	switch {
	case place.End == place.Start:
		return nil, place, io.EOF
	case tooLong:
		err = ErrTooLong
	}
	m.n++
	return m.buf, place, err
}

// skipLineEnds moves behind line ends before the first message.
func (m *Mailbox) skipLineEnds() {
	for {
		head, _ := m.from.Peek(1) // a later read will return the error again
		if len(head) == 0 || head[0] != '\r' && head[0] != '\n' {
			return
		}
		_, _ = m.from.Discard(1)
	}
}

// window returns what is in the buffer, which is at least lookahead bytes and what is kept. last says that nothing
// follows.
func (m *Mailbox) window() (window []byte, last bool, err error) {
	_, err = m.from.Peek(lookahead + context + len(envelope) + 2)
	if last = errors.Is(err, io.EOF); err != nil && !last {
		return nil, false, err
	}
	window, err = m.from.Peek(m.from.Buffered())
	return window, last, err
}

// nextEnvelope returns where in window the first line "From " at or behind begin that begins a message stands, or
// len(window). behind is where a search may go on, and known is false if that depends on what is behind the window:
// such a line then stands at behind.
func nextEnvelope(window []byte, begin int, last bool) (at, behind int, known bool) {
	for begin = min(begin, len(window)); ; {
		i := bytes.Index(window[max(begin-1, 0):], []byte("\n"+envelope))
		if i < 0 {
			return len(window), begin, true
		}
		at = max(begin-1, 0) + i + 1
		if !last && len(window)-at < lookahead {
			return at, at, false
		}
		if IsEnvelope(window[at:]) || isBlankBefore(window, at) && beginsMessage(window[at:]) {
			return at, at, true
		}
		begin = at + len(envelope)
	}
}

// isBlankBefore reports whether the line before the one at at is empty.
func isBlankBefore(window []byte, at int) bool {
	before := bytes.TrimSuffix(window[:at-1], []byte("\r"))
	return bytes.HasSuffix(before, []byte("\n"))
}

// IsEnvelope reports whether text begins with a line "From " that has a time and a year, as that of a message does.
func IsEnvelope(text []byte) bool {
	line := lineOf(text)
	if !bytes.HasPrefix(line, []byte(envelope)) {
		return false
	}
	for i := len(envelope); ; i++ {
		j := bytes.IndexByte(line[i:], ':')
		if j < 0 {
			return false
		}
		i += j
		if i+2 < len(line) && isDigit(line[i-1]) && isDigit(line[i+1]) && isDigit(line[i+2]) {
			return hasYear(line[i:]) || hasYear(line[:i])
		}
	}
}

// hasYear reports whether four digits stand in line, with others around them.
func hasYear(line []byte) bool {
	digits := 0
	for _, c := range line {
		if !isDigit(c) {
			if digits == 4 {
				return true
			}
			digits = 0
			continue
		}
		digits++
	}
	return digits == 4
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// lineOf returns the first line of text, without its end, or the part of it that is looked at.
func lineOf(text []byte) []byte {
	text = text[:min(len(text), lookahead/2)]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	return bytes.TrimSuffix(text, []byte("\r"))
}

// beginsMessage reports whether the second line of text is a field of a header.
func beginsMessage(text []byte) bool {
	text = text[:min(len(text), lookahead)]
	_, second, _ := bytes.Cut(text, []byte("\n"))
	return fieldName(second) > 0 || bytes.HasPrefix(second, []byte(">From "))
}

// Unmark takes from a message of a mailbox what belongs to the mailbox: the line "From " at its beginning, the empty line
// before the next one, and a > from lines that begin with >From, >>From and so on. It changes raw, and returns a part
// of it.
func Unmark(raw []byte) []byte {
	if ended := bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r")); bytes.HasSuffix(ended, []byte("\n")) {
		raw = ended
	}
	if bytes.HasPrefix(raw, []byte(envelope)) {
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	to, from := 0, 0
	for {
		i := bytes.Index(raw[from:], []byte(">"+envelope))
		if i < 0 {
			break
		}
		last := from + i
		first := last
		for first > from && raw[first-1] == '>' {
			first--
		}
		if first > 0 && raw[first-1] != '\n' {
			first = last + 1 // the line begins otherwise: nothing goes
			to += copy(raw[to:], raw[from:first])
			from = first
			continue
		}
		to += copy(raw[to:], raw[from:first])
		from = first + 1
		to += copy(raw[to:], raw[from:last+2])
		from = last + 2
	}
	if from == 0 {
		return raw
	}
	to += copy(raw[to:], raw[from:])
	return raw[:to]
}

// LooksLikeMailbox reports whether text, the beginning of a file, is that of a mailbox.
func LooksLikeMailbox(text []byte) bool { return IsEnvelope(text) && beginsMessage(text) }

// LooksLikeMessage reports whether text, the beginning of a file, is the header of a message that has been sent, with an
// empty line behind it.
func LooksLikeMessage(text []byte) bool {
	header, body, err := cutHeader(text)
	if err != nil || len(header) == len(text) {
		return false
	}
	if end := text[len(header)]; end != '\n' && end != '\r' || len(body) == len(text)-len(header) {
		return false
	}
	has := func(name string) bool { return header.raw(name) != nil }
	return has("From") && has("Date") && (has("Message-ID") || has("Received") || has("Return-Path"))
}
