package corpus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// The charsets of the tests.
var (
	wideMarked = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	wideLE     = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	wideBE     = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

func encode(t testing.TB, e encoding.Encoding, text string) string {
	t.Helper()
	s, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Texts in other charsets than UTF-8 are read as those in UTF-8 are, in all formats, and once more by their places.
func TestCharsets(t *testing.T) {
	western, russian := "größere Häuser für Käufer über Straßen", "съешь же ещё этих мягких булок"
	for _, tt := range []struct {
		name, text string // %s stands for a text
		o          Options
	}{
		{"a.txt", "%s\r\n%[1]s", Options{}},
		{"a", "%s", Options{}},
		{"a.lines", "%s\r\n\n%[1]s x\nlast", Options{Format: Lines}},
		{"a.jsonl", "{\"text\":\"%s\"}\nbad\n{\"id\":\"%[1]s\",\"text\":\"\\u00e9 %[1]s\"}\n", Options{}},
		{"a.json", "[{\"text\":\"%s\"} ,\n {\"text\":\"%[1]s x\"}]", Options{}},
		{"a.csv", "id,text,%s\n1,%[1]s,x\nragged\n2,\"%[1]s\n\"\"2\"\"\",y\n", Options{}},
		{"b.csv", "id;text\n" + strings.Repeat("1;"+strings.Repeat("some words ", 50)+"\n", 700) + "2;%s\n", Options{}},
		{"a.tsv", "id\ttext\n1\t%s\n", Options{}},
		{"a.html", "<p>%s<b>%[1]s</b>", Options{}},
		{"m.html", "<meta charset=windows-1251><p>%s", Options{}},
	} {
		for _, c := range []struct {
			charset    encoding.Encoding
			name, text string
		}{
			{wideMarked, "UTF-16LE", western}, {wideLE, "UTF-16LE", russian}, {wideBE, "UTF-16BE", western},
			{charmap.Windows1252, "windows-1252", western}, {charmap.Windows1251, "windows-1251", russian},
		} {
			if tt.name == "m.html" && c.text != russian {
				continue
			}
			for ext, pack := range map[string]func(string) string{"": func(s string) string { return s }, ".gz": gzipped} {
				text := fmt.Sprintf(tt.text, c.text)
				files(t, map[string]string{tt.name + ext: pack(text)})
				wantAll := readOrigins(t, []string{tt.name + ext}, tt.o)
				files(t, map[string]string{tt.name + ext: pack(encode(t, c.charset, text))})
				var told []string
				o := tt.o
				o.Decided = func(d Decision) {
					if d.Charset != "" {
						told = append(told, d.Path+" "+d.Charset)
					}
				}
				all := readOrigins(t, []string{tt.name + ext}, o)
				if texts(all) != texts(wantAll) {
					t.Errorf("%s in %s: %.300q, want %.300q", tt.name, c.name, texts(all), texts(wantAll))
				}
				if !slices.EqualFunc(told, []string{tt.name + ext + " " + c.name}, strings.EqualFold) {
					t.Errorf("%s in %s: told %q", tt.name, c.name, told)
				}
				if len(all) < 100 {
					checkReread(t, all, tt.o)
				} else {
					checkReread(t, all[len(all)-3:], tt.o)
				}
			}
		}
	}
}

func texts(all []yielded) string {
	var b strings.Builder
	for _, y := range all {
		fmt.Fprintf(&b, "%q\n", y.text)
	}
	return b.String()
}

// A page is read in the charset that it names, unless it is in UTF-8.
func TestPageNamesCharset(t *testing.T) {
	page := "<html><head><meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'><body>日本語の文章"
	files(t, map[string]string{"a.html": encode(t, japanese.ShiftJIS, page), "b.html": page})
	all := readOrigins(t, []string{"a.html", "b.html"}, Options{})
	if len(all) != 2 || all[0].text != all[1].text || !strings.Contains(all[0].text, "日本語の文章") {
		t.Error(texts(all))
	}
	checkReread(t, all, Options{})
}

// A text in UTF-8 stays one, with bytes that are none in it. Mail and crawls say themselves how they are written.
func TestCharsetStays(t *testing.T) {
	for name, text := range map[string]string{
		"a.txt":   "größere \xe9 Häuser, für \xff",
		"a.jsonl": "{\"text\":\"\xe9 " + strings.Repeat("größer ", 20) + "\"}",
		"b.jsonl": "{\"text\":\"\xe9\"}\n" + strings.Repeat("{\"text\":\"plain words of ASCII\"}\n", 20_000),
		"a.eml":   "Subject: x\nContent-Type: text/plain; charset=windows-1251\n\n\xcf\xf0\xe8\xe2\xe5\xf2",
		"a.warc":  record("conversion", "caf\xe9"),
	} {
		files(t, map[string]string{name: text})
		r, err := Open([]string{name}, Options{Decided: func(d Decision) { t.Errorf("%s: %+v", name, d) }})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for doc, err := range r.Documents() {
			if err != nil || name == "a.eml" && string(doc.Text) != "x\nПривет" && string(doc.Text) != "Привет" {
				t.Errorf("%s: %v, %v", name, doc, err)
			}
			n++
		}
		if n == 0 || r.Charset() != "UTF-8" {
			t.Errorf("%s: %d documents in %s", name, n, r.Charset())
		}
	}
}

// A file that its name says is a text is read with its zero bytes, and lines and records that have some are bad.
func TestZeros(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"a.jsonl":   {"{\"text\":\"one\"}\n\x00\n{\"text\":\"thr\x00ee\"}\n{\"text\":\"four\"}\n", Options{}, "one, bad 2, bad 3, four"},
		"b.jsonl":   {strings.Repeat("\x00", 10_000) + "{\"text\":\"one\"}\n{\"text\":\"two\"}\n", Options{}, "bad 1, two"},
		"a.csv":     {"id,text\n1,one\n2,tw\x00o\n3,three\n", Options{}, "one, bad 3, three"},
		"a.txt":     {"some text with\x00 a zero byte in it", Options{}, "some text with\x00 a zero byte in it"},
		"b.txt":     {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00>\x00\x01\x00", Options{}, "bad 0"},
		"a.json":    {"[{\"text\":\"one\"},{\"text\":\"t\x00wo\"}]", Options{}, "one, bad 2"},
		"a.lines":   {"one\ntwo \x00 and more of it so that there are few zeros\nthree", Options{Format: Lines}, "one, bad 2, three"},
		"a.unknown": {"one\ntwo \x00 and more", Options{}, "bad 0"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open([]string{path}, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for doc, err := range r.Documents() {
			if bad := (*BadError)(nil); errors.As(err, &bad) {
				got = append(got, fmt.Sprint("bad ", bad.Line))
			} else if err != nil {
				t.Fatal(err)
			} else {
				got = append(got, string(doc.Text))
			}
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// Nothing of a directory disappears: what is not read is listed, with the reason.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"d/a.txt": "text", "d/b.bin": "\x00\x01", "d/c.pdf": "%PDF-1.7", "d/d.xlsx": "PK\x03\x04", "d/e": "\x89PNG\r\n\x1a\n", "d/f.csv": "no,columns\n",
		"d/g.txt": "\x00\x00\x00",
	} {
		if err := os.MkdirAll("d", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.txt", "d/link"); err != nil {
		t.Skip(err)
	}
	if err := os.Rename(namedPipe(t), "d/pipe"); err != nil {
		t.Fatal(err)
	}
	r, err := Open([]string{"d"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	reported, documents := 0, 0
	for _, err := range r.Documents() {
		if err != nil {
			reported++
		} else {
			documents++
		}
	}
	reasons := map[string]error{"d/b.bin": ErrBinary, "d/c.pdf": ErrPDF, "d/d.xlsx": ErrOffice, "d/e": ErrPicture, "d/g.txt": ErrBinary, "d/link": ErrLink, "d/pipe": ErrIrregular}
	for _, l := range r.LeftOut() {
		if l.Path == "d/f.csv" {
			if !l.Reported {
				t.Errorf("%+v", l)
			}
			continue
		}
		if why := reasons[l.Path]; why == nil || !errors.Is(l.Why, why) || l.Reported {
			t.Errorf("%+v, want %v", l, why)
		}
		delete(reasons, l.Path)
	}
	if len(reasons) > 0 || documents != 1 || reported != 1 || len(r.Files()) != 7 || r.Binary() != 5 || r.Convertible() != 2 || r.Pictures() != 1 {
		t.Errorf("%v are not left out; %d documents, %d reported, %d binary", reasons, documents, reported, r.Binary())
	}
}
