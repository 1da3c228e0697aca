package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"

	"simsearch/internal/files/columns"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
)

var fields = []columns.NewColumn{{Name: "cluster", Kind: columns.Int}, {Name: "near", Kind: columns.Float}, {Name: "kept", Kind: columns.Bool}, {Name: "by, as", Kind: columns.String}}

// rewritten writes a file again by one decision for all of its documents.
func rewritten(t testing.TB, name, text string, o Options, d Decision) (string, error) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, name), filepath.Join(dir, "out", name)
	put(t, in, packed(t, in, text))
	result, err := File(found(t, in), out, o, func(*document.Document) (Decision, error) { return d, nil })
	if err != nil {
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", out, err)
		}
		return "", err
	}
	if result.Path != out {
		t.Fatalf("%+v", result)
	}
	return unpack(t, out), nil
}

// New fields stand behind the others, and nothing else changes.
func TestFields(t *testing.T) {
	values := []any{int64(-5), 0.25, true, "a \"b\"\n<c>"}
	none := []any{nil, math.NaN(), nil, nil}
	const jsonValues, jsonNone = `"cluster":-5,"near":0.25,"kept":true,"by, as":"a \"b\"\n<c>"`, `"cluster":null,"near":null,"kept":null,"by, as":null`
	for _, tt := range []struct {
		name, text string
		o          corpus.Options
		values     []any
		want       string
	}{
		{"a.jsonl", "{\"text\":\"x}\" }\r\n\nbad}\n {\"text\":\"\"}", corpus.Options{}, values, "{\"text\":\"x}\"," + jsonValues + " }\r\n\nbad}\n {\"text\":\"\"," + jsonValues + "}"},
		{"a.jsonl.gz", "{\"text\":\"x\"}\n", corpus.Options{}, none, "{\"text\":\"x\"," + jsonNone + "}\n"},
		{"a.json", "[{\n \"text\": \"x\"\n}, 7]", corpus.Options{}, values, "[{\n \"text\": \"x\"," + jsonValues + "\n}, 7]"},
		{"a.csv", "\ufeff\nid,text\r\n1,\"x\ny\"\r\n\nragged\r\n,no id\r\n2,z", corpus.Options{}, values,
			"\ufeff\nid,text,cluster,near,kept,\"by, as\"\r\n1,\"x\ny\",-5,0.25,true,\"a \"\"b\"\"\n<c>\"\r\n\nragged\r\n,no id,,,,\r\n2,z,-5,0.25,true,\"a \"\"b\"\"\n<c>\""},
		{"a.csv", "text\n", corpus.Options{}, values, "text,cluster,near,kept,\"by, as\"\n"},
		{"a.csv", "text;n\n" + strings.Repeat("x", 3<<20) + ";1\n2;y\n", corpus.Options{MaxDocument: 100}, []any{nil, nil, nil, nil},
			"text;n;cluster;near;kept;by, as\n" + strings.Repeat("x", 3<<20) + ";1;;;;\n2;y;;;;\n"},
		{"a.tsv", "text\tn\nx\t1\n", corpus.Options{}, []any{int64(1), nil, false, "b"}, "text\tn\tcluster\tnear\tkept\tby, as\nx\t1\t1\t\tfalse\tb\n"},
		{"a.csv", "", corpus.Options{}, values, ""},
		// Fields of an earlier run are replaced where they stand.
		{"a.jsonl", "{\"near\" : [1,{\"kept\":1}],\"text\":\"\\\\x\",\"k\\u0065pt\": \"x\"}\n", corpus.Options{}, values,
			"{\"near\" : 0.25,\"text\":\"\\\\x\",\"k\\u0065pt\": true,\"cluster\":-5,\"by, as\":\"a \\\"b\\\"\\n<c>\"}\n"},
		{"a.json", "[{\"text\":\"x\"," + jsonNone + " }, {\"o\":{\"near\":1},\"text\":\"x\",\"near\":1,\"near\":2}]", corpus.Options{}, values,
			"[{\"text\":\"x\"," + jsonValues + " }, {\"o\":{\"near\":1},\"text\":\"x\",\"near\":0.25,\"near\":0.25,\"cluster\":-5,\"kept\":true,\"by, as\":\"a \\\"b\\\"\\n<c>\"}]"},
		{"a.csv", "near,text,\"by, as\"\r\n1,\"x\ny\",\"2\"\r\nragged\r\n,,7", corpus.Options{IDField: "near"}, values,
			"near,text,\"by, as\",cluster,kept\r\n0.25,\"x\ny\",\"a \"\"b\"\"\n<c>\",-5,true\r\nragged\r\n,,,,"},
	} {
		got, err := rewritten(t, tt.name, tt.text, Options{Corpus: tt.o, Fields: fields}, Decision{Values: tt.values})
		if err != nil || got != tt.want {
			t.Errorf("%s: %.300q, %v\nwant %.300q", tt.name, got, err, tt.want)
		}
	}
	for _, name := range []string{"a.txt", "a.html", "a.warc", "a.u64"} {
		text := "a text"
		if name == "a.warc" {
			text = record("conversion", 1)
		}
		if _, err := rewritten(t, name, text, Options{Fields: fields}, Decision{Values: values}); !errors.Is(err, ErrFields) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text is replaced where it stands.
func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          corpus.Options
		with       string
		want       string // "! error" for one
	}{
		{"a.jsonl", `{"text":"a","n":{"text":"b"},"text" : "c\u0020", "x":1}` + "\n", corpus.Options{}, "new \"\xff<", `{"text":"a","n":{"text":"b"},"text" : "new \"\ufffd<", "x":1}` + "\n"},
		{"a.jsonl", `{"n":{"text":"b"},"text":"c"}`, corpus.Options{TextField: "n.text"}, "", `{"n":{"text":""},"text":"c"}`},
		{"a.json", "[ {\"text\":\n\"a\"} , {\"text\":\"b\"}]", corpus.Options{}, "new", "[ {\"text\":\n\"new\"} , {\"text\":\"new\"}]"},
		{"a.csv", "id,text,n\n1,\"a\",\"2\"\n2,b,3\r\n", corpus.Options{}, "new", "id,text,n\n1,\"new\",\"2\"\n2,new,3\r\n"},
		{"a.csv", "id,text,n\n1,\"a\",\"2\"\n2,b,3\r\n", corpus.Options{}, "x,\"y\"\nz", "id,text,n\n1,\"x,\"\"y\"\"\nz\",\"2\"\n2,\"x,\"\"y\"\"\nz\",3\r\n"},
		{"a.csv", "text\na\n", corpus.Options{}, "", "text\n\"\"\n"},
		{"a.txt.gz", "a", corpus.Options{}, "new", "new"},
		{"a.txt.gz", "\ufeffa", corpus.Options{}, "new", "\ufeffnew"},
		{"a.txt", "\ufeffa", corpus.Options{}, "", "\ufeff"},
		{"a", "a\r\nb", corpus.Options{Format: corpus.Lines}, "new", "new\r\nnew"},
		{"a", "x\ta b\r\n", corpus.Options{Format: corpus.Sets}, "c d", "x\tc d\r\n"},
		{"a", "a\n", corpus.Options{Format: corpus.Lines}, "x\ny", "! a text with line ends is no line"},
		{"a", "x\ta b\n", corpus.Options{Format: corpus.Sets}, "x\ny", "! a text with line ends is no line"},
		{"a.jsonl", `{"a":"x","b":"y"}`, corpus.Options{TextField: "a,b"}, "new", "! it is several fields"},
		{"a.csv", "a,b\nx,y\n", corpus.Options{TextField: "a,b"}, "new", "! it is several fields"},
		{"a.html", "<p>a", corpus.Options{}, "new", "! it is made of the file by leaving out what is no text"},
		{"a.warc", record("conversion", 1), corpus.Options{}, "new", "! this format holds it in another form"},
	} {
		got, err := rewritten(t, tt.name, tt.text, Options{Corpus: tt.o}, Decision{Replace: true, Text: []byte(tt.with)})
		if why, ok := strings.CutPrefix(tt.want, "! "); ok {
			if !errors.Is(err, ErrText) || !strings.HasSuffix(err.Error(), why) {
				t.Errorf("%s: %q, %v, want %s", tt.name, got, err, why)
			}
		} else if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v\nwant %q", tt.name, got, err, tt.want)
		}
	}
	got, err := rewritten(t, "a.jsonl", "{\"text\":\"a\" }\n", Options{Fields: fields[:1]}, Decision{Replace: true, Text: []byte("b"), Values: []any{int64(1)}})
	if want := "{\"text\":\"b\",\"cluster\":1 }\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// The columns and texts of Parquet change, too.
