package results

import (
	"fmt"
	"strings"

	"simsearch/internal/idtext"
)

// sqlText returns an SQL expression whose value is an id. The expression is valid for both SQLite
// and PostgreSQL. It has one line, no control character and no backslash, whatever the id contains.
// So no reader can take a part of an id for a command. That includes a shell that reads by lines
// and ends them at a NUL, a shell that takes CR LF for LF, and a server for which a backslash in
// quotes is an escape (standard_conforming_strings = off).
//
// If an id has such characters, ~ and two hexadecimal digits stand for each of them in the literal,
// and for ~ itself. replace restores them: it-~0A-is becomes
//
//	replace('it-~0A-is', '~0A', "char"(10))
//
// In SQLite, "char" is the function that turns a number into a character. In PostgreSQL it is the
// type of one byte, which a number can be cast to. ~ itself is restored last, so that the text
// after it is not taken for digits.
//
// NUL and bytes that are not UTF-8 are not text for these databases. They are written as
// idtext.String does, so that distinct ids stay distinct.
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

// escapedInSQL reports whether r cannot stand in a literal that every reader takes literally.
func escapedInSQL(r rune) bool { return r < ' ' || r == 0x7F || r == '\\' }

// sqlLiteral quotes a text that has no backslashes.
func sqlLiteral(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
