package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
)

// readAll returns "id=text" or "id=fingerprint" for each document, and "! error" for each bad one.
func readAll(t testing.TB, r *Reader) []string {
	t.Helper()
	var out []string
	var doc document.Document
	for {
		err := r.readDocument(&doc)
		switch {
		case errors.Is(err, io.EOF):
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			return out
		case errors.As(err, new(*BadError)):
			out = append(out, "! "+err.Error())
		case err != nil:
			return append(out, "!! "+err.Error())
		case doc.HasFingerprint:
			text := fmt.Sprintf("%s=%x", doc.ID, doc.Fingerprint)
			if r.bits > 64 {
				l := doc.Long()
				text = fmt.Sprintf("%s=%s", doc.ID, prints.Format(&l, r.bits))
			}
			out = append(out, text)
		default:
			out = append(out, fmt.Sprintf("%s=%s", doc.ID, doc.Text))
		}
	}
}

// files writes a map from name to contents into a temporary directory, and makes that the working
// directory.
func files(t testing.TB, contents map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range contents {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func zstdCompressed(t testing.TB, s string) string {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(e.EncodeAll([]byte(s), nil))
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 3*bufferSize)
	for _, tt := range []struct {
		name   string
		files  map[string]string
		inputs []string
		o      Options
		stdin  string
		want   []string
	}{
		{
			name:   "a directory, lexically, without hidden files",
			files:  map[string]string{"d/b.txt": "B", "d/a.md": "A", "d/sub/c": "C", "d/.git/x": "X", "d/.hidden": "H"},
			inputs: []string{"d"},
			want:   []string{"d/a.md=A", "d/b.txt=B", "d/sub/c=C"},
		},
		{
			name:   "hidden files on request",
			files:  map[string]string{"d/.git/x": "X", "d/a": "A"},
			inputs: []string{"d"}, o: Options{Hidden: true},
			want: []string{"d/.git/x=X", "d/a=A"},
		},
		{
			name:   "binary files in a directory are passed over, named ones are bad",
			files:  map[string]string{"d/a": "A", "d/b": "B\x00"},
			inputs: []string{"d", "d/b"},
			want:   []string{"d/a=A", "! d/b: not text: it has a zero byte near its beginning"},
		},
		{
			name:   "lines of any length and end",
			files:  map[string]string{"a.txt": "one\r\n\n" + long + "\nlast"},
			inputs: []string{"a.txt"}, o: Options{Format: Lines},
			want: []string{"a.txt#1=one", "a.txt#2=", "a.txt#3=" + long, "a.txt#4=last"},
		},
		{
			name:   "byte order mark",
			files:  map[string]string{"a": "\ufeffone\ntwo"},
			inputs: []string{"a"}, o: Options{Format: Lines},
			want: []string{"a#1=one", "a#2=two"},
		},
		{
			name:   "JSON lines",
			files:  map[string]string{"a.jsonl": `{"id":"x","text":"a\tb\u00e9"}` + "\n\n" + `{"id":7,"text":""}` + "\n" + `{"text":"c"}`},
			inputs: []string{"a.jsonl"},
			want:   []string{"x=a\tbé", "7=", "a.jsonl#4=c"},
		},
		{
			name:   "nested and dotted fields",
			files:  map[string]string{"a.jsonl": `{"meta":{"key":"x"},"body":{"en":"a"}}` + "\n" + `{"meta.key":"y","body":{"en":"b"}}`},
			inputs: []string{"a.jsonl"}, o: Options{IDField: "meta.key", TextField: "body.en"},
			want: []string{"x=a", "y=b"},
		},
		{
			name: "bad JSON lines",
			files: map[string]string{"a.jsonl": strings.Join([]string{
				`{"text":"good"}`, `{"text":"x"`, `[1]`, `{"text":5}`, `{"id":"z"}`, `{"id":null,"text":"x"}`,
				`{"text":"x"} y`, "{\"text\":\"a\x01b\"}", `{"text":"x","n":01}`, `{"text":"also good"}`}, "\n")},
			inputs: []string{"a.jsonl"},
			want: []string{
				"a.jsonl#1=good",
				`! a.jsonl:2: not JSON: `, `! a.jsonl:3: a JSON array, want an object`,
				`! a.jsonl:4: field "text" is a number, want a string`, `! a.jsonl:5: no field "text"`,
				`! a.jsonl:6: field "id" is null, want a string or a number`,
				`! a.jsonl:7: not JSON: `, `! a.jsonl:8: not JSON: `, `! a.jsonl:9: not JSON: `,
				"a.jsonl#10=also good",
			},
		},
		{
			name: "several text fields",
			files: map[string]string{"a.jsonl": strings.Join([]string{
				`{"title":"A","body":{"en":"a\u00e9"}}`, `{"body":{"en":"b"}}`, `{"body":{"en":"c"},"title":null}`, `{"title":""}`, `{"title":null}`, `{"title":4}`, `{}`}, "\n")},
			inputs: []string{"a.jsonl"}, o: Options{TextField: "title,body.en"},
			want: []string{
				"a.jsonl#1=A\naé", "a.jsonl#2=b", "a.jsonl#3=c", "a.jsonl#4=", `! a.jsonl:5: no field "title" or "body.en"`,
				`! a.jsonl:6: field "title" is a number, want a string`, `! a.jsonl:7: no field "title" or "body.en"`},
		},
		{
			name:   "none of several text fields",
			files:  map[string]string{"a.jsonl": `{"key":1,"text":"b"}`},
			inputs: []string{"a.jsonl"}, o: Options{TextField: "title,body"},
			want: []string{`!! a.jsonl:1: no field "title" or "body"; the record has key, text`},
		},
		{
			name:   "an unknown text field",
			files:  map[string]string{"a.jsonl": `{"key":1,"body":"b"}`},
			inputs: []string{"a.jsonl"},
			want:   []string{`!! a.jsonl:1: no field "text"; the record has key, body`},
		},
		{
			name:   "an unknown id field",
			files:  map[string]string{"a.jsonl": `{"key":1,"text":"b"}`},
			inputs: []string{"a.jsonl"}, o: Options{IDField: "nr"},
			want: []string{`!! a.jsonl:1: no field "nr"; the record has key, text`},
		},
		{
			name:   "an unknown field is a bad record if the user says so",
			files:  map[string]string{"a.jsonl": `{"body":"b"}` + "\n" + `{"text":"b"}`},
			inputs: []string{"a.jsonl"}, o: Options{Lenient: true},
			want: []string{`! a.jsonl:1: no field "text"`, "a.jsonl#2=b"},
		},
		{
			name:   "fingerprints",
			files:  map[string]string{"f": "70f26225f4a2a2a9\nan id\t00AA4b8a8989abae\r\n\nx\n\t0000000000000000\ny\t12\n0000000000000000"},
			inputs: []string{"f"}, o: Options{Format: Fingerprints},
			want: []string{
				"f#1=70f26225f4a2a2a9", "an id=aa4b8a8989abae", `! f:4: "x" is not a fingerprint: want 16 hexadecimal digits, or a decimal number of at most 64 bits`,
				"! f:5: no id before the tab", `! f:6: "12" may be hexadecimal or decimal: want 16 hexadecimal digits, or 0x or a sign before it`, "f#7=0",
			},
		},
		{
			name:   "compressed files, by their first bytes or their names",
			files:  map[string]string{"a.txt.gz": gzipped("A") + gzipped("2"), "b.jsonl.zst": zstdCompressed(t, `{"text":"B"}`), "c.gz": "\x01 is not gzip at all", "e.jsonl.gz": `{"text":"E"}`, "f.jsonl": gzipped(`{"text":"F"}`), "d.txt.gz": gzipped(strings.Repeat("D", 100))[:30]},
			inputs: []string{"a.txt.gz", "b.jsonl.zst", "c.gz", "d.txt.gz", "e.jsonl.gz", "f.jsonl"},
			want:   []string{"a.txt.gz=A2", "b.jsonl.zst#1=B", "! c.gz: gzip: invalid header", "! d.txt.gz: unexpected EOF", "e.jsonl.gz#1=E", "f.jsonl#1=F"},
		},
		{
			name:   "half a line before an error is no document",
			files:  map[string]string{"a.gz": gzipped("one\ntwo\nthree")[:22], "b.gz": gzipped(long + "\n" + long)[:300]},
			inputs: []string{"a.gz", "b.gz"}, o: Options{Format: Lines},
			want: []string{"a.gz#1=one", "! a.gz: unexpected EOF", "! b.gz: unexpected EOF"},
		},
		{
			name:   "of members of one name the last counts",
			files:  map[string]string{"a": `{"id":"x","text":"a","\u0069d":"y","text":"b"}` + "\n" + `{"id":"z","m":{"t":"c"},"text":"d","m":{"t":"e","t":"f"}}` + "\n" + `{"id":7,"text":"g","id":null}`},
			inputs: []string{"a"}, o: Options{Format: JSONL},
			want: []string{"y=b", "z=d", `! a:3: field "id" is null, want a string or a number`},
		},
		{
			name:   "of nested members, too",
			files:  map[string]string{"a": `{"id":"z","m":{"t":"c"},"m":{"t":"e","\u0074":"f"},"l":["g",{"u":"h"}]}`},
			inputs: []string{"a"}, o: Options{Format: JSONL, TextField: "m.t", IDField: "l.1.u"},
			want: []string{"h=f"},
		},
		{
			name: "indexes in a directory are passed over, whatever their names",
			files: map[string]string{
				"d/a": "A", "d/idx/MANIFEST": "simsearch index 2\n{}", "d/idx/000001.seg": "S", "d/idx/sub/x": "X",
				"d/other/MANIFEST": "simsearch", "d/third/MANIFEST": "Manifest-Version: 1.0\n", "d/z": "Z",
			},
			inputs: []string{"d"},
			want:   []string{"d/a=A", "d/other/MANIFEST=simsearch", "d/third/MANIFEST=Manifest-Version: 1.0\n", "d/z=Z"},
		},
		{
			name:   "standard input is numbered on",
			inputs: []string{"-"}, stdin: "in\nput", o: Options{Format: Lines, StdinFirst: 8},
			want: []string{"-#8=in", "-#9=put"},
		},
		{
			name:   "its errors have its own lines, and other files theirs",
			files:  map[string]string{"a": `{"text":"c"}`},
			inputs: []string{"-", "a"}, stdin: "{\"text\":\"a\"}\n{}\n{\"text\":\"b\"}", o: Options{Format: JSONL, StdinFirst: 8},
			want: []string{"-#8=a", `! -:2: no field "text"`, "-#10=b", "a#1=c"},
		},
		{
			name:   "all of it may have a number",
			inputs: []string{"-"}, stdin: "in\nput", o: Options{StdinFirst: 8},
			want: []string{"-#8=in\nput"},
		},
		{
			name:   "a table is not one text",
			files:  map[string]string{"a.csv": "x,y"},
			inputs: []string{"a.csv"},
			want:   []string{`!! a.csv: no column "text"; the table has x, y`},
		},
		{
			name:   "standard input",
			files:  map[string]string{"a": "A"},
			inputs: []string{"-", "a"}, stdin: "in\nput",
			want: []string{"-=in\nput", "a=A"},
		},
		{
			name:   "standard input by line",
			inputs: []string{"-"}, stdin: "in\nput", o: Options{Format: Lines},
			want: []string{"-#1=in", "-#2=put"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files(t, tt.files)
			// The result must not depend on how the bytes arrive, or on a separate EOF.
			for _, stdin := range []io.Reader{
				strings.NewReader(tt.stdin),
				iotest.OneByteReader(strings.NewReader(tt.stdin)),
				iotest.DataErrReader(strings.NewReader(tt.stdin)),
			} {
				o := tt.o
				o.Stdin = stdin
				r, err := Open(tt.inputs, o)
				if err != nil {
					t.Fatal(err)
				}
				got := readAll(t, r)
				if len(got) != len(tt.want) {
					t.Fatalf("got %d lines, want %d:\n%.300q", len(got), len(tt.want), got)
				}
				for i, want := range tt.want {
					// The rest of the message is the JSON parser's.
					wordsOfParser := strings.HasSuffix(want, "not JSON: ") && strings.HasPrefix(got[i], want)
					if got[i] != want && !wordsOfParser {
						t.Errorf("line %d:\n got %.200s\nwant %.200s", i, got[i], want)
					}
				}
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	files(t, map[string]string{"a": ""})
	for _, tt := range []struct {
		inputs []string
		want   string
	}{
		{nil, "no input"},
		{[]string{"a", "absent"}, "cannot read absent: no such file or directory"},
		{[]string{"-", "-"}, "named twice"},
	} {
		if _, err := Open(tt.inputs, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.inputs, err, tt.want)
		}
	}
	files(t, map[string]string{"idx/MANIFEST": "simsearch index 2\n{}"})
	if _, err := Open([]string{"idx"}, Options{}); err == nil || !strings.Contains(err.Error(), "idx is an index of simsearch, and no collection: name the documents") {
		t.Errorf("an index: %v", err)
	}
	if _, err := Open([]string{"a"}, Options{FingerprintBits: 16}); err == nil {
		t.Error("fingerprints of 16 bits: no error")
	}
}

func TestUnreadableFiles(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	files(t, map[string]string{"d/a": "A", "d/b": "B", "d/c": "C"})
	if err := os.Chmod("d/b", 0); err != nil {
		t.Fatal(err)
	}
	r, err := Open([]string{"d"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"d/a=A", "! d/b: cannot open: permission denied", "d/c=C"}
	if got := readAll(t, r); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := Open([]string{"d/b"}, Options{}); err == nil || !strings.Contains(err.Error(), "cannot read d/b: permission denied") {
		t.Errorf("a named file: %v", err)
	}
}

// A file that vanishes between listing and reading is one bad file.
func TestVanishedFile(t *testing.T) {
	files(t, map[string]string{"d/a": "A", "d/b": "B"})
	r, err := Open([]string{"d"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove("d/a"); err != nil {
		t.Fatal(err)
	}
	want := []string{"! d/a: cannot open: no such file or directory", "d/b=B"}
	if got := readAll(t, r); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgress(t *testing.T) {
	files(t, map[string]string{"d/a": "AAAA", "d/b": "BB"})
	r, err := Open([]string{"d"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if done, total := r.Progress(); done != 0 || total != 6 {
		t.Errorf("before: %d of %d bytes", done, total)
	}
	readAll(t, r)
	if done, total := r.Progress(); done != 6 || total != 6 {
		t.Errorf("after: %d of %d bytes", done, total)
	}
}

func TestFormatNames(t *testing.T) {
	for f := Auto; f <= JSON; f++ {
		if got, err := ParseFormat(f.String()); err != nil || got != f {
			t.Errorf("ParseFormat(%q) = %v, %v", f.String(), got, err)
		}
	}
	if _, err := ParseFormat("pdf"); err == nil || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("an unknown format: %v", err)
	}
}

func BenchmarkRead(b *testing.B) {
	var data bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&data, `{"id":"doc-%d","text":"%s","lang":"en"}`+"\n", i, strings.Repeat("some text with \\n escapes ", 20))
	}
	for _, format := range []Format{JSONL, Lines} {
		b.Run("format="+format.String(), func(b *testing.B) {
			b.SetBytes(int64(data.Len()))
			for b.Loop() {
				r, err := Open([]string{"-"}, Options{Format: format, Stdin: bytes.NewReader(data.Bytes())})
				if err != nil {
					b.Fatal(err)
				}
				var doc document.Document
				for r.readDocument(&doc) == nil {
				}
			}
		})
	}
}