func TestParquet(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")
	put(t, in, []byte(parquetFile(t)))
	n := 0
	_, err := File(found(t, in), out, Options{Fields: fields}, func(doc *document.Document) (Decision, error) {
		n++
		return Decision{Drop: n%2 == 0, Replace: n%3 == 0, Text: []byte("new"), Values: []any{int64(doc.Line), nil, true, string(doc.Text)}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	type wide struct {
		ID      int64  `parquet:"id"`
		Text    string `parquet:"text,optional"`
		Cluster int64  `parquet:"cluster,optional"`
	}
	rows, err := parquet.ReadFile[wide](out)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%d %s %d", r.ID, r.Text, r.Cluster))
	}
	n = 0
	for i := range 100 {
		if i%9 == 5 {
			want = append(want, fmt.Sprintf("%d  0", i))
			continue
		}
		if n++; n%2 == 0 {
			continue
		}
		text := fmt.Sprintf("text %d", i)
		if n%3 == 0 {
			text = "new"
		}
		want = append(want, fmt.Sprintf("%d %s %d", i, text, i+1))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// Each record of a crawl is a member of gzip in the output if it is one in the input.
func TestMembers(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.warc.gz"), filepath.Join(dir, "b.warc.gz")
	parts := []string{record("warcinfo", 0), record("conversion", 1), record("request", 2), record("conversion", 3), record("conversion", 4)}
	put(t, in, packed(t, in, parts...))
	_, err := File(found(t, in), out, Options{}, func(doc *document.Document) (Decision, error) {
		return Decision{Drop: bytes.Contains(doc.Text, []byte("text 3"))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var b bytes.Buffer
	for rest := bytes.NewReader(data); rest.Len() > 0; b.Reset() {
		z, err := gzip.NewReader(rest)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		if _, err := io.Copy(&b, z); err != nil {
			t.Fatal(err)
		}
		got = append(got, b.String())
	}
	if want := slices.Delete(slices.Clone(parts), 3, 4); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// A damaged file is written as far as it can be read, and one that cannot be read at all as it is.
func TestDamage(t *testing.T) {
	lines := strings.Repeat("{\"text\":\"a text of some words\"}\n", 1000)
	cut := func(name, text string, n int) []byte { data := packed(t, name, text); return data[:len(data)-n] }
	crawl := record("conversion", 1) + record("conversion", 2)
	parquetData := []byte(parquetFile(t))
	for _, tt := range []struct {
		name string
		data []byte
		kept int // at least
		want string
	}{
		{"a.jsonl.gz", cut("a.gz", lines, 30), 1, ""},
		{"a.jsonl.zst", cut("a.zst", lines, 5), 0, ""},
		{"a.warc", []byte(crawl[:len(crawl)-10]), 1, crawl[:len(crawl)-10]},
		{"a.json", []byte("[{\"text\":\"a\"}, {\"text\":"), 1, "[{\"text\":\"a\"}, {\"text\":"},
		{"a.csv", []byte("id,body\n1,a\n"), 0, "id,body\n1,a\n"},
		{"a.parquet", parquetData[:len(parquetData)-9], 0, string(parquetData[:len(parquetData)-9])},
		{"a.txt", []byte("a\x00b"), 0, "a\x00b"},
		{"long.txt", bytes.Repeat([]byte("a"), 2000), 0, strings.Repeat("a", 2000)},
	} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, tt.name), filepath.Join(dir, "out", tt.name)
		put(t, in, tt.data)
		result, err := File(found(t, in), out, Options{Corpus: corpus.Options{MaxDocument: 1000}}, func(*document.Document) (Decision, error) { return Decision{}, nil })
		packed := inputs.IsCompressed(tt.name) // of which the end is not in the output, and that is told
		if err != nil || result.Damage == nil || result.Kept < tt.kept || (result.Lost != nil) != packed {
			t.Errorf("%s: %+v, %v", tt.name, result, err)
			continue
		}
		got, err := os.ReadFile(out)
		if err != nil || tt.want != "" && string(got) != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
		if all, _ := read(t, out, corpus.Options{}); tt.want == "" && len(all) < result.Kept {
			t.Errorf("%s: %d texts of %d", tt.name, len(all), result.Kept)
		}
	}
}

// Errors leave nothing behind.
func TestErrors(t *testing.T) {
	failed := errors.New("failed")
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "out", "a.jsonl")
	put(t, in, []byte(strings.Repeat("{\"text\":\"x\"}\n", 1000)))
	fail := func(*document.Document) (Decision, error) { return Decision{}, failed }
	if _, err := File(found(t, in), out, Options{}, fail); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	n := 0
	if _, err := File(found(t, in), out, Options{Corpus: corpus.Options{Context: ctx}}, func(*document.Document) (Decision, error) {
		if n++; n == 10 {
			cancel(failed)
		}
		return Decision{}, nil
	}); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(out)); err == nil && len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	if _, err := File(corpus.Stdin, out, Options{}, fail); err == nil {
		t.Error("standard input to a file")
	}
	// The file is replaced while it is read.
	if _, err := File(found(t, in), out, Options{}, func(doc *document.Document) (Decision, error) {
		return Decision{}, os.Truncate(in, int64(doc.Line))
	}); err == nil {
		t.Error("a file that is cut while it is read")
	}
}

func TestNames(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("d", 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, "d/a", nil)
	put(t, "-", nil)
	elsewhere := filepath.Join(t.TempDir(), "x")
	put(t, elsewhere, nil)
	r, err := corpus.Open([]string{"./d", "./-", elsewhere, "-"}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Names("", r.Files()[:3])
	if want := []string{"d/a", "-", strings.TrimPrefix(filepath.ToSlash(elsewhere), "/")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := Names("", r.Files()); err == nil {
		t.Error("standard input and the file called -")
	}
	twice := []corpus.File{r.Files()[0], r.Files()[0]}
	if _, err := Names("", twice); err == nil || !strings.Contains(err.Error(), "name each file once") {
		t.Errorf("got %v", err)
	}
}

// A failure of any operation leaves the old file or the new one.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.jsonl")
	put(t, in, []byte("{\"text\":\"x\"}\n"))
	keep := func(*document.Document) (Decision, error) { return Decision{}, nil }
	for n := 0; ; n++ {
		done := 0
		fsys := &disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) {
			if done++; done == n+1 {
				return 0, syscall.EIO
			}
			return 0, nil
		}}
		out := filepath.Join(dir, fmt.Sprint(n), "a.jsonl")
		_, err := File(found(t, in), out, Options{FS: fsys}, keep)
		if err == nil && done <= n {
			if n < 5 {
				t.Errorf("only %d operations", n)
			}
			break
		}
		if data, err := os.ReadFile(out); err == nil && string(data) != "{\"text\":\"x\"}\n" {
			t.Errorf("operation %d: %q", n, data)
		}
	}
}
