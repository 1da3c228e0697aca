package judge

import (
	"slices"
	"strings"
	"unicode"

	"simsearch/internal/ground/terminal"
)

// Title returns the first line of a text that says something, or its beginning if it has more than the given number
// of columns. A line says something if it has a letter or a digit. Signs that mark headings and comments are left out
// at both ends. Of a manual page it is the line with its name, and of a text that begins with fields between two
// lines of hyphens the field title. Lines about the program of a script or the building of a source, and comments
// about copyright, are passed over if something follows them, since many sources begin with the same. A text without
// such a line has no title: "".
func Title(text string, columns int) string {
	text = text[:min(len(text), longest)]
	if page := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(page, ".") || strings.HasPrefix(page, "'") {
		if title, ok := titleOfPage(page); ok {
			text = title
		}
	}
	if title, ok := titleOfHead(text); ok {
		text = title
	}
	if strings.HasPrefix(text, "Format: ") { // the machine-readable copyright files of Debian name what they are about in a field
		if _, rest, ok := strings.Cut(text[:min(len(text), 1<<10)], "\nUpstream-Name:"); ok {
			text = rest
		}
	}
	passed := ""     // the last line that was passed over
	passing := false // a paragraph about copyright
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "":
			passing = false
		case passing || !strings.ContainsFunc(line, says):
		case slices.ContainsFunc(passedOver, func(mark string) bool { return strings.HasPrefix(line, mark) }):
			passed = line
		case aboutCopyright(line):
			passed, passing = line, true
		default:
			return titleOf(line, columns)
		}
	}
	return titleOf(passed, columns)
}

// longest is how many bytes of a text are looked at for its title.
const longest = 64 << 10

// passedOver are beginnings of lines that say how a file is read, such as the program that a script is for.
var passedOver = []string{"#!", "//go:", "// +build", "// Code generated ", "<?xml", "<!DOCTYPE", "<!doctype"}

// titleOf returns a line as a title.
func titleOf(line string, columns int) string {
	if whole, title := cutTitle(line, 2*columns, columns); len(line) <= 2*columns || len(title)+64 < len(whole) {
		return title
	}
	_, title := cutTitle(line, 16*columns, columns) // of characters with many marks
	return title
}

// cutTitle returns the first size bytes of a line on one line, and the title that these make.
func cutTitle(line string, size, columns int) (whole, title string) {
	whole = terminal.OneLine(strings.Trim(line[:min(len(line), size)], " \t\r\n\v\f\uFEFF#=*/-_<!>"))
	return whole, terminal.Cut(whole, columns)
}

// aboutCopyright reports whether a line is a comment of a source about its copyright.
func aboutCopyright(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"//", "/*", "*", "#", "--", ";", "%", "<!--", "\"\"\""} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			rest = strings.ToLower(strings.TrimLeft(rest, "/*#-;% \t"))
			return strings.HasPrefix(rest, "copyright") && strings.ContainsAny(rest, "0123456789©") ||
				strings.HasPrefix(rest, "(c) ") || strings.HasPrefix(rest, "spdx-")
		}
	}
	return false
}

// titleOfPage returns the title of a manual page: the first argument of the request that begins it, in the
// language of man or of mdoc. The others are its section, its date and the name of a whole manual.
func titleOfPage(text string) (title string, ok bool) {
	for line := range strings.Lines(text) {
		for _, request := range []string{".TH ", ".Dt "} {
			if title, ok := strings.CutPrefix(line, request); ok {
				title = strings.NewReplacer(`\-`, "-", `\(hy`, "-", `\&`, "").Replace(strings.TrimSpace(title))
				if quoted, ok := strings.CutPrefix(title, `"`); ok {
					title, _, _ = strings.Cut(quoted, `"`)
				} else {
					title, _, _ = strings.Cut(title, " ")
				}
				return title, true
			}
		}
	}
	return "", false
}

// titleOfHead returns the field title of a text that begins with fields in YAML, as Markdown often does.
func titleOfHead(text string) (title string, ok bool) {
	const fence = "---"
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimSpace(first) != fence {
		return "", false
	}
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) == fence {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "title") && strings.ContainsFunc(value, says) {
			return strings.Trim(strings.TrimSpace(value), `"'`), true
		}
	}
	return "", false
}

func says(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
