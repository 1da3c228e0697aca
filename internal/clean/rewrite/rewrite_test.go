package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/prints"
	"simsearch/internal/tests/testkit"
)

// A file is a file of documents, with something bad between them.
type file struct {
	name, text string
	o          corpus.Options
	encoded    bool // it is not in UTF-8
}

// record returns a record of a crawl.
func record(kind string, n int) string {
	block := fmt.Sprintf("text %d of a crawl", n)
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%d>\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, n, len(block), block)
}

const long = "a text that is longer than documents may be, by far, and so it is left out by the reader, though it stays in the file, of course"

// files are files in each format.
func files(t testing.TB) []file {
	var lines, jsonl, array, objects, csv, tsv, fingerprints, sets, crawl, box strings.Builder
	csv.WriteString("\ufeff\r\nn;id;text\r\n")
	tsv.WriteString("id\ttext\n")
	array.WriteString("\n[ ")
	crawl.WriteString(record("warcinfo", 0))
	var numbers []byte
	for i := range 40 {
		fmt.Fprintf(&lines, "line %d\r\n", i)
		fmt.Fprintf(&jsonl, "{\"id\":%d , \"text\":\"text\\u0020%d\",\"x\":[1, {}]} \n", i, i)
		fmt.Fprintf(&objects, "{\"id\":%d,\n \"text\":\"text %d\"}%s", i, i, strings.Repeat(" \n", i%3))
		fmt.Fprintf(&array, "%s{\n  \"id\": \"%d\",\n  \"text\": \"text %d\"\n}", []string{"", ",\n", " , "}[min(i, 1+i%2)], i, i)
		fmt.Fprintf(&csv, "%d;%d;\"text \"\"%d\"\"\r\n of two lines\"\r\n", i, i, i)
		fmt.Fprintf(&tsv, "%d\ttext %d\n", i, i)
		fmt.Fprintf(&fingerprints, "%d\t%016x\n", i, i+1)
		fmt.Fprintf(&sets, "%d\ta b c%d\n", i, i)
		crawl.WriteString(record("conversion", i+1))
		fmt.Fprintf(&box, "From a%d@b Thu Jan  1 00:00:00 2026\nMessage-ID: <%d@b>\n\n>From text %d\nFrom here on\n%s", i, i%30, i, strings.Repeat("\n", i%3))
		numbers = append(numbers, byte(i), 0, 0, 0, 0, 0, 1, byte(i))
		if i%7 == 3 {
			fmt.Fprintf(&lines, "%s\n", long)
			fmt.Fprintf(&jsonl, "\n{\"id\":1}\nnot JSON\n\n{\"text\":%q}\n", long)
			fmt.Fprintf(&objects, "{\"id\":7}{\"text\":%q}", long)
			fmt.Fprintf(&array, ", 7,{\"text\":%q} , {\"id\":7}", long)
			fmt.Fprintf(&csv, "ragged\r\n\r\n1;2;3;4\r\n1;;no id\r\n1;2;%s\r\n", long)
			fmt.Fprintf(&tsv, "\n\tno id\n")
			fmt.Fprintf(&fingerprints, "\n%s\nx\t12\n", long)
			fmt.Fprintf(&sets, "no tab\n\n%s\n", long)
			fmt.Fprintf(&box, "From \nSubject: x\n\n%s%[1]s%[1]s\n\nFrom x\nContent-Type: multipart/mixed\n\nno parts\n\n\nFrom x\r\nSubject: with CRLF %d\r\n\r\n\r\n", long, i)
			crawl.WriteString(record("metadata", 100+i) + strings.Replace(record("conversion", 200+i), "text/plain", "image/png", 1))
		}
	}
	lines.WriteString("last")
	array.WriteString(" ]\n")
	csv.WriteString("last;last;last")
	jsonl.WriteString(`{"text":"last"}`)
	most := corpus.Options{MaxDocument: 120}
	with := func(f corpus.Format) corpus.Options { return corpus.Options{MaxDocument: 120, Format: f} }
	all := []file{
		{"a.lines", lines.String(), with(corpus.Lines), false},
		{"a.jsonl", jsonl.String(), most, false},
		{"a.json", array.String(), most, false},
		{"b.json", objects.String(), with(corpus.JSON), false},
		{"a.csv", csv.String(), most, false},
		{"b.csv", "text\n" + lines.String(), most, false},
		{"a.tsv", tsv.String(), most, false},
		{"a.fingerprints", fingerprints.String(), with(corpus.Fingerprints), false},
		{"a.sets", sets.String(), with(corpus.Sets), false},
		{"a.u64", string(numbers), corpus.Options{}, false},
		{"a.npy", string(prints.NPYHeader(40, prints.Layout{Bytes: 8, Words: true})) + string(numbers), corpus.Options{}, false},
		{"c.npy", string(prints.NPYHeader(20, prints.Layout{Bytes: 16, Words: true, Signed: true})) + string(numbers), corpus.Options{FingerprintBits: 128}, false},
		{"cr.jsonl", strings.ReplaceAll(jsonl.String(), "\n", "\r"), most, false},
		{"cr.lines", strings.ReplaceAll(strings.ReplaceAll(lines.String(), "\r", ""), "\n", "\r"), with(corpus.Lines), false},
		{"b.npy", string(prints.NPYHeader(10, prints.Layout{Bytes: 32})) + string(numbers), corpus.Options{FingerprintBits: 256}, false},
		{"a.u256", string(numbers), corpus.Options{FingerprintBits: 256}, false},
		{"a.warc", crawl.String(), corpus.Options{}, false},
		{"a.mbox", box.String(), corpus.Options{MaxDocument: 300}, false},
		{"a.eml", "From: a@b\r\nSubject: x\r\n\r\na message\r\nFrom here on\r\n", corpus.Options{}, false},
		{"a.txt", "a text\r\n", corpus.Options{}, false},
		{"a.html", "<p>a page", corpus.Options{}, false},
		{"one.json", " {\"id\":1, \"text\":\"one\"}\n", corpus.Options{}, false},
		{"a.parquet", parquetFile(t), corpus.Options{}, false},
	}
	for i, f := range append(all[:7:7], file{name: "a.txt", text: "a text \r\n"}) {
		f.o.MaxDocument = 150
		variants := inCharsets(t, f)
		all = append(all, variants[i%len(variants)], variants[(i+2)%len(variants)])
	}
	return all
}

