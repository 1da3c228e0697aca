// Package terminal writes the output of programs and keeps data from outside, such as ids and names
// of files, from controlling the terminal. Screen is standard output, Messages is standard error,
// and Rows prints results.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsPipe reports whether a stream is a pipe. What is written to one often comes to the terminal by way of
// another program, such as less.
func IsPipe(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// Noticed is a stream. Before is called before each write: a bar of progress must go, for example.
type Noticed struct {
	To     io.Writer
	Before func()
}

// Write writes p.
func (n Noticed) Write(p []byte) (int, error) {
	n.Before()
	return n.To.Write(p)
}

// Width returns the number of columns of a stream, or 0 if it is no terminal or its width is not known.
func Width(stream any) int {
	if f, ok := stream.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return max(0, width)
		}
	}
	return 0
}

// A Screen is standard output on a terminal. Control characters and the like, except line ends,
// tabs and the sequences for colours of this package, are written as package idtext does. So nothing
// in a collection can move the cursor or send the terminal a command. Ids that are already in their
// form for terminals stay as they are.
type Screen struct {
	To   io.Writer
	held []byte // the beginning of an incomplete character or sequence
	last rune   // the last character that was written
}

// Write writes p without control characters. It keeps back an incomplete character or sequence at the
// end of p.
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
	if at := bytes.LastIndexByte(text[:end], escape); at >= 0 && beginsSequence(text[at:end]) {
		end = at
	}
	var out []byte
	before, begin := t.last, 0
	for _, at := range allowed().FindAllIndex(text[:end], -1) {
		out = append(appendHarmless(out, before, text[begin:at[0]]), text[at[0]:at[1]]...)
		before, begin = 0, at[1]
	}
	out = appendHarmless(out, before, text[begin:end])
	t.held = bytes.Clone(text[end:])
	if len(out) > 0 {
		t.last, _ = utf8.DecodeLastRune(out)
	}
	return write(t.To, out, p)
}

// A JSON is JSON on a terminal. Characters that a Screen would change are written with the escapes
// of JSON, so that it is still the same JSON. Each Write must be of whole values.
type JSON struct{ To io.Writer }

// Write writes p, which must be whole values.
func (t JSON) Write(p []byte) (int, error) {
	var out []byte
	var before rune
	for _, r := range string(p) {
		if r != '\n' && control(before, r) {
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			r = 0
		} else {
			out = utf8.AppendRune(out, r)
		}
		before = r
	}
	return write(t.To, out, p)
}
