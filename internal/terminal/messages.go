package terminal

import (
	"bytes"
	"io"

	"simsearch/internal/idtext"
)

// Messages is standard error. Everything that the program says of its work and all its complaints
// pass through it. A Write is a message or a part of one. It may contain names of files, ids and
// other data from outside. Control characters in the message, including line ends, are written as
// package idtext does. The exceptions are what the progress needs: a line end at the end, and a
// carriage return at the beginning or the end.
type Messages struct{ To io.Writer }

// Write writes a message or a part of one.
func (m Messages) Write(p []byte) (int, error) {
	var out []byte
	text := p
	if after, ok := bytes.CutPrefix(text, []byte("\r")); ok {
		out, text = append(out, '\r'), after
	}
	end := len(text)
	if end > 0 && (text[end-1] == '\n' || text[end-1] == '\r') {
		end--
	}
	out = append(idtext.AppendHarmless(out, 0, text[:end]), text[end:]...)
	if _, err := m.To.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
