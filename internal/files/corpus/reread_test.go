package corpus

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/files/document"
	"simsearch/internal/tests/testkit"
)

// A yielded is a document with its text, as a Reader has yielded it.
type yielded struct {
	from document.Origin
	text string
}

// readOrigins returns all documents of inputs that have texts.
func readOrigins(t testing.TB, inputs []string, o Options) (all []yielded) {
	t.Helper()
	o.Lenient = true
	r, err := Open(inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		switch {
		case errors.As(err, new(*BadError)):
		case err != nil:
			t.Fatal(err)
		case !doc.HasFingerprint:
			all = append(all, yielded{doc.Origin, string(doc.Text)})
		case doc.Origin != document.Origin{}:
			t.Errorf("%s: a fingerprint at %v", doc.ID, doc.Origin)
		}
	}
	return all
}

// checkReread reads all texts again, forwards and, if there are few, backwards.
func checkReread(t *testing.T, all []yielded, o Options) {
	t.Helper()
	r, err := NewRereader(o)
	if err != nil {
		t.Fatal(err)
	}
	check := func(y yielded) {
		text, err := r.Text(y.from)
		if err != nil || string(text) != y.text {
			t.Errorf("%+v: %.100q, %v, want %.100q", y.from, text, err, y.text)
		}
	}
	for _, y := range all {
		check(y)
	}
	for i := 0; i < len(all) && len(all) < 1000; i++ {
		check(all[len(all)-1-i])
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// What a Rereader returns is what a Reader has yielded, in every format and compression, from any
// working directory.
func TestReread(t *testing.T) {
	long := strings.Repeat("long ", bufferSize)
	for _, tt := range []struct {
		name, file, text string
		o                Options
		want             int
	}{
		{"a text", "a", "one\r\ntwo\n", Options{}, 1},
		{"a text behind a byte order mark", "a.txt", "\ufeff" + long, Options{}, 1},
		{"an empty text", "a", "", Options{}, 1},
		{"a page", "a.html", "\ufeff<title>A &amp; B</title><p>c<b>d</b>", Options{}, 1},
		{"lines", "a", "\ufeffone\r\n\n" + long + "\r\n" + long + "x\nlast", Options{Format: Lines}, 5},
		{"records", "a.jsonl", "\ufeff" + `{"id":"x","text":"a\tb\u00e9"}` + "\n\n [1]\n\t" + `{"text":"` + long + `"} ` + "\r\n{\n" + `{"id":8,"text":""}`, Options{}, 3},
		{"records of other fields", "a.jsonl", `{"i":{"d":"x\u0020"},"a":"A\n","b":{"c":"C"}}` + "\n" + `{"i":{"d":"y"},"b":{"c":"\u0043"}}`, Options{IDField: "i.d", TextField: "a,b.c"}, 2},
		{"an array", "a.json", "\ufeff[" + `{"id":"x","text":"a\tb"} ,` + "\n\n[1],7,\t" + `{"text":"` + long + `"} ` + "\r\n" + `, {"text":""}` + "\n]", Options{}, 3},
		{"objects", "a.json", "{\n" + `"text": "x"}{"text": "y"}` + "\n" + `{"text": "z"}`, Options{}, 3},
		{"one object", "a.json", " {\n" + `"text": "x"}`, Options{}, 1},
		{"sets", "a", "x\ta b c\ny\tc\td\r\n\nz", Options{Format: Sets}, 2},
		{"texts and fingerprints", "a.jsonl", `{"text":null,"f":"0000000000000001"}` + "\n" + `{"text":"x"}`, Options{FingerprintField: "f"}, 1},
		{"a table", "a.csv", "\ufefftext,n,id\r\none,1,a\r\n\n\"two\n\"\"2\"\"\",2,b\r\nragged\n" + long + ",3,c\nlast,4,d", Options{}, 4},
		{"a table with tabs", "a.tsv", "id\ttext\n1\ta\n2\t" + long + "\n3\t\n", Options{}, 3},
		{"a table of other columns", "a", "n;a.b;body\n1;x;y\n2;;\n3;;\"z;\"\n", Options{Format: CSV, TextField: "body,a.b", IDField: "n"}, 3},
		{"a crawl", "a.warc", record("warcinfo", "x") + record("conversion", "one") + record("conversion", long) + record("response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a<b>b</b>"), Options{}, 3},
		{"fingerprints", "a", "0000000000000001", Options{Format: Fingerprints}, 0},
		{"functions", "a.js", "\ufeff// one\r\nfunction f(x) {\r\n  return g(x)\r\n}\n\nconst h = (x) => { return x + `" + long + "` }; class A { i() { j(1, 2, 3) } }", Options{Format: Code, Tokens: 10}, 3},
	} {
		contents := map[string]string{"": tt.text, ".gz": gzipped(tt.text), ".zst": zstdCompressed(t, tt.text[:len(tt.text)/2]) + zstdCompressed(t, tt.text[len(tt.text)/2:])}
		for extension, data := range contents {
			t.Run(tt.name+extension, func(t *testing.T) {
				name := tt.file + extension
				files(t, map[string]string{"d/" + name: data, "e/f": ""})
				all := readOrigins(t, []string{"d/" + name}, tt.o)
				if len(all) != tt.want {
					t.Fatalf("%d texts, want %d", len(all), tt.want)
				}
				t.Chdir("e")
				if again := readOrigins(t, []string{"../d/" + name}, tt.o); !slices.Equal(again, all) {
					t.Errorf("another working directory: %.200v, want %.200v", again, all)
				}
				checkReread(t, all, tt.o)
			})
		}
	}
}

func TestRereadRealFiles(t *testing.T) {
	testkit.Long(t, "real collections")
	dir := testkit.Dev(t, "aclimdb", "spdx-licenses")
	for input, o := range map[string]Options{filepath.Join(dir, "aclimdb"): {}, filepath.Join(dir, "spdx-licenses"): {}, "../../../docs": {Format: HTML}} {
		all := readOrigins(t, []string{input}, o)
		if len(all) < 5 {
			t.Errorf("%s: only %d texts", input, len(all))
		}
		checkReread(t, all, o)
	}
}

// What is read once has no origin.
func TestNoOrigin(t *testing.T) {
	all := readOrigins(t, []string{"-"}, Options{Stdin: strings.NewReader("a\nb"), Format: Lines})
	if len(all) != 2 || all[0].from != (document.Origin{}) || all[1].from != (document.Origin{}) {
		t.Errorf("standard input: %v", all)
	}
	files(t, map[string]string{"a": "A"})
	all = readOrigins(t, []string{"a", "-", "a"}, Options{Stdin: strings.NewReader("a\nb")})
	if len(all) != 3 || all[0].from.Path == "" || all[1].from != (document.Origin{}) || all[2].from != all[0].from {
		t.Errorf("standard input between files: %v", all)
	}
}

// The path of an origin is where the system finds the file, through links, too.
func TestPathOfOrigin(t *testing.T) {
	files(t, map[string]string{"real/d/a": "A", "real/b": "B", "b": "another B", "real/d/c..d/a": "dots"})
	if err := os.Symlink("real/d", "link"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	root := must(os.Getwd())
	for _, tt := range []struct{ dir, path, want string }{
		{"", "link/a", "link/a"}, {"", "real/../b", "b"}, {"", "link/../b", "real/b"}, {"", root + "/link/../b", "real/b"},
		{"link", "../b", "real/b"}, {"link", "../../b", "b"}, {"link", "./a", "link/a"}, {"link", "c..d/a", "link/c..d/a"}, {"real/d", "../../link/a", "link/a"},
	} {
		t.Chdir(filepath.Join(root, tt.dir))
		t.Setenv("PWD", filepath.Join(root, tt.dir))
		all := readOrigins(t, []string{tt.path}, Options{})
		if want := (filepath.Join(root, tt.want)); len(all) != 1 || all[0].from.Path != want {
			t.Errorf("%s in %q: %+v, want %s", tt.path, tt.dir, all, want)
		}
		checkReread(t, all, Options{})
	}
}

// The error tells what has become of a source.
func TestRereadErrors(t *testing.T) {
	record := `{"text":"aa"}`
	files(t, map[string]string{"a.jsonl": record + "\n" + record, "a.gz": gzipped("one\ntwo\n"), "cut.gz": gzipped(strings.Repeat("one\ntwo\n", 1000))[:25], "no.gz": "\x01 is no gzip", "no.bz2": "\x01 is no bzip2", "number.jsonl": `{"text":7}`, "secret": "x", "d/f": "x", "set": "a b"})
	root := must(os.Getwd())
	at := func(path, format string, offset, length int64) document.Origin {
		return document.Origin{Path: filepath.Join(root, path), Format: format, Offset: offset, Length: length}
	}
	for _, tt := range []struct {
		from document.Origin
		want error  // that the error wraps
		says string // part of the error
	}{
		{at("nothing", "text", 0, 0), fs.ErrNotExist, ""},
		{at("nothing/in/here", "lines", 0, 1), fs.ErrNotExist, ""},
		{at("secret/in/here", "lines", 0, 1), fs.ErrNotExist, ""},
		{at("secret/x", "text", 0, 0), fs.ErrNotExist, ""},
		{at("d", "text", 0, 0), ErrChanged, "no file"},
		{at("d", "lines", 0, 1), ErrChanged, "no file"},
		{at("a.jsonl", "lines", 20, 8), ErrChanged, "another text"},
		{at("a.jsonl", "lines", 1<<62, 1), ErrChanged, "ends before"},
		{at("a.jsonl", "lines", 0, 21), ErrTooLong, ""},
		{at("a.jsonl", "lines", 0, 1<<62), ErrTooLong, ""},
		{at("a.jsonl", "jsonl", 1, 12), ErrChanged, "not JSON"},
		{at("a.jsonl", "jsonl", 8, 4), ErrChanged, "want an object"},
		{at("a.jsonl", "json", 0, 13), nil, ""},
		{at("a.jsonl", "json", 0, 14), ErrChanged, "another text"},
		{at("a.jsonl", "json", 13, 1), ErrChanged, "ends before"},
		{at("a.jsonl", "json", 0, 0), ErrChanged, "ends before"},
		{at("a.jsonl", "jsonl", 0, 20), ErrChanged, "another text"},
		{at("a.jsonl", "sets", 0, 13), ErrChanged, "no tab"},
		{at("a.jsonl", "text", 0, 0), ErrTooLong, ""},
		{at("a.gz", "lines", 4, 3), nil, ""},
		{at("a.gz", "lines", 4, 9), ErrChanged, "another text"},
		{at("a.gz", "lines", 1<<62, 9), ErrChanged, "ends before"},
		{at("cut.gz", "lines", 4000, 3), ErrChanged, "ends before"},
		{at("no.gz", "text", 0, 0), nil, "gzip"},
		{at("no.gz", "lines", 0, 1), nil, "gzip"},
		{at("no.bz2", "lines", 0, 1), nil, "bzip2"},
		{at("number.jsonl", "jsonl", 0, 10), ErrChanged, "want a string"},
		{at("secret", "lines", -1, 1), nil, "not a place"},
		{at("secret", "lines", 0, -1), nil, "not a place"},
		{at("secret", "fingerprints", 0, 1), nil, "no texts"},
		{at("secret", "auto", 0, 1), nil, "no texts"},
		{document.Origin{}, nil, "unknown format"},
	} {
		r, err := NewRereader(Options{MaxDocument: 20})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // an error does not change what comes
			text, err := r.Text(tt.from)
			switch {
			case tt.want == nil && tt.says == "":
				if err != nil {
					t.Errorf("%+v: %v", tt.from, err)
				}
			case tt.want != nil && !errors.Is(err, tt.want) || err == nil || !strings.Contains(err.Error(), tt.says):
				t.Errorf("%+v: %q, %v, want %v", tt.from, text, err, tt.want)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := NewRereader(Options{Context: ctx})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []document.Origin{at("secret", "text", 0, 0), at("secret", "lines", 0, 1), at("nothing", "text", 0, 0)} {
		if _, err := r.Text(from); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v, want the cause of the context", from, err)
		}
	}
}

// A text of several fields may be longer than its record.
func TestRereadTextOfFieldsIsBounded(t *testing.T) {
	record := `{"text":"aaaaaaa"}`
	files(t, map[string]string{"a.jsonl": record})
	for fields, want := range map[string]error{"text,text": nil, "text,text,text": ErrTooLong} {
		r, err := NewRereader(Options{MaxDocument: 20, TextField: fields})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := r.Text(document.Origin{Path: "a.jsonl", Format: "jsonl", Length: int64(len(record))}); !errors.Is(err, want) {
			t.Errorf("%s: %q, %v, want %v", fields, text, err, want)
		}
	}
	if _, err := NewRereader(Options{TextField: "a,"}); err == nil {
		t.Error("a field without a name: no error")
	}
}

// A pipe that stands where a file was is not waited for.
func TestRereadDoesNotWait(t *testing.T) {
	pipe := namedPipe(t)
	r, err := NewRereader(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "lines"} {
		if _, err := r.Text(document.Origin{Path: pipe, Format: format, Length: 1}); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// A length that is wrong does not take memory that the file does not fill.
func TestRereadIsBounded(t *testing.T) {
	files(t, map[string]string{"a": "A", "a.gz": gzipped("A")})
	for _, name := range []string{"a", "a.gz"} {
		took := allocated(func() {
			r, err := NewRereader(Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Text(document.Origin{Path: name, Format: "lines", Length: 60e6}); !errors.Is(err, ErrChanged) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if took > 5e6 {
			t.Errorf("%s: %d bytes", name, took)
		}
	}
}

// Texts in ascending order are read from a compressed file in one pass.
func TestRereadInOrderDecompressesOnce(t *testing.T) {
	text := strings.Repeat("a line of text\n", 20000)
	data := gzipped(text)
	files(t, map[string]string{"a.gz": data})
	all := readOrigins(t, []string{"a.gz"}, Options{Format: Lines})
	r, err := NewRereader(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range all {
		if _, err := r.Text(y.from); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.r.done.Load(); got > int64(len(data)) {
		t.Errorf("%d bytes of %d were read", got, len(data))
	}
}

// Whatever an origin says, there is no panic, and no text that is longer than the limit.
func FuzzReread(f *testing.F) {
	f.Add([]byte(`{"text":"aa"}`+"\nx"), uint8(JSONL), uint8(0), int64(0), int64(13))
	f.Add([]byte(`[{"text":"aa"},{}]`), uint8(JSON), uint8(1), int64(15), int64(2))
	f.Add([]byte("a\tb"), uint8(Sets), uint8(2), int64(1), int64(2))
	f.Add([]byte("id,text\n1,\"a\n\"\n"), uint8(CSV), uint8(1), int64(8), int64(6))
	f.Add([]byte("text\tb\na\tb\n"), uint8(TSV), uint8(2), int64(7), int64(3))
	f.Add([]byte(record("conversion", "a")), uint8(WARC), uint8(0), int64(0), int64(142))
	f.Add([]byte("PAR1"), uint8(Parquet), uint8(0), int64(0), int64(1))
	f.Add([]byte("\ufeff<p>a"), uint8(HTML), uint8(0), int64(1<<62), int64(-1))
	f.Fuzz(func(t *testing.T, data []byte, format, how uint8, offset, length int64) {
		path := filepath.Join(t.TempDir(), "f"+[]string{"", ".gz", ".zst"}[how%3])
		contents := data
		switch how % 6 { // else data stands for a compressed file
		case 1:
			contents = []byte(gzipped(string(data)))
		case 2:
			contents = []byte(zstdCompressed(t, string(data)))
		}
		if err := os.WriteFile(path, contents, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := NewRereader(Options{MaxDocument: 1000, Memory: 1, TextField: []string{"text", "text,b"}[how%2]})
		if err != nil {
			t.Fatal(err)
		}
		from := document.Origin{Path: path, Format: Format(format % uint8(len(kinds))).String(), Offset: offset, Length: length}
		text, err := r.Text(from)
		if limit := 1000; from.Format != "html" && from.Format != "warc" && len(text) > limit || len(text) > 8*limit+8 {
			t.Errorf("%d bytes", len(text))
		}
		if from.Format == "lines" && err == nil && (how%6 < 3) && !bytes.Equal(text, data[offset:offset+length]) {
			t.Errorf("%q, want %q", text, data[offset:offset+length])
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
