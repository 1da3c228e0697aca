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
// given number of columns. A line says something if it has a letter or a digit. Signs that mark headings
// and comments are left out at both ends. Of a manual page it is the line with its name. A text without
// such a line has no title: "".
func Title(text string, columns int) string {
	const longest = 64 << 10 // bytes that are looked at
	text = text[:min(len(text), longest)]
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		if title, ok := titleOfPage(text); ok {
			text = title
		}
	}
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(line, says) {
			line = strings.Trim(line[:min(len(line), 16*columns)], " \t\r\n\v\f\uFEFF#=*/-_<!>")
			return terminal.Cut(clean(line), columns)
		}
	}
	return ""
}

// titleOfPage returns the title of a manual page: the arguments of the request that begins it, in the
// language of man or of mdoc.
func titleOfPage(text string) (title string, ok bool) {
	for line := range strings.Lines(text) {
		for _, request := range []string{".TH ", ".Dt "} {
			if title, ok := strings.CutPrefix(line, request); ok {
				return strings.NewReplacer(`\-`, "-", `\(hy`, "-", `\&`, "", `"`, "").Replace(title), true
			}
		}
	}
	return "", false
}

func says(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// clean returns a text with one space for each run of white space, none at the ends, and nothing that
// controls a terminal.
func clean(text string) string { return idtext.Harmless(strings.Join(strings.Fields(text), " ")) }
