package dedup

import (
	"slices"
	"strings"
	"testing"
)

// splitTexts returns the parts of a text as strings.
func splitTexts(text string, by Level) (out []string) {
	for _, p := range split(nil, []byte(text), by) {
		out = append(out, text[p.Start:p.End])
	}
	return out
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text string
		by   Level
		want []string
	}{
		{"", Lines, nil},
		{"", Paragraphs, nil},
		{"\n", Lines, []string{""}},
		{" \r\n\t", Paragraphs, nil},
		{"a", Lines, []string{"a"}},
		{"a\n", Lines, []string{"a"}},
		{"a\r\n  b \r\n \r\nc\rd", Lines, []string{"a", "  b ", "", "c\rd"}},
		{"a\n\n", Lines, []string{"a", ""}},
		{"\n\n  a\n b\r\n\u00a0\n\nc\n", Paragraphs, []string{"  a\n b", "c"}},
		{"a\nb", Paragraphs, []string{"a\nb"}},
		{"a\n\nb", Documents, []string{"a\n\nb"}},
		{"\xff\n\n\xfe", Paragraphs, []string{"\xff", "\xfe"}},
	} {
		if got := splitTexts(tt.text, tt.by); !slices.Equal(got, tt.want) {
			t.Errorf("%q by %v: %q, want %q", tt.text, tt.by, got, tt.want)
		}
	}
}

func TestWithout(t *testing.T) {
	for _, tt := range []struct {
		text string
		by   Level
		cut  string // the parts that are removed
		want string
	}{
		{"a\nb\nc", Lines, "b", "a\nc"},
		{"a\nb\nc", Lines, "c", "a\nb"},
		{"a\nb\nc\n", Lines, "c", "a\nb\n"},
		{"a\nb\nc\n", Lines, "a", "b\nc\n"},
		{"a\r\nb\r\nc\r\n", Lines, "b", "a\r\nc\r\n"},
		{"a\nb\n\nc", Lines, "b", "a\n\nc"},
		{"a\n\nb\nc", Lines, "b", "a\n\nc"},
		{"a\n\nb\n\nc", Lines, "b", "a\n\nc"},
		{"a\n\nb\n\n\nc\n\nd", Paragraphs, "bc", "a\n\n\nd"},
		{"\n\na\n\nb\n", Paragraphs, "a", "\n\nb\n"},
		{"a\n\nb\n", Paragraphs, "ab", ""},
		{"\n", Paragraphs, "", "\n"},
		{"", Lines, "", ""},
		{"  a\n\n  b\n  c\n\nd", Paragraphs, "a", "  b\n  c\n\nd"},
	} {
		parts := split(nil, []byte(tt.text), tt.by)
		got := without([]byte("x"), []byte(tt.text), parts, func(i int) bool {
			return strings.Contains(tt.cut, strings.TrimSpace(tt.text[parts[i].Start:parts[i].End]))
		})
		if string(got) != "x"+tt.want {
			t.Errorf("%q by %v without %s: %q, want %q", tt.text, tt.by, tt.cut, got[1:], tt.want)
		}
	}
}

func TestParseLevel(t *testing.T) {
	for l := Documents; l <= Lines; l++ {
		if got, err := ParseLevel(l.String()); got != l || err != nil {
			t.Errorf("%v: %v, %v", l, got, err)
		}
	}
	if _, err := ParseLevel("word"); err == nil || !strings.Contains(err.Error(), "document, paragraph, line") {
		t.Error(err)
	}
}

// What is left has the parts that stay, and no others. Without any cut it is the text.
func FuzzWithout(f *testing.F) {
	f.Add("a\n\nb\r\n \nc\n", uint64(0b1101))
	f.Add("\n a\nb\n\n\nc", uint64(1))
	f.Add("\r\r\n\x85\n\u2028\n", uint64(2))
	f.Fuzz(func(t *testing.T, text string, kept uint64) {
		for _, by := range []Level{Paragraphs, Lines} {
			parts := split(nil, []byte(text), by)
			if got := without(nil, []byte(text), parts, func(int) bool { return false }); string(got) != text {
				t.Fatalf("%q by %v becomes %q", text, by, got)
			}
			var want []string
			for i, p := range parts {
				if p.Start < p.End && kept>>(i%64)&1 == 1 {
					want = append(want, text[p.Start:p.End])
				}
			}
			left := without(nil, []byte(text), parts, func(i int) bool { return kept>>(i%64)&1 == 0 })
			got := slices.DeleteFunc(splitTexts(string(left), by), func(s string) bool { return s == "" })
			if !slices.Equal(got, want) {
				t.Fatalf("%q by %v, kept %b: %q has %q, want %q", text, by, kept, left, got, want)
			}
		}
	})
}
