// Package show makes what people look at of texts that are near: their titles, the passages in which
// they differ, and remarks on differences that change what a text says. Nothing that it returns can
// control a terminal.
package show

import (
	"strings"
	"unicode"

	"simsearch/internal/idtext"
	"simsearch/internal/terminal"
)

// Title returns the first line of a text that says something, or its beginning if it has more than the
// given number of columns. A line says something if it has a letter or a digit and is no comment of roff,
// the language of manual pages. Signs that mark headings and comments are left out at both ends. A text
// without such a line has no title: "".
func Title(text string, columns int) string {
	const longest = 64 << 10 // bytes that are looked at
	for line := range strings.Lines(text[:min(len(text), longest)]) {
		if strings.HasPrefix(line, `.\"`) || strings.HasPrefix(line, `'\"`) || !strings.ContainsFunc(line, says) {
			continue
		}
		line = strings.Trim(line[:min(len(line), 16*columns)], " \t\r\n\v\f\uFEFF#=*/-_<!>")
		return terminal.Cut(clean(line), columns)
	}
	return ""
}

func says(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// clean returns a text with one space for each run of white space, none at the ends, and nothing that
// controls a terminal.
func clean(text string) string { return idtext.Harmless(strings.Join(strings.Fields(text), " ")) }
