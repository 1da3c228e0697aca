package terminal

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var places = map[string]Place{"list": List, "string": String, "terminal": Terminal}

// unfit returns what a place does not allow in a text, or "".
func unfit(p Place, text []byte) string {
	if p == List {
		if bytes.ContainsAny(text, "\x00\t\n\r") {
			return "it has a byte that parts columns or lines"
		}
		if bytes.HasPrefix(text, []byte("\uFEFF")) {
			return "it begins with a byte order mark"
		}
		return ""
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return "it is not UTF-8, or has a NUL"
	}
	if p == Terminal && bytes.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsGraphic(r) || strings.ContainsRune("\u00AD\u061C\u200B\u200E\u200F\u2060\u3164", r)
	}) && !joins.Match(text) {
		return "it has control characters"
	}
	return ""
}

// joins matches texts whose invisible characters are all behind letters that need them.
var joins = regexp.MustCompile("^([^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\uFE0F]|[یक❤\U0001F468]\uFE0F?[\u200C\u200D]?|❤\uFE0F)*$")

// check writes an id in every place and reads it back.
func check(t *testing.T, id []byte) {
	t.Helper()
	for name, p := range places {
		text := p.AppendText(nil, id)
		if what := unfit(p, text); what != "" {
			t.Errorf("%s: %q is written as %q: %s", name, id, text, what)
		}
		if got := p.AppendID(nil, text); !bytes.Equal(got, id) {
			t.Errorf("%s: %q is written as %q and read as %q", name, id, text, got)
		}
		if s := p.Text(string(id)); s != string(text) {
			t.Errorf("%s: Text writes %q as %q, AppendText as %q", name, id, s, text)
		}
	}
	if text := Harmless(string(id)); unfit(Terminal, []byte(text)) != "" || Harmless(text) != text {
		t.Errorf("%q is no harmless form of %q, or has another", text, id)
	}
}

// pieces are the parts of ids of the exhaustive test: everything that the scheme names, whole and in
// parts.
var pieces = []string{"\uFFFD", "\xEF", "\xBF\xBD", "\uFEFF", "\t", "\n", "\x00", "\x1B", "\u0085", "\u202E", "\u200C", "ی", "0", "9", "8", "A", "F", "a", "\\"}

// Different ids of at most four pieces have different texts, and each is read as it was written.
func TestAllShortIDs(t *testing.T) {
	const longest = 4
	written := map[string]map[string]string{}
	for name := range places {
		written[name] = map[string]string{}
	}
	ids := map[string]bool{}
	var extend func(id string, n int)
	extend = func(id string, n int) {
		if !ids[id] { // other pieces may make the same bytes
			ids[id] = true
			check(t, []byte(id))
			for name, p := range places {
				text := p.Text(id)
				if other, ok := written[name][text]; ok {
					t.Fatalf("%s: %q and %q are both written as %q", name, other, id, text)
				}
				written[name][text] = id
			}
		}
		if n < longest && !t.Failed() {
			for _, piece := range pieces {
				extend(id+piece, n+1)
			}
		}
	}
	extend("", 0)
	if len(ids) < 90_000 {
		t.Errorf("only %d ids", len(ids))
	}
}

// Every byte, alone and between other bytes.
func TestAllBytes(t *testing.T) {
	for b := range 256 {
		c := string([]byte{byte(b)})
		for _, id := range []string{c, "a" + c + "b", "\uFFFD" + c, "\uFFFD\uFFFD" + c + "41", c + c} {
			check(t, []byte(id))
		}
	}
}

