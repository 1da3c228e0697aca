package corpus

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/base64"
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
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
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
		"a.warc":  record("conversion", "größere \xe9 Häuser"),
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
		if n == 0 || r.Charset().String() != "UTF-8" {
			t.Errorf("%s: %d documents in %s", name, n, r.Charset().String())
		}
	}
}

// contain returns files, by their names, that have a text in a charset. A container that can name the charset in its
// header, or in its content, does it if these are not "".
func contain(t *testing.T, text string, in encoding.Encoding, header, content string) map[string]string {
	media := func(of string) string {
		if header == "" {
			return of
		}
		return of + "; charset=" + header
	}
	page := func(head string) string {
		return encode(t, in, head+"<title>Forum board news 2009</title></head><body><p>"+text+"</p></body></html>")
	}
	answer := func(of, body string) string {
		if of != "" {
			of = "Content-Type: " + media(of) + "\r\n"
		}
		return record("response", "HTTP/1.1 200 OK\r\n"+of+"\r\n"+body)
	}
	plain, meta, equivalent, xml := encode(t, in, text), "", "", ""
	if content != "" {
		meta = "<meta charset=" + content + ">"
		equivalent = `<!-- <meta charset="utf-7"> --><meta content='text/html; charset=` + content + `' http-equiv="Content-Type">`
		xml = `<?xml version="1.0" encoding="` + content + `"?>`
	}
	html := page("<html><head>" + meta)
	all := map[string]string{
		"a.warc": answer("text/html", html), "b.warc": answer("application/xhtml+xml", page(xml+"<html><head>")),
		"a.eml": "Content-Transfer-Encoding: base64\nContent-Type: " + media("text/html") + "\n\n" + base64.StdEncoding.EncodeToString([]byte(html)),
		"a.mbox": envelope + "Content-Type: multipart/alternative; boundary=x\nSubject: x\n\n--x\nContent-Transfer-Encoding: base64\nContent-Type: " +
			media("text/html") + "\n\n" + base64.StdEncoding.EncodeToString([]byte(page("<html><head>"+equivalent))) + "\n--x--\n",
	}
	if header == "" {
		all["a.html"], all["b.html"], all["a.xhtml"] = html, page("<html><head>"+equivalent), page(xml+"<html><head>")
		all["c.warc"] = answer("", html)
		all["a.docx"] = zippedAs(t, "word/document.xml", encode(t, in, xml+"<w:p xmlns:w='w'><w:t>"+text+"</w:t></w:p>"))
	}
	if content == "" {
		all["d.warc"] = answer("text/plain", plain)
		all["e.warc"] = strings.Replace(record("conversion", plain), "text/plain", media("text/plain"), 1)
		all["b.eml"] = "Content-Transfer-Encoding: base64\nContent-Type: " + media("text/plain") + "\n\n" + base64.StdEncoding.EncodeToString([]byte(plain))
	}
	return all
}

