package syntax

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// rows returns the values of all rows, and "! error" in place of a bad one. It tests that the rows and
// what is between them are the text.
func rows(t testing.TB, text string, comma byte, most int64) (all [][]string) {
	t.Helper()
	r := NewRowReader(bufio.NewReaderSize(strings.NewReader(text), 16), comma, most)
	rest, line := text, 0
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if row.Line <= line {
			t.Fatalf("%q: line %d comes after line %d", text, row.Line, line)
		}
		line = row.Line
		if err != nil {
			all = append(all, []string{"! " + err.Error()})
			continue
		}
		_, behind, ok := strings.Cut(rest, string(row.Raw))
		if !ok {
			t.Fatalf("%q: row %q is not in it", text, row.Raw)
		}
		if got := strings.Count(text[:len(text)-len(behind)-len(row.Raw)], "\n") + 1; got != row.Line && strings.Count(text, string(row.Raw)) == 1 {
			t.Errorf("%q: row %q is in line %d, not %d", text, row.Raw, got, row.Line)
		}
		rest = behind
		if again, err := ParseRow(row.Raw, comma); err != nil || !slices.Equal(again.Cells(), row.Cells()) {
			t.Fatalf("row %q is parsed as %v, %v", row.Raw, again, err)
		}
		all = append(all, row.Cells())
	}
}

