package preprocess

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"simsearch/internal/tests/testkit"
)

// realTexts returns the texts of a collection whose identifiers begin with prefix, 2 MB at most.
func realTexts(b testing.TB, dir, collection, prefix string) (texts []string) {
	b.Helper()
	file, err := os.Open(filepath.Join(dir, collection, "docs.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for size := 0; size < 2<<20 && lines.Scan(); {
		var d struct{ ID, Text string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			b.Fatal(err)
		}
		if strings.HasPrefix(d.ID, prefix) {
			texts = append(texts, d.Text)
			size += len(d.Text)
		}
	}
	return texts
}

// prose returns text without its ASCII characters other than white space, so that a page on a command becomes a
// text of one script.
func prose(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		words := strings.FieldsFunc(line, func(r rune) bool { return r < 0x80 })
		if len(words) > 0 {
			out.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	return out.String()
}

// solid is prose without spaces.
func solid(text string) string { return strings.ReplaceAll(prose(text), " ", "") }

// lines returns text without its lines of code.
func lines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "`") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// latin1 returns text in ISO 8859-1, without the characters that it lacks.
func latin1(text string) string {
	var out []byte
	for _, r := range text {
		if r < 0x100 {
			out = append(out, byte(r))
		}
	}
	return string(out)
}

// typographic returns text with the quotation marks and dashes of print.
func typographic(text string) string {
	for _, swap := range []struct{ plain, printed string }{
		{" \"", " “"}, {"\n\"", "\n“"}, {"\"", "”"}, {" '", " ‘"}, {"'", "’"}, {"--", "—"}, {" - ", " – "}, {"...", "…"},
	} {
		text = strings.ReplaceAll(text, swap.plain, swap.printed)
	}
	return text
}

// stacked returns text with three marks more on every eighth letter.
func stacked(text string) string {
	var out strings.Builder
	n := 0
	for _, r := range text {
		out.WriteRune(r)
		if 'a' <= r && r <= 'z' {
			if n++; n%8 == 0 {
				out.WriteString("\u0301\u0323\u0489"[:4+2*(n/8%2)] + "\u0330")
			}
		}
	}
	return out.String()
}

// A scriptCase is real texts in a script, changed to another encoding or form, and the language of their stop words.
type scriptCase struct {
	script, collection, prefix string
	language                   string
	change                     func(string) string
}

var scriptCases = []scriptCase{
	{"ascii", "sms-spam", "", "en", strings.Clone},
	{"ascii", "sms-spam", "", "auto", strings.Clone},
	{"ascii", "tldr-pages", "pages/", "en", strings.Clone},
	{"ascii", "tldr-pages", "pages/", "auto", strings.Clone},
	{"ascii", "bible-chapters", "", "en", strings.Clone},
	{"ascii", "bible-chapters", "", "auto", strings.Clone},
	{"typographic", "aclimdb", "", "en", typographic},
	{"typographic", "bible-chapters", "", "en", typographic},
	{"french", "tldr-pages", "pages.fr/", "fr", lines},
	{"frenchnfd", "tldr-pages", "pages.fr/", "fr", func(s string) string { return norm.NFD.String(lines(s)) }},
	{"frenchlatin1", "tldr-pages", "pages.fr/", "fr", func(s string) string { return latin1(lines(s)) }},
	{"german", "tldr-pages", "pages.de/", "de", lines},
	{"germanlatin1", "tldr-pages", "pages.de/", "de", func(s string) string { return latin1(lines(s)) }},
	{"stacked", "bible-chapters", "", "en", stacked},
	{"han", "tldr-pages", "pages.zh/", "none", strings.Clone},
	{"hanprose", "tldr-pages", "pages.zh/", "none", solid},
	{"hanprose", "tldr-pages", "pages.zh/", "auto", solid},
	{"japanese", "tldr-pages", "pages.ja/", "ja", strings.Clone},
	{"japaneseprose", "tldr-pages", "pages.ja/", "ja", solid},
	{"japaneseprose", "tldr-pages", "pages.ja/", "none", solid},
	{"japaneseprosenfd", "tldr-pages", "pages.ja/", "ja", func(s string) string { return norm.NFD.String(solid(s)) }},
	{"thai", "tldr-pages", "pages.th/", "th", strings.Clone},
	{"thaiprose", "tldr-pages", "pages.th/", "th", prose},
	{"thaiprose", "tldr-pages", "pages.th/", "none", prose},
	{"korean", "tldr-pages", "pages.ko/", "none", strings.Clone},
	{"koreanprose", "tldr-pages", "pages.ko/", "none", prose},
	{"koreannfd", "tldr-pages", "pages.ko/", "none", norm.NFD.String},
	{"koreanprosenfd", "tldr-pages", "pages.ko/", "none", func(s string) string { return norm.NFD.String(prose(s)) }},
	{"cyrillic", "tldr-pages", "pages.ru/", "ru", prose},
	{"greek", "tldr-pages", "pages.el/", "el", prose},
	{"arabic", "tldr-pages", "pages.ar/", "ar", prose},
	{"persian", "tldr-pages", "pages.fa/", "fa", prose},
	{"devanagari", "tldr-pages", "pages.hi/", "none", prose},
	{"bengali", "tldr-pages", "pages.bn/", "none", prose},
	{"tamil", "tldr-pages", "pages.ta/", "none", prose},
	{"malayalam", "tldr-pages", "pages.ml/", "none", prose},
	{"lao", "tldr-pages", "pages.lo/", "none", prose},
}

// documents returns the texts of the case as documents, and their size in bytes: "own" as long as they are, "8KiB" joined
// to documents of that size or more.
func (c scriptCase) documents(t testing.TB, dir, length string) (texts [][]byte, size int) {
	t.Helper()
	var open []byte
	for _, text := range realTexts(t, dir, c.collection, c.prefix) {
		text = c.change(text)
		size += len(text)
		if length == "own" {
			texts = append(texts, []byte(text))
		} else if open = append(open, text...); len(open) > 8<<10 {
			texts, open = append(texts, open), nil
		}
	}
	return append(texts, open), size
}

// BenchmarkScripts measures text to words in real texts of several scripts and encodings.
func BenchmarkScripts(b *testing.B) {
	dir := testkit.Dev(b, "tldr-pages", "sms-spam", "aclimdb", "bible-chapters")
	for _, c := range scriptCases {
		for _, length := range []string{"own", "8KiB"} {
			b.Run("script="+c.script+"/collection="+c.collection+"/lang="+c.language+"/documents="+length, func(b *testing.B) {
				texts, size := c.documents(b, dir, length)
				a := newAnalyzer(b, "words", c.language)
				var doc Document
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					for _, text := range texts {
						a.Analyze(&doc, text)
					}
				}
			})
		}
	}
}
