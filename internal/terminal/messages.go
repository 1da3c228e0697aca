package terminal

import (
	"bytes"
	"io"

	"simsearch/internal/idtext"
)

// Messages is standard error: all that the program says of its work, and all that it complains of,
// passes through it. A Write is a message, or a part of one. Names of files, ids and what else comes
// from outside may be a part of it: control characters in it, line ends too, are written as package
// idtext does. Of the message itself, what the progress needs is left: a line end at the end, and a
// carriage return at the beginning or the end.
type Messages struct{ To io.Writer }

// Write writes a message, or a part of one.
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
	out = append(idtext.AppendHarmless(out, text[:end]), text[end:]...)
	if _, err := m.To.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
