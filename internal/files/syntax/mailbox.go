package syntax

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

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

// A MessagePlace is where a message stands in its mailbox.
type MessagePlace struct {
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
)

// Next returns the next message as it stands in the file, from its line "From " on, valid until the next call. After
// ErrTooLong, which is about one message, there may be more. At the end the error is io.EOF; any other error is that of
// reading. place is of what was found, in any case but io.EOF.
func (m *Mailbox) Next() (raw []byte, place MessagePlace, err error) {
	if m.n == 0 {
		_ = skipLineEnds(m.from, math.MaxInt) // a later read will return the error again
	}
	place = MessagePlace{m.n + 1, m.from.Offset(), 0}
	m.buf = m.buf[:0]
	tooLong, isBlank, isWhole := false, false, false // the last two are about the line before
	for !isWhole || !m.begins(isBlank) {
		line, err := m.from.ReadSlice('\n')
		if tooLong = tooLong || len(line) > m.most-len(m.buf); !tooLong {
			m.buf = append(m.buf, line...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, place, fmt.Errorf("inside of message %d, which begins at byte %d: %w", place.Number, place.Start, err)
		}
		isWhole = err == nil
		isBlank = isWhole && len(bytes.TrimRight(line, "\r\n")) == 0
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

// begins reports whether the next line begins a message. isBlank says that the line before it is empty.
func (m *Mailbox) begins(isBlank bool) bool {
	head, _ := m.from.Peek(len(envelope)) // a later read will return the error again
	if string(head) != envelope {
		return false
	}
	head, _ = m.from.Peek(lookahead)
	return IsEnvelope(head) || isBlank && beginsMessage(head)
}

// IsEnvelope reports whether text begins with a line "From " that has a time and a year, as that of a message does.
func IsEnvelope(text []byte) bool {
	line, _, _ := bytes.Cut(text[:min(len(text), lookahead/2)], []byte("\n"))
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
	numbers := bytes.FieldsFunc(line, func(r rune) bool { return r < '0' || r > '9' })
	return slices.ContainsFunc(numbers, func(digits []byte) bool { return len(digits) == 4 })
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// beginsMessage reports whether the second line of text is a field of a header.
func beginsMessage(text []byte) bool {
	text = text[:min(len(text), lookahead)]
	_, second, _ := bytes.Cut(text, []byte("\n"))
	return fieldName(second) > 0 || bytes.HasPrefix(second, []byte(">From "))
}

// Unmark takes from a message of a mailbox what belongs to the mailbox: the line "From " at its beginning, the empty
// line before the next one, and a > from lines that begin with >From, >>From and so on. It changes raw, and returns a
// part of it.
func Unmark(raw []byte) []byte {
	if line, ok := bytes.CutSuffix(raw, []byte("\n")); ok {
		if before := bytes.TrimSuffix(line, []byte("\r")); bytes.HasSuffix(before, []byte("\n")) {
			raw = before
		}
	}
	if bytes.HasPrefix(raw, []byte(envelope)) {
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	to := 0
	for line := range bytes.Lines(raw) {
		if bare := bytes.TrimLeft(line, ">"); len(bare) < len(line) && bytes.HasPrefix(bare, []byte(envelope)) {
			line = line[1:]
		}
		to += copy(raw[to:], line)
	}
	return raw[:to]
}

// LooksLikeMailbox reports whether text, the beginning of a file, is that of a mailbox.
func LooksLikeMailbox(text []byte) bool {
	if !IsEnvelope(text) || !beginsMessage(text) {
		return false
	}
	_, text, _ = bytes.Cut(text, []byte("\n"))
	header, _, err := cutHeader(text)
	usual := []string{"From", "Date", "Subject", "To", "Message-ID", "Received", "Return-Path", "Delivered-To", "MIME-Version", "Status"}
	return bytes.HasPrefix(text, []byte(">From ")) || err == nil && slices.ContainsFunc(usual, func(name string) bool { return header.raw(name) != nil })
}

// LooksLikeMessage reports whether text, the beginning of a file, is the header of a message that has been sent, with
// an empty line behind it.
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
