package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"simsearch/internal/files/columns"
)

// record returns a record of a crawl with an address of its own.
func record(kind, block string) string {
	contentType := "text/plain"
	if kind == "response" {
		contentType = "application/http; msgtype=response"
	}
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: http://a.test/%.3s\r\nWARC-Record-ID: <urn:%d>\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, block, len(block), contentType, len(block), block)
}

type parquetRow struct {
	ID   *int64  `parquet:"id"`
	Text *string `parquet:"text"`
	Meta struct {
		Title string `parquet:"title"`
	} `parquet:"meta"`
	Hash  *string   `parquet:"hash"`
	Other [100]byte `parquet:"other"`
}

// parquetRows returns n rows. Every fifth has no text.
func parquetRows(n int) []parquetRow {
	rows := make([]parquetRow, n)
	for i := range rows {
		id, text := int64(i), fmt.Sprintf("text %d", i)
		rows[i].ID, rows[i].Meta.Title = &id, fmt.Sprintf("title %d", i)
		if i%5 != 4 {
			rows[i].Text = &text
		}
	}
	return rows
}

// writeParquet writes a file with rows in groups of 30, and pages of a few rows.
func writeParquet(t testing.TB, name string, rows []parquetRow, options ...parquet.WriterOption) {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[parquetRow](&b, append(options, parquet.PageBufferSize(200), parquet.MaxRowsPerRowGroup(30))...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestTables(t *testing.T) {
	const crlf, unquoted = "id,text\r\na,A\r\n", "x;text\n1;A\n2;B\n"
	for _, tt := range []struct {
		name, text string
		o          Options
		want       []string
	}{
		{"a.csv", "id,text\na,A\nb,\"B,\n\"\"c\"\"\"\n", Options{}, []string{"a=A", "b=B,\n\"c\""}},
		{"a.csv", "\ufeff" + crlf, Options{}, []string{"a=A"}},
		{"a.csv.gz", gzipped(crlf), Options{}, []string{"a=A"}},
		{"a.csv", unquoted, Options{}, []string{"a.csv#2=A", "a.csv#3=B"}},
		{"a.csv", "text\n\nA\n\n\"B\nC\"\nD", Options{}, []string{"a.csv#3=A", "a.csv#5=B\nC", "a.csv#7=D"}},
		{"a.tsv", "id\ttext\na\tA,B\nb\t\n", Options{}, []string{"a=A,B", "b="}},
		{"a.csv", "id,text\na,A\nb\nc,C,\n,D\ne,E\n", Options{}, []string{
			"a=A", "! a.csv:3: the row has 1 cells, and the header 2", "! a.csv:4: the row has 3 cells, and the header 2", `! a.csv:5: column "id" is empty, want a string or a number`, "e=E"}},
		{"a.csv", "id,text\na,A\nb,\"B\nc,C\n", Options{}, []string{"a=A", "! a.csv:3: a quote that opens a cell is not closed, so that all up to the end of the file is one row"}},
		{"a.csv", "id,text\na,A\nb,\"" + strings.Repeat("B\n", 50) + "\"\nc,C\n", Options{MaxDocument: 50}, []string{"a=A", "! a.csv:3: longer than 50 B: left out", "c=C"}},
		{"a.csv", "n,title,body\n1,T,B\n2,,B\n3,,\n", Options{IDField: "n", TextField: "title,body,none"}, []string{"1=T\nB", "2=B", "3="}},
		{"a.csv", "id,body\na,A\n", Options{}, []string{`!! a.csv: no column "text"; the table has id, body`}},
		{"a.csv", "id,text\na,A\n", Options{IDField: "key"}, []string{`!! a.csv: no column "key"; the table has id, text`}},
		{"a.csv", "id,body\na,A\n", Options{TextField: "t,u", Lenient: true}, []string{`! a.csv: no column "t" or "u"; the table has id, body`}},
		{"d/a.csv", "id,body\na,A\n", Options{}, []string{`! d/a.csv: no column "text"; the table has id, body`}},
		{"d/a.csv", "id,text\na,A\n", Options{}, []string{"a=A"}},
		{"a.csv", "id,hash\na,0x12\nb,+7\nc,x", Options{FingerprintField: "hash"}, []string{"a=12", "b=7", `! a.csv:4: "x" is not a fingerprint: want 16 hexadecimal digits, or a decimal number of at most 64 bits`}},
		{"a.csv", "", Options{}, nil},
		{"a.csv", "id,text\n", Options{}, nil},
		{"a", crlf, Options{}, []string{"a=A"}},
		{"-", "id\ttext\na\tA", Options{}, []string{"a=A"}},
		{"a.txt", crlf, Options{}, []string{"a.txt=" + crlf}},
		{"a", "id,body\na,b\n", Options{}, []string{"a=id,body\na,b\n"}},
		{"a", "id,body\na,b\n", Options{TextField: "body"}, []string{"a=b"}},
		{"a", "x y\n1 2", Options{Format: CSV, TextField: "x y"}, []string{"a#2=1 2"}},
	} {
		contents := map[string]string{}
		input := tt.name
		if tt.name == "-" {
			tt.o.Stdin = strings.NewReader(tt.text)
		} else {
			contents[tt.name] = tt.text
			input, _, _ = strings.Cut(tt.name, "/")
		}
		files(t, contents)
		r, err := Open([]string{input}, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q\n got %q\nwant %q", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestCrawls(t *testing.T) {
	page := record("response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a<b>b</b>\x00")
	crawl := record("warcinfo", "x") + record("conversion", "one") + page + record("conversion", "one more") + record("conversion", strings.Repeat("long", 100))
	want := []string{"http://a.test/one=one", "http://a.test/HTT=ab\x00", "<urn:8>=one more", "! %s:5: longer than 400 B: left out"}
	for _, tt := range []struct {
		name, text string
		o          Options
		want       []string
	}{
		{"a.warc", crawl, Options{}, want},
		{"a.warc.gz", gzipped(crawl), Options{}, want},
		{"a.warc.wet.gz", gzipped(crawl), Options{}, want},
		{"a", crawl, Options{}, want},
		{"-", crawl, Options{}, want},
		{"a.warc", record("conversion", "one"), Options{IDField: "warc-record-id"}, []string{"<urn:3>=one"}},
		{"a.warc", record("conversion", "one"), Options{IDField: "key"}, []string{`!! a.warc:1: no field "key"; the record has WARC-Type, WARC-Target-URI, WARC-Record-ID, Content-Type, Content-Length`}},
		{"a.warc", record("conversion", "one"), Options{TextField: "body"}, []string{"http://a.test/one=one"}},
		{"a.warc.gz", gzipped(record("conversion", "one")) + gzipped(record("conversion", "two"))[:60], Options{}, []string{"http://a.test/one=one", "! a.warc.gz: the file is damaged: it ends inside of record 2, which begins at byte 148"}},
		{"a.warc", record("conversion", "one") + "x", Options{}, []string{"http://a.test/one=one", `! a.warc: record 2, which begins at byte 148: the file is damaged: "x", where WARC/ should begin a record`}},
	} {
		contents := map[string]string{}
		if tt.name == "-" {
			tt.o.Stdin = strings.NewReader(tt.text)
		} else {
			contents[tt.name] = tt.text
		}
		files(t, contents)
		tt.o.MaxDocument = 400
		r, err := Open([]string{tt.name}, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		wanted := slices.Clone(tt.want)
		for i, w := range wanted {
			wanted[i] = strings.Replace(w, "%s", tt.name, 1)
		}
		if got := readAll(t, r); !slices.Equal(got, wanted) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, wanted)
		}
	}
}

func TestParquet(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := parquetRows(100)
	for _, name := range []string{"a.parquet", "b"} {
		writeParquet(t, name, rows)
		var decided []Decision
		r, err := Open([]string{name}, Options{Decided: func(d Decision) { decided = append(decided, d) }})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range rows {
			if i%5 == 4 {
				want = append(want, fmt.Sprintf(`! %s:%d: column "text" is null, want a string`, name, i+1))
			} else {
				want = append(want, fmt.Sprintf("%d=text %d", i, i))
			}
		}
		if got := readAll(t, r); !slices.Equal(got, want) {
			t.Errorf("%s: got %q", name, got)
		}
		if done, total := r.Progress(); done < total {
			t.Errorf("%d bytes of %d are done", done, total)
		}
		if told := len(decided) > 0; told != (name == "b") {
			t.Errorf("%s: decisions %v", name, decided)
		}
	}
	if err := os.Mkdir("d", 0o777); err != nil {
		t.Fatal(err)
	}
	writeParquet(t, "d/c.parquet", rows[:2])
	damaged, err := os.ReadFile("a.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("cut.parquet", damaged[:len(damaged)-20], 0o666); err != nil {
		t.Fatal(err)
	}
	for i := range damaged[100:2000] {
		damaged[100+i] = 0xff
	}
	for name, data := range map[string]string{"packed.parquet.gz": gzipped(string(damaged)), "bad.parquet": string(damaged), "no.parquet": "text"} {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		input string
		o     Options
		want  []string // of the first rows
	}{
		{"d", Options{}, []string{"0=text 0", "1=text 1"}},
		{"d", Options{TextField: "meta.title,text"}, []string{"0=title 0\ntext 0", "1=title 1\ntext 1"}},
		{"d", Options{IDField: "meta.title"}, []string{"title 0=text 0", "title 1=text 1"}},
		{"d/c.parquet", Options{TextField: "none"}, []string{`!! d/c.parquet: no column "none"; the table has id, text, meta.title, hash, other`}},
		{"d/c.parquet", Options{TextField: "meta"}, []string{`! d/c.parquet: column "meta" is a group of columns, want strings, numbers or times`}},
		{"d/c.parquet", Options{TextField: "id"}, []string{`! d/c.parquet: column "id" has no strings`}},
		{"d/c.parquet", Options{MaxDocument: 3}, []string{"! d/c.parquet:1: longer than 3 B: left out", "! d/c.parquet:2: longer than 3 B: left out"}},
		{"cut.parquet", Options{}, []string{"! cut.parquet: the file is damaged: it does not end with PAR1, as if it were cut"}},
		{"no.parquet", Options{}, []string{"no.parquet=text"}},
		{"no.parquet", Options{Format: Parquet}, []string{"! no.parquet: " + columns.ErrNotParquet.Error()}},
		{"packed.parquet.gz", Options{}, []string{"! packed.parquet.gz: " + errParquetOnce.Error()}},
		{"-", Options{Format: Parquet}, []string{"! standard input: " + errParquetOnce.Error()}},
	} {
		r, err := Open([]string{tt.input}, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.input, got, tt.want)
		}
	}
	r, err := Open([]string{"bad.parquet"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, r); !strings.HasPrefix(got[len(got)-1], "! bad.parquet: the file is damaged: ") {
		t.Errorf("damaged: %q", got)
	}
}

// A row without an id is called by its number; hashes stand for rows without a text.
func TestParquetFields(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := parquetRows(3)
	hash := "0x12"
	rows[0].Text, rows[0].Hash, rows[1].ID = nil, &hash, nil
	writeParquet(t, "a.parquet", rows)
	r, err := Open([]string{"a.parquet"}, Options{FingerprintField: "hash"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readAll(t, r), []string{"0=12", `! a.parquet:2: column "id" is null, want a string or a number`, "2=text 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	type noID struct {
		Text string `parquet:"text"`
	}
	if err := parquet.WriteFile("b.parquet", []noID{{"x"}, {"y"}}); err != nil {
		t.Fatal(err)
	}
	if r, err = Open([]string{"b.parquet"}, Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := readAll(t, r), []string{"b.parquet#1=x", "b.parquet#2=y"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// Rows are read again by their numbers, whatever their pages are, and changes are found.
func TestRereadParquet(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, version := range []int{1, 2} {
		writeParquet(t, "a.parquet", parquetRows(100), parquet.DataPageVersion(version))
		all := readOrigins(t, []string{"a.parquet"}, Options{TextField: "text,meta.title"})
		if len(all) != 100 {
			t.Fatalf("%d texts", len(all))
		}
		checkReread(t, all, Options{TextField: "text,meta.title"})
		again, err := NewRereader(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []int64{4, 100, -1} {
			from := all[0].from
			from.Offset = row
			if text, err := again.Text(from); !errors.Is(err, ErrChanged) {
				t.Errorf("row %d: %q, %v", row, text, err)
			}
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile("a.parquet", []byte("PAR1damaged"), 0o666); err != nil {
			t.Fatal(err)
		}
		if text, err := again.Text(all[0].from); !errors.Is(err, columns.ErrDamaged) {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// A Rereader finds that a table has changed.
func TestRereadChangedTables(t *testing.T) {
	files(t, map[string]string{"a.csv": "id,text\n1,one\n2,two\n", "a.warc": record("conversion", "one")})
	tables, crawl := readOrigins(t, []string{"a.csv"}, Options{}), readOrigins(t, []string{"a.warc"}, Options{})
	again, err := NewRereader(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range []string{"", "id,body\n1,one\n2,two\n", "id,text,n\n1,one,\n", "id,text\n1,\"ne\n2,two\n", "\"id"} {
		if err := errors.Join(os.WriteFile("a.csv", []byte(changed), 0o666), again.Close()); err != nil {
			t.Fatal(err)
		}
		if text, err := again.Text(tables[0].from); !errors.Is(err, ErrChanged) {
			t.Errorf("%q: %q, %v", changed, text, err)
		}
	}
	for _, changed := range []string{"", strings.Replace(record("conversion", "one"), "conversion", "otherthing", 1), strings.Repeat("x", 300)} {
		if err := errors.Join(os.WriteFile("a.warc", []byte(changed), 0o666), again.Close()); err != nil {
			t.Fatal(err)
		}
		if text, err := again.Text(crawl[0].from); !errors.Is(err, ErrChanged) {
			t.Errorf("%q: %q, %v", changed, text, err)
		}
	}
}
