package preprocess

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"simsearch/internal/shareddata"
)

// realTexts returns the texts of a collection whose identifiers begin with prefix, 2 MB at most.
func realTexts(b *testing.B, dir, collection, prefix string) (texts []string) {
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

// BenchmarkScripts measures text to words in real texts of several scripts and encodings, by documents as long as they
// are, and by documents of 8 KiB.
func BenchmarkScripts(b *testing.B) {
	dir := shareddata.Dev(b, "tldr-pages", "sms-spam", "aclimdb", "bible-chapters")
	same := func(s string) string { return s }
	for _, c := range []struct {
		script, collection, prefix string
		language                   string
		change                     func(string) string
	}{
		{"ascii", "sms-spam", "", "en", same},
		{"ascii", "sms-spam", "", "auto", same},
		{"ascii", "tldr-pages", "pages/", "en", same},
		{"ascii", "tldr-pages", "pages/", "auto", same},
		{"ascii", "bible-chapters", "", "en", same},
		{"ascii", "bible-chapters", "", "auto", same},
		{"typographic", "aclimdb", "", "en", typographic},
		{"typographic", "bible-chapters", "", "en", typographic},
		{"french", "tldr-pages", "pages.fr/", "fr", same},
		{"frenchnfd", "tldr-pages", "pages.fr/", "fr", norm.NFD.String},
		{"frenchlatin1", "tldr-pages", "pages.fr/", "fr", latin1},
		{"german", "tldr-pages", "pages.de/", "de", same},
		{"germanlatin1", "tldr-pages", "pages.de/", "de", latin1},
		{"stacked", "bible-chapters", "", "en", stacked},
		{"han", "tldr-pages", "pages.zh/", "none", same},
		{"hanprose", "tldr-pages", "pages.zh/", "none", solid},
		{"hanprose", "tldr-pages", "pages.zh/", "auto", solid},
		{"japanese", "tldr-pages", "pages.ja/", "ja", same},
		{"japaneseprose", "tldr-pages", "pages.ja/", "ja", solid},
		{"japaneseprose", "tldr-pages", "pages.ja/", "none", solid},
		{"japaneseprosenfd", "tldr-pages", "pages.ja/", "ja", func(s string) string { return norm.NFD.String(solid(s)) }},
		{"thai", "tldr-pages", "pages.th/", "th", same},
		{"thaiprose", "tldr-pages", "pages.th/", "th", prose},
		{"thaiprose", "tldr-pages", "pages.th/", "none", prose},
		{"korean", "tldr-pages", "pages.ko/", "none", same},
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
	} {
		for _, documents := range []string{"own", "8KiB"} {
			b.Run("script="+c.script+"/collection="+c.collection+"/lang="+c.language+"/documents="+documents, func(b *testing.B) {
				var texts [][]byte
				size := 0
				var open []byte
				for _, text := range realTexts(b, dir, c.collection, c.prefix) {
					text = c.change(text)
					size += len(text)
					if documents == "own" {
						texts = append(texts, []byte(text))
					} else if open = append(open, text...); len(open) > 8<<10 {
						texts, open = append(texts, open), nil
					}
				}
				texts = append(texts, open)
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