func zippedAs(t *testing.T, name, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// contained returns the texts of a file, and what is told of its charset.
func contained(t *testing.T, name, content string) (all, told string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open([]string{path}, Options{Decided: func(d Decision) { told += fmt.Sprint(d.Oddity, " ", d.Charset, " ", d.Named, "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	for doc, err := range r.Documents() {
		if err != nil {
			all += err.Error()
			continue
		}
		all += string(doc.Text) + "\n"
	}
	return all, told
}

// A text in any charset is the text that it is in UTF-8, in each container that can name its charset, and in one that
// does not if its letters tell it.
func TestAllCharsetsInAllContainers(t *testing.T) {
	t.Parallel()
	russian, greek := "Корабль уходит от старого причала каждое утро, в девять часов", "Το πλοίο φεύγει από το παλιό λιμάνι κάθε πρωί, στις εννέα"
	chinese, japan, western := "我们今天在学校学习汉语和历史", "今日は学校で日本語を勉強しました", "größere Häuser für Käufer über Straßen"
	for _, c := range []struct {
		name, text string
		encoding   encoding.Encoding
		guess      bool // its letters tell it
	}{
		{"windows-1251", russian, charmap.Windows1251, true}, {"koi8-r", russian, charmap.KOI8R, false}, {"gbk", chinese, simplifiedchinese.GBK, false},
		{"gb18030", chinese, simplifiedchinese.GB18030, false}, {"big5", "我們今天在學校學習漢語和歷史", traditionalchinese.Big5, false},
		{"iso-8859-7", greek, charmap.ISO8859_7, true}, {"EUC-KR", "배는 매일 아침 아홉 시에 낡은 부두를", korean.EUCKR, false},
		{"shift_jis", japan, japanese.ShiftJIS, false}, {"euc-jp", japan, japanese.EUCJP, false}, {"iso-2022-jp", japan, japanese.ISO2022JP, false},
		{"utf-16le", russian, wideLE, false}, {"utf-16be", russian, wideBE, false}, {"UTF-16", russian, wideBE, false}, {"utf-16", russian, wideMarked, true},
		{"ISO-8859-1", western, charmap.ISO8859_1, true}, {"utf-8", russian, unicode.UTF8, true}, {"utf-8", chinese, unicode.UTF8BOM, true},
	} {
		for by, files := range map[string]map[string]string{
			"header":  contain(t, c.text, c.encoding, c.name, ""),
			"content": contain(t, c.text, c.encoding, "", c.name),
			"neither": contain(t, c.text, c.encoding, "", ""),
		} {
			if by == "neither" && !c.guess {
				continue
			}
			for name, in8 := range contain(t, c.text, unicode.UTF8, map[bool]string{true: "utf-8"}[by == "header"], map[bool]string{true: "utf-8"}[by == "content"]) {
				got, told := contained(t, name, files[name])
				if want, _ := contained(t, name, in8); got != want || !strings.Contains(got, c.text) || strings.Contains(told, "unknown") {
					t.Errorf("%s in %s, which its %s names: %q, want %q; told %q", name, c.name, by, got, want, told)
				}
			}
		}
	}
}

// What a header says counts more than what the content says, a charset that nobody knows does not count, and both are
// told.
func TestOddCharsets(t *testing.T) {
	t.Parallel()
	const russian, western = "Корабль уходит от старого причала каждое утро", "größere Häuser für Käufer über Straßen"
	for _, tt := range []struct {
		header, content string
		in              encoding.Encoding
		text, told      string
	}{
		{"windows-1251", "utf-8", charmap.Windows1251, russian, "1 windows-1251 utf-8\n"},
		{"koi8-r", "windows-1251", charmap.KOI8R, russian, "1 koi8-r windows-1251\n"},
		{"windows-1251", "'windows-1251'", charmap.Windows1251, russian, ""},
		{"gb2312", "gbk", simplifiedchinese.GBK, "我们今天在学校", ""},
		{"windows-1251", "utf-8", unicode.UTF8BOM, russian, ""},
		{"utf-8", "windows-1252", charmap.Windows1252, western, ""},                                // either way
		{"utf-8", "windows-1251", charmap.Windows1252, "Êîðàáëü óõîäèò", "1 UTF-8 windows-1251\n"}, // letters stay letters
		{"utf-8", "", charmap.Windows1252, western, ""},
		{"x-none", "koi8-r", charmap.KOI8R, russian, "2 koi8-r x-none\n"},
		{"x-none", "", charmap.Windows1251, russian, "2 windows-1251 x-none\n"},
		{"", "x-none", unicode.UTF8, russian, "2 UTF-8 x-none\n"},
		{"", "utf-8", charmap.Windows1251, russian, "3 windows-1251 \n"},
		{"", "utf-16", unicode.UTF8, russian, ""}, // who can read it knows that it is not
		{"", "", charmap.KOI8R, "", ""},
	} {
		name := "a.warc"
		got, told := contained(t, name, contain(t, cmp.Or(tt.text, russian), tt.in, tt.header, tt.content)[name])
		if !strings.Contains(got, cmp.Or(tt.text, errCharset.Error())) || told != tt.told {
			t.Errorf("header %q, content %q: %q; told %q, want %q", tt.header, tt.content, got, told, tt.told)
		}
	}
}

// A record that does not say what it is is read if it looks like a text, and is told of otherwise.
func TestRecordsWithoutType(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"<!doctype html><p>one": "one\n", " \n<meta charset=koi8-r><p>\xcf\xc4\xc9\xce": "один\n", "plain words": "plain words\n", "\x89PNG\r\n\x1a\n\x00\x00": "told 4",
		"<?xml version='1.0'?><rss>": "told 4", "<?xml version='1.0'?>\n<html><body>one": "one\n", "%PDF-1.7": "told 4", "\xff\xfe<\x00p\x00>\x00a\x00": "a\n",
	} {
		got, told := contained(t, "a.warc", record("response", "HTTP/1.1 200 OK\r\n\r\n"+body))
		if strings.HasPrefix(told, "4") {
			got += "told 4"
		}
		if strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%q: %q, told %q, want %q", body, got, told, want)
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
	reasons := map[string]error{"d/b.bin": errBinary, "d/c.pdf": ErrPDF, "d/d.xlsx": errArchive, "d/e": ErrPicture, "d/g.txt": errBinary, "d/link": ErrLink, "d/pipe": ErrIrregular}
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
	if len(reasons) > 0 || documents != 1 || reported != 1 || len(r.Files()) != 7 || leftOut(r, IsNoText) != 5 || leftOut(r, IsConvertible) != 2 || leftOut(r, isPicture) != 1 {
		t.Errorf("%v are not left out; %d documents, %d reported, %d binary", reasons, documents, reported, leftOut(r, IsNoText))
	}
}

// A charset that is named for a text by mistake does not change the text, in each container, and is told.
func TestWrongCharsets(t *testing.T) {
	t.Parallel()
	const russian = "Корабль уходит от старого причала каждое утро"
	for _, tt := range []struct {
		named, read string
		in          encoding.Encoding
	}{
		{"iso-8859-8", "UTF-8", unicode.UTF8}, {"koi8-r", "UTF-8", unicode.UTF8}, {"macintosh", "UTF-8", unicode.UTF8}, {"gbk", "UTF-8", unicode.UTF8},
		{"iso-8859-1", "UTF-16LE", wideLE}, {"utf-8", "UTF-16BE", wideBE}, {"windows-1251", "UTF-32LE", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"utf-8", "UTF-32BE", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)}, {"iso-2022-jp", "windows-1251", charmap.Windows1251},
		{"iso-8859-11", "windows-1253", charmap.Windows1253}, {"ibm866", "", charmap.KOI8R}, {"iso-8859-8", "", charmap.KOI8R},
		{"x-user-defined", "windows-1251", charmap.Windows1251}, {"iso-2022-jp", "", japanese.EUCJP},
	} {
		text := russian
		switch tt.in {
		case charmap.Windows1253:
			text = "Το πλοίο φεύγει από το παλιό λιμάνι κάθε πρωί"
		case japanese.EUCJP:
			text = "今日は学校で日本語を勉強しました"
		}
		for by, files := range map[string]map[string]string{"header": contain(t, text, tt.in, tt.named, ""), "content": contain(t, text, tt.in, "", tt.named)} {
			if by == "content" && (strings.HasPrefix(tt.read, "UTF-16") || strings.HasPrefix(tt.read, "UTF-32") || tt.named == "x-user-defined") {
				continue // its name cannot be read, or is that of windows-1252
			}
			if strings.HasPrefix(tt.read, "UTF-32") {
				delete(files, "e.warc") // its address begins as the text does
			}
			for name, content := range files {
				got, told := contained(t, name, content)
				want, wantTold := text, fmt.Sprint(WrongCharset, " ", tt.read, " ", tt.named, "\n")
				if tt.read == "" {
					want, wantTold = errCharset.Error(), ""
				}
				if !strings.Contains(got, want) || told != wantTold && name != "a.docx" {
					t.Errorf("%s in %s, which its %s names: %q, want %q; told %q, want %q", name, tt.named, by, got, want, told, wantTold)
				}
			}
		}
	}
}

// The first type that a server names counts, however it is written, and what is no page by its bytes is counted.
func TestOddTypes(t *testing.T) {
	t.Parallel()
	const page, feed = "<html><body><p>größer", "<?xml version='1.0'?><rss><title>größer"
	for _, tt := range []struct{ contentType, body, want string }{
		{"text/html, text/html; charset=utf-8", page, "größer\n"}, {"text/html,text/html", page, "größer\n"}, {`"text/html"`, page, "größer\n"},
		{"text/html charset=windows-1252", "<p>gr\xf6\xdfer", "größer\n"},
		{"text/html;charset=koi8-r,text/html", "<p>\xcf\xc4\xc9\xce", "один\n"}, {"TEXT/HTML ; x ; charset='koi8-r'", "<p>\xcf\xc4\xc9\xce", "один\n"},
		{"html", page, "größer\n"}, {"charset=utf-8", page, "größer\n"}, {"text/xml", "<?xml version='1.0'?>" + page, "größer\n"},
		{"application/xml; charset=utf-8", page, "größer\n"}, {"application/vnd.wap.xhtml+xml", page, "größer\n"}, {"text/xml", feed, "counted"},
		{"application/rss+xml", feed, "counted"}, {"text/markdown", "# größer", "# größer\n"}, {"text/x-java; q", "\x00\x01\x02\x03", "counted"},
		{"text/css", page, ""}, {"image/svg+xml", page, ""}, {"image/png, text/html", page, ""},
	} {
		got, told := contained(t, "a.warc", record("response", "HTTP/1.1 200 OK\r\nContent-Type: "+tt.contentType+"\r\n\r\n"+tt.body))
		if strings.HasPrefix(told, fmt.Sprint(NoType)) {
			got += "counted"
		}
		if strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
			t.Errorf("%s: %q, want %q; told %q", tt.contentType, got, tt.want, told)
		}
	}
}
