package columns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"simsearch/internal/tests/testkit"
)

type inner struct {
	Lang string  `parquet:"lang,dict"`
	N    *uint32 `parquet:"n"`
}

type row struct {
	ID     int64    `parquet:"id,delta"`
	Text   *string  `parquet:"text,optional,dict"`
	Plain  string   `parquet:"plain"`
	Meta   *inner   `parquet:"meta,optional"`
	Tags   []string `parquet:"tags,list"`
	Key    [16]byte `parquet:"key,uuid"`
	Dotted string   `parquet:"a.b,optional"`
	Flag   bool     `parquet:"flag"`
	Score  float64  `parquet:"score,split"`
	Day    int32    `parquet:"day,date"`
	Count  uint64   `parquet:"count"`
}

// makeRows returns n rows.
func makeRows(n int) []row {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]row, n)
	for i := range rows {
		r := row{ID: int64(i) - 5, Plain: fmt.Sprintf("row %d %s", i, strings.Repeat("word ", rng.IntN(50))), Flag: i%3 == 0, Score: rng.Float64(), Day: int32(i), Count: 1<<63 + uint64(i)}
		if i%10 != 9 {
			text := fmt.Sprintf("text %d", i/2)
			r.Text = &text
		}
		if i%7 != 6 {
			r.Meta = &inner{Lang: []string{"en", "de"}[i%2]}
		}
		for j := range i % 3 {
			r.Tags = append(r.Tags, fmt.Sprint(j))
		}
		r.Key[15] = byte(i)
		rows[i] = r
	}
	return rows
}

