package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadByContent(t *testing.T) {
	const (
		lines = `{"id":"x","text":"A"}` + "\n" + `{"text":"B"}` + "\n"
		array = "[\n {\"id\": \"x\", \"text\": \"A\"},\n {\"text\": \"B\"}\n]\n"
		one   = "{\n \"text\": \"A\"\n}\n"
		other = "{\n \"name\": \"A\"\n}\n"
	)
	long := strings.Repeat("x", 2*bufferSize)
	for _, tt := range []struct {
		name   string
		files  map[string]string
		inputs []string
		o      Options
		stdin  string
		want   []string
		told   []string
	}{
		{name: "JSON Lines of standard input", inputs: []string{"-"}, stdin: lines, want: []string{"x=A", "-#2=B"}, told: []string{"- jsonl"}},
		{name: "an array of standard input", inputs: []string{"-"}, stdin: array, want: []string{"x=A", "-#2=B"}, told: []string{"- json"}},
		{name: "one object of standard input", inputs: []string{"-"}, stdin: one, want: []string{"-#1=A"}, told: []string{"- json"}},
		{name: "numbers go on", inputs: []string{"-"}, stdin: array, o: Options{StdinFirst: 5}, want: []string{"x=A", "-#6=B"}, told: []string{"- json"}},
		{name: "one line of text", inputs: []string{"-"}, stdin: "a text\n", want: []string{"-=a text\n"}},
		{name: "lines of text", inputs: []string{"-"}, stdin: "a\nb\n", want: []string{"-=a\nb\n"}, told: []string{"- text"}},
		{name: "a long record", inputs: []string{"-"}, stdin: `{"text":"` + long + `"}` + "\n" + `{"text":"B"}`, want: []string{"-#1=" + long, "-#2=B"}, told: []string{"- jsonl"}},
		{name: "a long text", inputs: []string{"-"}, stdin: "a\n" + long, want: []string{"-=a\n" + long}, told: []string{"- text"}},
		{name: "JSON files", files: map[string]string{"a.json": array, "b.json": lines, "c.json": one, "d.JSON.gz": gzipped(array)},
			inputs: []string{"a.json", "b.json", "c.json", "d.JSON.gz"},
			want:   []string{"x=A", "a.json#2=B", "x=A", "b.json#2=B", "c.json=A", "x=A", "d.JSON.gz#2=B"},
			told:   []string{"a.json json", "b.json jsonl", "c.json json", "d.JSON.gz json"}},
		{name: "in a directory, they need a text",
			files:  map[string]string{"d/a.json": array, "d/b.json": other, "d/c.json": "[" + other + "]", "d/d.json": "// JSON?\n{}", "d/e.json": "[]", "d/f.json": `[{"text":"` + long + `"}]`},
			inputs: []string{"d"},
			want:   []string{"x=A", "d/a.json#2=B", "d/b.json=" + other, "d/c.json=[" + other + "]", "d/d.json=// JSON?\n{}", "d/e.json=[]", "d/f.json#1=" + long},
			told:   []string{"d/a.json json", "d/b.json text", "d/c.json text", "d/d.json text", "d/e.json text", "d/f.json json"}},
		{name: "a named file must have it", files: map[string]string{"a.json": other}, inputs: []string{"a.json"},
			want: []string{`!! a.json: no field "text"; the record has name`}, told: []string{"a.json json"}},
		{name: "and must be JSON", files: map[string]string{"a.json": "{'a': 1}", "b.json": "text"}, inputs: []string{"a.json", "b.json"},
			want: []string{`! a.json: not JSON: want a name in quotes`, `! b.json: not JSON: 't' where an object should begin`}, told: []string{"a.json json", "b.json json"}},
		{name: "files of other names", files: map[string]string{"part-0": lines, "part-1": "a\nb\n", "x.lock": one, "x.txt": lines, "x.geojson": "[" + other + "]"},
			inputs: []string{"."},
			want:   []string{"x=A", "part-0#2=B", "part-1=a\nb\n", "x.geojson=[" + other + "]", "x.lock=" + one, "x.txt=" + lines},
			told:   []string{"part-0 jsonl", "x.txt text, not jsonl"}},
		{name: "fields are those of JSON", files: map[string]string{"d/a.jsonl": lines, "d/b.txt": "B", "c.txt": "C"}, inputs: []string{"d", "c.txt"}, o: Options{IDField: "id", TextField: "text"},
			want: []string{"x=A", `! d/a.jsonl:2: no field "id"`, "d/b.txt=B", "c.txt=C"}},
		{name: "and those of standard input", inputs: []string{"-"}, stdin: "a text", o: Options{TextField: "body"},
			want: []string{"-=a text"}},
		{name: "a list of files", files: map[string]string{"a": "A", "d/b": "B"}, inputs: []string{"-"}, stdin: "a\r\nd/b\n", want: []string{"!! standard input: its lines are names of files"}},
		{name: "a list with NUL", files: map[string]string{"a\nb": "A"}, inputs: []string{"-"}, stdin: "a\nb\x00", want: []string{"!! standard input: its lines are names of files"}},
		{name: "no list", files: map[string]string{"a": "A"}, inputs: []string{"-"}, stdin: "a\nb\n", want: []string{"-=a\nb\n"}, told: []string{"- text"}},
		{name: "the user knows", files: map[string]string{"a": "A"}, inputs: []string{"-"}, stdin: "a\n", o: Options{Format: Text}, want: []string{"-=a\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files(t, tt.files)
			for _, stdin := range []io.Reader{
				strings.NewReader(tt.stdin),
				iotest.OneByteReader(strings.NewReader(tt.stdin)),
				iotest.DataErrReader(strings.NewReader(tt.stdin)),
			} {
				o := tt.o
				o.Stdin = stdin
				var told []string
				o.Decided = func(d Decision) {
					line := fmt.Sprintf("%s %s", d.Path, d.Format)
					if d.Looks != d.Format {
						line += fmt.Sprintf(", not %s", d.Looks)
					}
					told = append(told, line)
				}
				r, err := Open(tt.inputs, o)
				if err != nil {
					t.Fatal(err)
				}
				got := readAll(t, r)
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %.300q\nwant %.300q", got, tt.want)
				}
				if !slices.Equal(told, tt.told) {
					t.Errorf("told %q, want %q", told, tt.told)
				}
			}
		})
	}
}

