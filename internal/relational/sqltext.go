package relational

import (
	"fmt"
	"strings"

	"simsearch/internal/idtext"
)

// sqlText returns an expression of SQL whose value is an id, for SQLite and PostgreSQL alike. The
// expression has one line, no control character and no backslash, whatever the id has. So no reader
// of it can take a part of an id for a command: not a shell that reads by lines and ends them at a
// NUL, not one that takes CR LF for LF, and not a server to which a backslash in quotes is an escape
// (standard_conforming_strings = off).
//
// Where an id has such characters, ~ and two hexadecimal digits stand for each in the literal, for ~
// too, and replace brings them back: it-~0A-is becomes
//
//	replace('it-~0A-is', '~0A', "char"(10))
//
// In SQLite, "char" is the function that makes a character of a number; in PostgreSQL, the type of
// one byte, which a number can be cast to. ~ itself is brought back last, so that nothing that stood
// behind it is taken for digits.
//
// What is no text to both databases, NUL and bytes that are not UTF-8, is written as idtext.String
// does, so that distinct ids stay distinct.
func sqlText(id []byte) string {
	text := string(idtext.String.AppendText(nil, id))
	if strings.IndexFunc(text, escapedInSQL) < 0 {
		return sqlLiteral(text)
	}
	var present [0x80]bool
	var b strings.Builder
	for _, r := range text {
		if r != '~' && !escapedInSQL(r) {
			b.WriteRune(r)
			continue
		}
		present[r] = true
		fmt.Fprintf(&b, "~%02X", r)
	}
	out := sqlLiteral(b.String())
	for r, is := range present {
		if is && r != '~' {
			out = fmt.Sprintf(`replace(%s, '~%02X', "char"(%d))`, out, r, r)
		}
	}
	if present['~'] {
		out = fmt.Sprintf("replace(%s, '~7E', '~')", out)
	}
	return out
}

// escapedInSQL reports whether a character cannot stand in a literal that any reader takes as it is.
func escapedInSQL(r rune) bool { return r < ' ' || r == 0x7F || r == '\\' }

// sqlLiteral quotes a text without backslashes.
func sqlLiteral(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