func FuzzIDs(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte("\uFFFD" + p + "09" + p))
	}
	f.Fuzz(func(t *testing.T, id []byte) {
		check(t, id)
		for _, p := range places {
			p.AppendID(nil, id) // any text can be read
		}
	})
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ id, list, str, terminal string }{
		{"plain #1/é", "plain #1/é", "plain #1/é", "plain #1/é"},
		{`a\tb`, `a\tb`, `a\tb`, `a\tb`},
		{"a\tb", "a\uFFFD09b", "a\tb", "a\uFFFD09b"},
		{"\r\n\x00", "\uFFFD0D\uFFFD0A\uFFFD00", "\r\n\uFFFD00", "\uFFFD0D\uFFFD0A\uFFFD00"},
		{"\x1B[31m\x7F", "\x1B[31m\x7F", "\x1B[31m\x7F", "\uFFFD1B[31m\uFFFD7F"},
		{"caf\xE9", "caf\xE9", "caf\uFFFDE9", "caf\uFFFDE9"},
		{"\u009B\u2028\u202E", "\u009B\u2028\u202E", "\u009B\u2028\u202E", "\uFFFDC2\uFFFD9B\uFFFDE2\uFFFD80\uFFFDA8\uFFFDE2\uFFFD80\uFFFDAE"},
		// Marks of the id.
		{"caf\uFFFD.txt", "caf\uFFFD.txt", "caf\uFFFD.txt", "caf\uFFFD.txt"},
		{"\uFFFD09", "\uFFFD\uFFFD09", "\uFFFD09", "\uFFFD\uFFFD09"},
		{"\uFFFDE9", "\uFFFDE9", "\uFFFD\uFFFDE9", "\uFFFD\uFFFDE9"},
		{"\uFFFD\t", "\uFFFD\uFFFD\uFFFD09", "\uFFFD\t", "\uFFFD\uFFFD\uFFFD09"},
		{"\uFFFD0\t", "\uFFFD0\uFFFD09", "\uFFFD0\t", "\uFFFD0\uFFFD09"},
		{"\uFEFFx", "\uFFFDEF\uFFFDBB\uFFFDBFx", "\uFEFFx", "\uFFFDEF\uFFFDBB\uFFFDBFx"},
		{"x\uFEFF", "x\uFEFF", "x\uFEFF", "x\uFFFDEF\uFFFDBB\uFFFDBF"},
		// Marks and joiners.
		{"\uFFFD\u200C", "\uFFFD\u200C", "\uFFFD\u200C", "\uFFFD\uFFFD\uFFFDE2\uFFFD80\uFFFD8C"},
		{"ی\x1B\u200C", "ی\x1B\u200C", "ی\x1B\u200C", "ی\uFFFD1B\uFFFDE2\uFFFD80\uFFFD8C"},
	} {
		for i, want := range []string{tt.list, tt.str, tt.terminal} {
			if got := Place(i).Text(tt.id); got != want {
				t.Errorf("place %d: %q is written as %q, want %q", i, tt.id, got, want)
			}
		}
	}
}

// Invisible characters are shown, except where a language or an emoji needs them.
func TestInvisibleCharacters(t *testing.T) {
	for _, text := range []string{
		"plain", "caf\u0301e", "日本語", "שלום", "می\u200Cخواهم", "क्\u200Dष", "ක්\u200Dර", "\U0001F468\u200D\U0001F469\u200D\U0001F467", "❤\uFE0F\u200D\U0001F525", "☎\uFE0E", "葛\U000E0100", "\u0600١٢", "⠓⠊\u2800\u2800⠁", "a\u00A0b", "a\u2009b", "\uE000",
	} {
		if got := Harmless(text); got != text {
			t.Errorf("%+q becomes %+q", text, got)
		}
	}
	for _, invisible := range []string{
		"\u00AD", "\u034F", "\u061C", "\u115F", "\u1160", "\u17B4", "\u180E", "\u200B", "\u200C", "\u200D", "\u200E", "\u200F", "\u202A", "\u202E", "\u2060", "\u2061", "\u2064", "\u2065", "\u2066", "\u2069", "\u206A", "\u206F", "\u2800",
		"\u3164", "\uFE00", "\uFE0F", "\uFEFF", "\uFFA0", "\uFFF9", "\uFFFB", "\U0001BCA0", "\U0001D173", "\U000E0001", "\U000E0020", "\U000E007F", "\U000E0100", "\U000E01EF", "\U000E0FFF",
	} {
		if got := Harmless("a" + invisible + "b"); strings.Contains(got, invisible) {
			t.Errorf("%+q stays in %+q", invisible, got)
		}
	}
	for _, hidden := range []string{"\u200C\u200C", "\u200D\u200C", "\uFE0F\uFE0E", "\u200D\uFE0F"} {
		if got := Harmless("ی" + hidden); strings.Contains(got, hidden) {
			t.Errorf("%+q stays in %+q", hidden, got)
		}
	}
}

// Text that no place writes is read as it is.
func TestForeignText(t *testing.T) {
	for _, text := range []string{"F\uFFFDDERATION", "\uFFFD", "\uFFFD0", "\uFFFD0a", "\uFFFD\uFFFD", "\uFFFD41", "\xEF\xBF"} {
		if got := List.AppendID(nil, []byte(text)); string(got) != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// appendHarmless does not change an id that is escaped for a terminal.
func TestHarmlessKeepsIDs(t *testing.T) {
	for _, id := range []string{"\uFFFD1B", "\x1B", "\uFFFD\uFFFD\x1B1B"} {
		text := Terminal.Text(id)
		if got := Harmless(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := Harmless("a\x1Bb\uFFFD1B"); got != "a\uFFFD1Bb\uFFFD1B" {
		t.Errorf("%q", got)
	}
}