// inCharsets returns a file of texts in other charsets than UTF-8.
func inCharsets(t testing.TB, f file) (all []file) {
	t.Helper()
	words := func(word string) string {
		return strings.NewReplacer("text\\u0020", word+" ", "text ", word+" ", "line ", word+" ").Replace(strings.TrimPrefix(f.text, "\ufeff"))
	}
	for _, c := range []struct {
		charset encoding.Encoding
		text    string
	}{
		{unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), words("größere 漢字 😀")},
		{charmap.Windows1252, words("größere Texte für Käufer")},
		{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), words("größere Texte")},
		{charmap.Windows1251, words("русский текст")},
		{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), words("русский текст")},
	} {
		encoded, err := c.charset.NewEncoder().String(c.text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file{f.name, encoded, f.o, true})
	}
	return all
}

type parquetRow struct {
	ID    int64    `parquet:"id"`
	Text  *string  `parquet:"text,dict"`
	Other []string `parquet:"other,list"`
}

// parquetFile returns a file with 100 rows, some of them without a text.
func parquetFile(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&b, parquet.MaxRowsPerRowGroup(30))
	for i := range 100 {
		row := parquetRow{ID: int64(i)}
		if i%9 != 5 {
			text := fmt.Sprintf("text %d", i)
			row.Text = &text
		}
		row.Other = append(row.Other, "x", fmt.Sprint(i))[:i%3]
		if _, err := w.Write([]parquetRow{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// packed compresses text as the name of a file says. The members of .gz are parts.
func packed(t testing.TB, name string, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		var w io.WriteCloser = unpacked{&b}
		var err error
		switch filepath.Ext(name) {
		case ".gz":
			w = gzip.NewWriter(&b)
		case ".zst":
			w, err = zstd.NewWriter(&b)
		case ".xz":
			w, err = xz.NewWriter(&b)
		case ".lz4":
			w = lz4.NewWriter(&b)
		case ".bz2":
			w, err = bzip2.NewWriter(&b, nil)
		case ".br":
			if b.Len() > 0 {
				continue // a file has one stream
			}
			w, part = brotli.NewWriter(&b), strings.Join(parts, "")
		}
		if err == nil {
			_, err = io.WriteString(w, part)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// unpack returns the decompressed contents of a file.
func unpack(t testing.TB, path string) string {
	t.Helper()
	s, err := inputs.Open(path, false, inputs.StreamOptions{Context: t.Context(), Window: 1 << 27})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(s)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// read returns what the documents of a file are, and how many bad ones there are.
func read(t testing.TB, path string, o corpus.Options) (documents []string, bad int) {
	t.Helper()
	o.Lenient = true
	r, err := corpus.Open([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		switch {
		case errors.As(err, new(*corpus.BadError)):
			bad++
		case errors.As(err, new(*corpus.InputError)):
			t.Skip(err) // in a fuzz test
		case err != nil:
			t.Fatal(err)
		case doc.HasFingerprint:
			documents = append(documents, fmt.Sprintf("%x", doc.Fingerprint))
		default:
			documents = append(documents, string(doc.Text))
		}
	}
	return documents, bad
}

// found returns the file at a path, as a Reader finds it.
func found(t testing.TB, path string) corpus.File {
	t.Helper()
	r, err := corpus.Open([]string{path}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Files()[0]
}

// Whatever stays, the output has exactly that when it is read again, with what is bad. If all stays, it is the
// input, byte for byte.
func TestRoundTrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range files(t) {
		for _, ext := range []string{"", ".gz", ".zst", ".xz", ".lz4", ".bz2", ".br"} {
			if f.name == "a.parquet" && ext != "" || (!testkit.IsLong() || f.encoded) && ext > ".gz" {
				continue
			}
			t.Run(f.name+ext, func(t *testing.T) {
				dir := t.TempDir()
				in, out := filepath.Join(dir, f.name+ext), filepath.Join(dir, "out", "d", f.name+ext)
				half := rng.IntN(len(f.text) + 1)
				put(t, in, packed(t, in, f.text[:half], f.text[half:]))
				all, allBad := read(t, in, f.o)
				if len(all) == 0 {
					t.Fatal("no documents")
				}
				for _, share := range []float64{1, 0, 0.5, rng.Float64(), rng.Float64()} {
					var want []string
					n := 0
					result, err := File(found(t, in), out, Options{Corpus: f.o}, func(doc *document.Document) (Decision, error) {
						if now := string(doc.Text); !doc.HasFingerprint && now != all[n] {
							t.Fatalf("document %d is %q, and was %q", n, now, all[n])
						}
						n++
						if rng.Float64() >= share {
							return Decision{Drop: true}, nil
						}
						want = append(want, all[n-1])
						return Decision{}, nil
					})
					if err != nil {
						t.Fatal(err)
					}
					if n != len(all) || result.Kept != len(want) || result.Dropped != n-len(want) || result.Copied != allBad || result.Damage != nil {
						t.Errorf("%d of %d documents, %+v, want %d and %d bad", n, len(all), result, len(want), allBad)
					}
					if result.Path == "" {
						if len(all) > 1 || len(want) > 0 {
							t.Errorf("nothing is written of %d documents", len(all))
						}
						continue
					}
					got, gotBad := read(t, out, f.o)
					if !slices.Equal(got, want) || gotBad != allBad {
						t.Errorf("share %.2f: %d bad, %q\nwant %d, %q", share, gotBad, got, allBad, want)
					}
					if share == 1 && f.name != "a.parquet" && unpack(t, out) != f.text {
						t.Errorf("all is kept:\n got %q\nwant %q", unpack(t, out), f.text)
					}
					if err := os.Remove(out); err != nil {
						t.Fatal(err)
					}
				}
				left, err := os.ReadDir(filepath.Dir(out))
				if err == nil && len(left) > 0 {
					t.Errorf("%v is left", left)
				}
			})
		}
	}
}

// Standard input is written again as it comes.
func TestStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range files(t) {
		if f.name == "cr.lines" {
			continue // lines of a pipe end with LF: another one may come
		}
		if f.name == "a.parquet" || corpus.IsFingerprints(f.name) {
			continue
		}
		in := filepath.Join(t.TempDir(), f.name)
		put(t, in, []byte(f.text))
		r, err := corpus.Open([]string{in}, f.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.Documents() {
			if err != nil && !errors.As(err, new(*corpus.BadError)) {
				t.Fatal(err)
			}
		}
		o := f.o
		o.Format = r.Format()
		all, _ := read(t, in, o)
		for _, share := range []float64{1, 0, 0.5} {
			o.Stdin = strings.NewReader(f.text)
			var b bytes.Buffer
			var want []string
			n := 0
			result, err := Stream(&b, Options{Corpus: o}, func(*document.Document) (Decision, error) {
				n++
				if rng.Float64() >= share {
					return Decision{Drop: true}, nil
				}
				want = append(want, all[n-1])
				return Decision{}, nil
			})
			if err != nil || n != len(all) || result.Kept != len(want) {
				t.Fatalf("%s: %v, %d documents, %+v", f.name, err, n, result)
			}
			if share == 1 && b.String() != f.text {
				t.Errorf("%s: %q, want %q", f.name, b.String(), f.text)
			}
			if len(want) > 0 {
				put(t, in, b.Bytes())
				if got, _ := read(t, in, o); !slices.Equal(got, want) {
					t.Errorf("%s: %q, want %q", f.name, got, want)
				}
			}
		}
	}
}

// What is decided on is written before the rest has arrived.
func TestStreamIsPrompt(t *testing.T) {
	from, to := io.Pipe()
	read, write := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := Stream(write, Options{Corpus: corpus.Options{Stdin: from, Format: corpus.JSONL}}, func(doc *document.Document) (Decision, error) {
			return Decision{Drop: len(doc.Text) > 1}, nil
		})
		done <- err
	}()
	for _, line := range []string{"{\"text\":\"a\"}\n", "{\"text\":\"b\"}\n"} {
		if _, err := io.WriteString(to, "{\"text\":\"dropped\"}\n"+line); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(line))
		if _, err := io.ReadFull(read, got); err != nil || string(got) != line {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := errors.Join(to.Close(), <-done); err != nil {
		t.Error(err)
	}
}
