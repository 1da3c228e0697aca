package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWidths(t *testing.T) {
	for _, test := range []struct {
		got, want string
	}{
		{Cut("short", 5), "short"},
		{Cut("longer", 5), "long…"},
		{Cut("a bc", 3), "a…"},
		{Cut("線を引く", 7), "線を引…"},
		{Cut("線を引く", 8), "線を引く"},
		{Cut("x", 0), ""},
		{Shorten("/usr/share/man/man1/ls.1.gz", 27), "/usr/share/man/man1/ls.1.gz"},
		{Shorten("/usr/share/man/man1/ls.1.gz", 16), "/usr/…n1/ls.1.gz"},
		{Shorten("線を引くための道具", 9), "線…の道具"},
		{Shorten("x", 0), ""},
		{First("e\u0301te\u0301", 2), "e\u0301t"},
		{Last("e\u0301te\u0301", 2), "te\u0301"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

// What is cut fits, and is made of what there was.
func FuzzWidths(f *testing.F) {
	f.Add("線を引く e\u0301 👩‍👩‍👧 x", 5)
	f.Fuzz(func(t *testing.T, s string, columns int) {
		columns &= 63
		if !utf8.ValidString(s) {
			t.Skip("the text of an id is UTF-8 on a terminal")
		}
		first, last := First(s, columns), Last(s, columns)
		if !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
			t.Errorf("%q and %q of %q", first, last, s)
		}
		for _, cut := range []string{first, last, Cut(s, columns), Shorten(s, columns)} {
			if Columns(cut) > columns {
				t.Errorf("%q of %q takes %d columns, more than %d", cut, s, Columns(cut), columns)
			}
		}
	})
}