func TestRows(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for _, tt := range []struct {
		text  string
		comma byte
		want  [][]string
	}{
		{"", ',', nil},
		{"\n\r\n", ',', nil},
		{"a,b\n1,2\n", ',', [][]string{{"a", "b"}, {"1", "2"}}},
		{"a,b\r\n1,2", ',', [][]string{{"a", "b"}, {"1", "2"}}},
		{"a\n\n,\n", ',', [][]string{{"a"}, {"", ""}}},
		{"\"a\",\"b,c\"\n\"d\"\"e\"\"\",\"\"\n", ',', [][]string{{"a", "b,c"}, {`d"e"`, ""}}},
		{"a,\"two\nlines\"\nb,\"\r\n\"\r\nc,\"" + long + "\n" + long + "\"", ',', [][]string{{"a", "two\nlines"}, {"b", "\r\n"}, {"c", long + "\n" + long}}},
		{"a\"b,c\"\"d\n", ',', [][]string{{`a"b`, `c""d`}}},
		{"\"a\"b\"c,d\n", ',', [][]string{{`ab"c`, "d"}}},
		{"a\tb,c\n", '\t', [][]string{{"a", "b,c"}}},
		{"a;b\n", ';', [][]string{{"a", "b"}}},
		{"a,\"b\nc\n", ',', [][]string{{"! " + ErrOpenQuote.Error() + ", so that all up to the end of the file is one row"}}},
		{"a\n" + long + long + "\nb\n\"" + long + "\n" + long + "\"\nc", ',', [][]string{{"a"}, {"! " + ErrTooLong.Error()}, {"b"}, {"! " + ErrTooLong.Error()}, {"c"}}},
	} {
		most := int64(1000)
		if strings.HasPrefix(tt.text, "a\nlong") {
			most = 150
		}
		if got := rows(t, tt.text, tt.comma, most); !slices.EqualFunc(got, tt.want, slices.Equal[[]string]) {
			t.Errorf("%q:\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// An error of the source is returned, and not a row before it, which may be incomplete.
func TestErrorOfTheRows(t *testing.T) {
	broken := errors.New("broken")
	r := NewRowReader(bufio.NewReader(io.MultiReader(strings.NewReader("a,b\nc,d"), iotest.ErrReader(broken))), ',', 100)
	if row, err := r.Next(); err != nil || row.Len() != 2 {
		t.Error(err)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestComma(t *testing.T) {
	for head, want := range map[string]byte{
		"id,text\n": ',', "id;text\n": ';', "id\ttext": '\t', "id|text\n": '|', "text\n": ',', "": ',', "a;b;c,d\n": ';', "a,b;text\n": ';',
		"\"a;b;c\",d\n": ',', "a\n1,2": ',',
	} {
		if got := Comma([]byte(head), []string{"text"}); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}

func TestLooksLikeTable(t *testing.T) {
	for head, want := range map[string]bool{
		"id,text\n1,a\n": true, "id;text\n1;a\n2;b": true, "text,n\n\"a\nb\",2\n": true, "id,text\n1,a\n2": false, "id,body\n1,a\n": false,
		"id,text\n": false, "text\na\n": false, "id,text,\n1,2,3\n": false, "text,text\n1,2\n": false, "some text, or more,text\nlines\n": false, "": false, "id,text": false,
	} {
		if _, got := LooksLikeTable([]byte(head), true, []string{"text"}); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
	if _, ok := LooksLikeTable([]byte("id,text\n1,a\n2"), false, []string{"text"}); !ok {
		t.Error("a table that is cut")
	}
}

func TestParseRow(t *testing.T) {
	for _, raw := range []string{"a\"b", "\"a", "a\nb"} {
		row, err := ParseRow([]byte(raw), ',')
		if (err == nil) != (raw[0] == 'a' && raw[1] == '"') {
			t.Errorf("%q: %v, %v", raw, row, err)
		}
	}
}

func TestAppendQuoted(t *testing.T) {
	for value, want := range map[string]string{"": "", "a b": "a b", "a,b": `"a,b"`, "a\nb": "\"a\nb\"", "a\r": "\"a\r\"", `"`: `""""`, `a"b"`: `"a""b"""`} {
		if got := string(AppendQuoted(nil, []byte(value), ',', false)); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
	if got := string(AppendQuoted([]byte("x"), []byte("a"), ',', true)); got != `x"a"` {
		t.Errorf("got %q", got)
	}
}

// Reading ends without a panic and within bounds, whatever the bytes are. A row that is written anew has the
// same values, and where the standard library reads a text, it finds the same.
func FuzzRows(f *testing.F) {
	f.Add("a,b\n1,\"x\ny\"\"\"\r\n", byte(','), uint16(100))
	f.Add("a\tb\n\"", byte('\t'), uint16(3))
	f.Fuzz(func(t *testing.T, text string, comma byte, most uint16) {
		if comma == '"' || comma == '\n' || comma == '\r' || comma >= 0x80 || comma == 0 {
			return
		}
		all := rows(t, text, comma, int64(most))
		var again []byte
		good := true
		for i, row := range all {
			if len(row) == 1 && strings.HasPrefix(row[0], "! ") {
				good = false
				continue
			}
			size := 0
			for j, value := range row {
				size += len(value)
				if j > 0 {
					again = append(again, comma)
				}
				again = AppendQuoted(again, []byte(value), comma, i%2 == 0 || len(row) == 1)
			}
			again = append(again, '\n')
			if size > int(most) {
				t.Fatalf("a row of %d bytes", size)
			}
		}
		if !good {
			return
		}
		if got := rows(t, string(again), comma, 1<<20); !slices.EqualFunc(got, all, slices.Equal[[]string]) {
			t.Fatalf("%q: written as %q: got %q, want %q", text, again, got, all)
		}
		if strings.ContainsRune(text, '\r') {
			return // the standard library changes line ends
		}
		standard := csv.NewReader(bytes.NewReader([]byte(text)))
		standard.Comma, standard.FieldsPerRecord = rune(comma), -1
		if want, err := standard.ReadAll(); err == nil && !slices.EqualFunc(all, want, slices.Equal[[]string]) {
			t.Fatalf("%q: got %q, the standard library %q", text, all, want)
		}
	})
}

// What is soon told to be no table is none.
func FuzzMayName(f *testing.F) {
	for _, s := range []string{"id,text\n1,a\n", "\n\nid,text\n1,a\n", "\"te\"\"xt\";a\nb;c\n", "\"a\nb\",text\n1,2\n", " \nid|text\n1|2\n", "\r\nid\ttext\r\na\tb\r\n"} {
		f.Add([]byte(s), "text")
		f.Add([]byte(s), "te\"xt")
		f.Add([]byte(" \x00xn,0\n,"), " \x00xn")
	}
	f.Fuzz(func(t *testing.T, head []byte, wanted string) {
		names := []string{"id", wanted}
		if _, ok := looksLike(head, true, names); ok && !mayName(head, names) {
			t.Fatalf("%q is a table with one of %q", head, names)
		}
	})
}