// The first record is answered before the second one is written.
func TestSniffingDoesNotWaitForTheSecondRecord(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	r, err := Open([]string{"-"}, Options{Stdin: from})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := fmt.Fprintf(to, `{"text":"%d"}`+"\n", i); err != nil {
			t.Fatal(err)
		}
		for doc, err := range r.Documents() {
			if err != nil || string(doc.Text) != fmt.Sprint(i) {
				t.Fatalf("%v, %v, want text %d", doc, err, i)
			}
			break
		}
	}
	_ = to.Close()
}

func TestFieldsNeedRecords(t *testing.T) {
	if _, err := Open([]string{"-"}, Options{Format: Lines, IDField: "nr"}); !errors.Is(err, ErrFields) {
		t.Errorf("lines with a field: %v", err)
	}
	for _, format := range []Format{Auto, Lines} {
		r, err := Open([]string{"-"}, Options{Format: format, IDField: "nr", FieldsOptional: true, Stdin: strings.NewReader("a")})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); len(got) != 1 || !strings.HasSuffix(got[0], "=a") {
			t.Errorf("%s with a field that is optional: %q", format, got)
		}
	}
}

// A large .json file of a directory that is no record, such as a table of a program, is a text.
func TestLargeJSONOfADirectoryIsAText(t *testing.T) {
	object := `{"miscs": [` + strings.Repeat(`{"name": "a"}, `, bufferSize/8) + `{}]}`
	files(t, map[string]string{"d/big.json": object, "d/records.jsonl": `{"text": "` + strings.Repeat("word ", bufferSize) + `"}`})
	r, err := Open([]string{"d"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for doc, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %d", doc.ID, len(doc.Text)))
	}
	if want := []string{fmt.Sprintf("d/big.json %d", len(object)), fmt.Sprintf("d/records.jsonl#1 %d", 5*bufferSize)}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// First bytes say what a file is, whatever it is called.
func TestFirstBytes(t *testing.T) {
	parquet, err := os.ReadFile("../../../testdata/formats/parquet.parquet")
	arrow, err2 := os.ReadFile("../../../testdata/formats/arrow.arrows")
	docx, err3 := os.ReadFile("../../../testdata/formats/office.docx")
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	tar := strings.Repeat("\x00", 257) + "ustar\x0000"
	for _, tt := range []struct{ name, data, want string }{
		{"a.jsonl", gzipped("{\"text\":\"one\"}\n"), "one"},
		{"a.txt", zstdCompressed(t, "one"), "one"},
		{"a.arrows", "# settings of readline\nset editing-mode vi\n", "# settings of readline\nset editing-mode vi\n"},
		{"a.parquet", "id,text\n1,one\n", "one"},
		{"a.csv", string(parquet), ""},
		{"a.jsonl", string(arrow), ""},
		{"a", string(docx), ""},
		{"USAGE", "From 10:30 on 1 May 2024 the tool is called so:\nUsage: tool FILE\n\nIt reads FILE.\n", "From 10:30 on 1 May 2024 the tool is called so:\nUsage: tool FILE\n\nIt reads FILE.\n"},
		{"a.tar", tar, "! a tar archive, and no text: unpack it first, by tar -xf"},
		{"a.tar.gz", gzipped(tar), "! a tar archive, and no text: unpack it first, by tar -xf"},
		{"a.csv", "7z\xbc\xaf\x27\x1c\x00\x04", "! a 7z archive, and no text: unpack it first, by 7z x"},
		{"a.rar", "Rar!\x1a\x07\x00", "! a RAR archive, and no text: unpack it first, by unrar x"},
		{"a.zip", "PK\x03\x04\x14words", "! a zip archive, and no text: unpack it first, by unzip"},
		{"a.lzma", "]\x00\x00\x80\x00\xff\xff", "! a file in LZMA, which is not read, and no text: decompress it first, by xz --format=lzma -dc"},
		{"a.arc", "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 73\n", "! a crawl in ARC, which is not read, and no text: make it a WARC first, such as by arc2warc"},
		{"a.rtf", "{\\rtf1\\ansi words}", "! a document in RTF, and no text"},
		{"a.docx", "{\\rtf1\\ansi words}", "! a document in RTF, and no text"},
		{"a.epub", "PK\x03\x04\x14\x00mimetypeapplication/epub+zip", "! a book in EPUB, and no text"},
		{"a.csv", "PK\x03\x04\x14\x00\x06\x00xl/workbook.xml", "! a workbook of Excel, and no text"},
		{"a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "! a document of Microsoft Office before 2007, and no text"},
		{"a.jsonl", "%PDF-1.7\n", "! a PDF, and no text"},
		{"a.txt", "\x00\x00\x00\x1cftypavif\x00", "! a picture in AVIF, and no text"},
		{"a.db", "SQLite format 3\x00", "! an SQLite database, and no text: write its rows as JSON or CSV first"},
		{"a.data", strings.Repeat("\xc3\x01\xff\x02w", 20), "! " + errControls.Error()},
		{"a.txt", "\xc3\x01 caf\xe9", "\u00c3\x01 café"}, // a code page, with one character of control
	} {
		files(t, map[string]string{tt.name: tt.data})
		r, err := Open([]string{tt.name}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for doc, err := range r.Documents() {
			got := ""
			if bad, ok := errors.AsType[*BadError](err); ok {
				got = "! " + bad.Err.Error()
			} else if err != nil {
				t.Fatal(tt.name, err)
			} else {
				got = string(doc.Text)
			}
			if n++; tt.want != "" && got != tt.want || strings.HasPrefix(got, "!") && tt.want == "" {
				t.Errorf("%s, %.20q: %q, want %q", tt.name, tt.data, got, tt.want)
			}
		}
		if n == 0 || tt.want != "" && n > 1 {
			t.Errorf("%s, %.20q: %d documents", tt.name, tt.data, n)
		}
	}
}
