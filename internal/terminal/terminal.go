// Package terminal writes what programs say, without letting what comes from outside, as ids and
// names of files, say something to a terminal. Screen and Messages are standard output and standard
// error; Rows prints results.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"simsearch/internal/idtext"
)

// A Screen is standard output where a person looks at it. Control characters and the like are written
// as package idtext does, but for line ends and tabs, so that nothing in a collection can move the
// cursor or say something to the terminal. Ids in their form for terminals stay as they are.
type Screen struct {
	To   io.Writer
	held []byte // the beginning of a character whose rest has not come
}

// Write writes p, harmless, but for the beginning of a character whose rest has not come.
func (t *Screen) Write(p []byte) (int, error) {
	text := append(t.held, p...)
	end := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				end = at
			}
			break
		}
	}
	var out []byte
	for rest := text[:end]; ; {
		at := bytes.IndexAny(rest, "\n\t")
		if at < 0 {
			out = idtext.AppendHarmless(out, rest)
			break
		}
		out = append(idtext.AppendHarmless(out, rest[:at]), rest[at])
		rest = rest[at+1:]
	}
	t.held = bytes.Clone(text[end:])
	if _, err := t.To.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A JSON is JSON on a screen: what a screen would change in it is written with the escapes of
// JSON, so that it is still the same JSON. A Write is of whole values.
type JSON struct{ To io.Writer }

// Write writes p, of whole values.
func (t JSON) Write(p []byte) (int, error) {
	var out []byte
	for _, r := range string(p) {
		if r != '\n' && idtext.Control(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	if _, err := t.To.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
