package terminal

import (
	"strings"

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
	end := 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if columns -= g.Width(); columns < 0 {
			break
		}
		end += len(g.Value())
	}
	return s[:end]
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