// write writes rows in groups of so many.
func write(t testing.TB, rows []row, group int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, append(options, parquet.PageBufferSize(1000), parquet.KeyValueMetadata("made by", "a test"))...)
	for some := range slices.Chunk(rows, group) {
		if _, err := w.Write(some); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kinds are the ways to write files that tests go through.
func kinds() map[string][]parquet.WriterOption {
	all := map[string][]parquet.WriterOption{}
	for i, codec := range codecs() {
		for _, version := range []int{1, 2} {
			all[fmt.Sprintf("%s (%d), pages of version %d", codec, i, version)] = []parquet.WriterOption{parquet.Compression(codec), parquet.DataPageVersion(version)}
		}
	}
	return all
}

func save(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the values of the next row, with - for null.
func read(f Table, columns int) (string, error) {
	if err := f.Next(); err != nil {
		return "", err
	}
	var cells []string
	for i := range columns {
		value, ok, err := f.Append(nil, i)
		if err != nil {
			return "", err
		}
		if !ok {
			value = []byte("-")
		}
		cells = append(cells, string(value))
	}
	return strings.Join(cells, "|"), nil
}

// add adds the columns with these names.
func add(t testing.TB, f Table, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, _, err := f.Add(name); err != nil {
			t.Fatal(err)
		}
	}
}

// Every row is read, one after the other and by its number, however the file is written.
func TestParquetRead(t *testing.T) {
	rows := makeRows(500)
	var want []string
	for i, r := range rows {
		text, lang := "-", "-"
		if r.Text != nil {
			text = *r.Text
		}
		if r.Meta != nil {
			lang = r.Meta.Lang
		}
		want = append(want, fmt.Sprintf("%d|%s|%s|%s|00000000-0000-0000-0000-0000000000%02x|%d", r.ID, text, r.Plain, lang, byte(i), r.Count))
	}
	for name, options := range kinds() {
		t.Run(name, func(t *testing.T) {
			f, err := OpenParquet(t.Context(), save(t, write(t, rows, 130, options...)))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if f.Rows() != int64(len(rows)) {
				t.Errorf("%d rows", f.Rows())
			}
			add(t, f, "id", "text", "plain", "meta.lang", "key", "count")
			for i := range rows {
				if got, err := read(f, 6); err != nil || got != want[i] {
					t.Fatalf("row %d: %.100q, %v, want %.100q", i, got, err, want[i])
				}
			}
			if _, err := read(f, 6); !errors.Is(err, io.EOF) {
				t.Errorf("behind the last row: %v", err)
			}
			for _, n := range []int64{0, 499, 129, 130, 131, 7, 8, 300, 300, 299} {
				if ok, err := f.SeekRow(n); !ok || err != nil {
					t.Fatal(err)
				}
				for i := n; i < min(n+3, 500); i++ {
					if got, err := read(f, 6); err != nil || got != want[i] {
						t.Fatalf("row %d: %.100q, %v, want %.100q", i, got, err, want[i])
					}
				}
			}
			for _, n := range []int64{-1, 500} {
				if ok, err := f.SeekRow(n); ok || err != nil {
					t.Errorf("row %d", n)
				}
			}
		})
	}
}

// Files of another program, with its encodings.
func TestReadForeign(t *testing.T) {
	paths, err := filepath.Glob("testdata/parquet/*.parquet")
	if err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		f, err := OpenParquet(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		add(t, f, "id", "text", "meta.lang", "meta.n", "big")
		for i := range f.Rows() {
			text, lang, n := fmt.Sprintf("text %d of a few words", i/2), []string{"en", "de"}[i%2], fmt.Sprint(i)
			if i%10 == 9 {
				text = "-"
			}
			if i%7 == 6 {
				lang, n = "-", "-"
			}
			if got, err := read(f, 5); err != nil || got != fmt.Sprintf("%d|%s|%s|%s|x%d", i, text, lang, n, i) {
				t.Errorf("%s: row %d: %q, %v", path, i, got, err)
			}
		}
		if err := f.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", path, err)
		}
		if f.Rows() > 0 {
			if ok, err := f.SeekRow(33); !ok || err != nil {
				t.Error(err)
			}
			if got, err := read(f, 5); !strings.HasPrefix(got, "33|text 16 of") {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestColumns(t *testing.T) {
	f, err := OpenParquet(t.Context(), save(t, write(t, makeRows(3), 3)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, want := f.Paths(), []string{"a.b", "count", "day", "flag", "id", "key", "meta.lang", "meta.n", "plain", "score", "tags[]", "text"}; len(got) != len(want) {
		t.Errorf("columns %q", got)
	}
	for name, want := range map[string]string{
		"none": `no such column: "none"`, "meta.none": `no such column: "meta.none"`, "text.x": `no such column: "text.x"`, "tags": `column "tags" is a list, want strings, numbers or times, such as tags[]`, "meta[]": `column "meta[]" is no list, want strings, numbers or times`,
		"none[]":            `no such column: "none[]"`,
		"tags.list.element": `column "tags.list.element" is a list, want strings, numbers or times`, "meta": `column "meta" is a group of columns, want strings, numbers or times`,
		"flag": `column "flag" is of type BOOLEAN, want strings, numbers or times`,
	} {
		if _, _, err := f.Add(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, c, err := f.Add("a.b"); err != nil || !c.Text {
		t.Error(err)
	}
}

func TestDamagedEnds(t *testing.T) {
	good := string(write(t, makeRows(3), 3))
	for data, want := range map[string]string{
		"":                         "it has 0 bytes",
		"PAR1PAR1":                 "it has 8 bytes",
		"PAR1\xff\xff\xff\x7fPAR1": "a footer of 2147483647 bytes in a file of 12",
		"text that is long enough": "not a Parquet file, which begins with PAR1",
		good[:len(good)-1]:         "it does not end with PAR1, as if it were cut",
		"PAR1" + strings.Repeat("x", 20) + "\x10\x00\x00\x00PAR1": "its footer",
		"PARE" + good[4:]: "an encrypted Parquet file",
	} {
		if _, err := OpenParquet(t.Context(), save(t, []byte(data))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", data, err, want)
		}
	}
}

// readWhole reads two columns of a file that may be damaged. A panic would end the test.
func readWhole(path string) (rows int64, err error) {
	f, err := OpenParquet(context.Background(), path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for _, name := range []string{"id", "text", "plain"} {
		if _, _, err := f.Add(name); err != nil {
			return 0, err
		}
	}
	for ; ; rows++ {
		if _, err := read(f, 3); err != nil {
			return rows, err
		}
	}
}

// A damaged file is an error or other rows, and no panic. It takes little memory.
func TestParquetDamage(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	rng := rand.New(rand.NewPCG(3, 4))
	tries := testkit.Of(30, 300)
	for name, options := range kinds() {
		good := write(t, makeRows(60), 25, options...)
		path := save(t, good)
		if n, err := readWhole(path); n != 60 || !errors.Is(err, io.EOF) {
			t.Fatal(n, err)
		}
		for range tries {
			bad := bytes.Clone(good)
			switch rng.IntN(3) {
			case 0:
				bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
			case 1: // in the footer
				bad[len(bad)-1-rng.IntN(min(len(bad), 3000))] = byte(rng.Uint32())
			default:
				at := rng.IntN(len(bad))
				bad = slices.Delete(bad, at, min(len(bad), at+1+rng.IntN(100)))
			}
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if n, err := readWhole(path); err == nil || errors.Is(err, io.EOF) && n > 60 {
				t.Fatalf("%s: %d rows, %v", name, n, err)
			}
		}
	}
}

// A list of strings is read as one string, beside columns with one value a row, across pages and groups.
func TestTextColumn(t *testing.T) {
	rows := makeRows(1000)
	for group := range []int{1, 7, 1000} {
		f, err := OpenParquet(t.Context(), save(t, write(t, rows, []int{1, 7, 1000}[group])))
		if err != nil {
			t.Fatal(err)
		}
		var columns []Column
		for _, name := range []string{"tags[]", "id", "plain"} {
			_, column, err := f.Add(name)
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, column)
		}
		if columns[0].Name != "tags" || !columns[0].Text || columns[1].Text || !columns[1].Bare {
			t.Errorf("the columns are %+v", columns)
		}
		check := func(i int) {
			t.Helper()
			got, err := read(f, 2)
			if want := fmt.Sprintf("%s|%d", strings.Join(rows[i].Tags, "\n"), rows[i].ID); err != nil || got != want {
				t.Fatalf("row %d of groups %d is %q, %v, want %q", i, group, got, err, want)
			}
		}
		for i := range rows {
			check(i)
		}
		if err := f.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v", err)
		}
		for _, i := range []int{500, 2, 999} {
			if ok, err := f.SeekRow(int64(i)); !ok || err != nil {
				t.Fatal(err)
			}
			check(i)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		for name, want := range map[string]string{"meta": "a group of columns", "none": "no such column", "key": ""} {
			if _, _, err := f.Add(name); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
