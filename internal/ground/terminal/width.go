package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// ellipsis stands for what is left out.
const ellipsis = "…"

// Columns returns how many columns of a terminal a text takes: two for each wide character of East Asia.
func Columns(s string) int { return displaywidth.String(s) }

// Cut returns s or, if it takes more columns than there are, its beginning with an ellipsis.
func Cut(s string, columns int) string {
	if Columns(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	return strings.TrimRight(First(s, columns-1), " ") + ellipsis
}

// Shorten returns s or, if it takes more columns than there are, its beginning and its end with an
// ellipsis between. The end is the longer part, since names of files end with what tells them apart.
func Shorten(s string, columns int) string {
	if Columns(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	head := First(s, (columns-1)/3)
	return head + ellipsis + Last(s, columns-1-Columns(head))
}

// First returns the beginning of s that takes at most the given number of columns, of whole characters
// as people see them.
func First(s string, columns int) string {
	return displaywidth.TruncateString(s, columns, "")
}

// Last returns the end of s that takes at most the given number of columns, of whole characters as people
// see them.
func Last(s string, columns int) string {
	over := Columns(s) - columns
	start := 0
	for g := displaywidth.StringGraphemes(s); over > 0 && g.Next(); {
		over -= g.Width()
		start += len(g.Value())
	}
	return s[start:]
}

// Wrapped returns text in lines of at most width characters, if its words allow, each but the first
// behind indent spaces. The first line begins at column indent, too.
func Wrapped(text string, indent, width int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
