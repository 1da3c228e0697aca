package columns

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// rewrite copies rows of the file at path that keep chooses.
func rewrite(t testing.TB, path string, added []NewColumn, keep func(i int) bool, edit func(i int) Edit) []byte {
	t.Helper()
	f, err := OpenParquet(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	w, err := f.NewWriter(&b, added)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int(f.Rows()) {
		if keep(i) {
			err = w.Keep(edit(i))
		} else {
			err = w.Drop()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Drop(); err == nil {
		t.Error("a row behind the last one")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func noEdit(int) Edit { return Edit{} }

// readRows returns all rows, their schema, and the metadata "made by".
func readRows(t testing.TB, data []byte) (rows []row, schema, madeBy string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	madeBy, _ = f.Lookup("made by")
	r := parquet.NewGenericReader[row](f)
	rows = make([]row, f.NumRows())
	if n, err := r.Read(rows); n != len(rows) {
		t.Fatalf("%d rows, %v", n, err)
	}
	return rows, f.Schema().String(), madeBy
}

// A subset of rows is the same rows, in their order, with the same columns, however the file is written.
func TestRewrite(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	made := makeRows(500)
	rows, schema, _ := readRows(t, write(t, made, 130))
	for name, options := range kinds() {
		t.Run(name, func(t *testing.T) {
			path := save(t, write(t, made, 130, options...))
			for _, share := range []float64{0, 1, rng.Float64(), rng.Float64()} {
				kept := make([]bool, len(rows))
				var want []row
				for i := range rows {
					if kept[i] = rng.Float64() < share; kept[i] {
						want = append(want, rows[i])
					}
				}
				got, gotSchema, madeBy := readRows(t, rewrite(t, path, nil, func(i int) bool { return kept[i] }, noEdit))
				if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
					t.Errorf("%d rows of %d differ from %d", len(got), len(rows), len(want))
				}
				if gotSchema != schema || madeBy != "a test" {
					t.Errorf("the schema is %s, want %s; made by %q", gotSchema, schema, madeBy)
				}
			}
		})
	}
}

// Columns are added, and texts replaced.
func TestEdit(t *testing.T) {
	rows := makeRows(200)
	original := write(t, rows, 70)
	path := save(t, original)
	rows, _, _ = readRows(t, original)
	added := []NewColumn{{Name: "cluster", Kind: Int}, {Name: "near", Kind: Float}, {Name: "kept", Kind: Bool}, {Name: "by", Kind: String}}
	data := rewrite(t, path, added, func(i int) bool { return i%3 != 0 }, func(i int) Edit {
		e := Edit{Values: []any{int64(i), float64(i) / 2, i%2 == 0, fmt.Sprint(i)}}
		if i%4 == 0 {
			e.Values = []any{nil, nil, nil, nil}
		}
		if i%5 == 0 {
			e.Column, e.Text = "plain", []byte("new")
		}
		return e
	})
	got, _, _ := readRows(t, data)
	type others struct {
		Near *float64 `parquet:"near"`
		Kept *bool    `parquet:"kept"`
	}
	more, err := parquet.Read[others](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	rewritten, err := OpenParquet(t.Context(), save(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rewritten.Close() }()
	add(t, rewritten, "cluster", "by")
	n := 0
	for i, r := range rows {
		if i%3 == 0 {
			continue
		}
		if i%5 == 0 {
			r.Plain = "new"
		}
		if !reflect.DeepEqual(got[n], r) {
			t.Fatalf("row %d is %+v, want %+v", i, got[n], r)
		}
		want := fmt.Sprintf("%d|%d", i, i)
		if i%4 == 0 {
			want = "-|-"
		}
		if cells, err := read(rewritten, 2); err != nil || cells != want {
			t.Fatalf("row %d has %s, %v, want %s", i, cells, err, want)
		}
		if o := more[n]; i%4 == 0 && (o.Near != nil || o.Kept != nil) || i%4 != 0 && (*o.Near != float64(i)/2 || *o.Kept != (i%2 == 0)) {
			t.Fatalf("row %d has %v", i, o)
		}
		n++
	}
	if n != len(got) {
		t.Errorf("%d rows, want %d", len(got), n)
	}
}

// A column takes the place of one with its name, which may be several columns of values, and the others stay.
func TestEditReplacesColumns(t *testing.T) {
	type item struct {
		A []int64 `parquet:"a,list"`
		B string  `parquet:"b"`
	}
	type before struct {
		Size  string  `parquet:"size"`
		Items []item  `parquet:"items,list"`
		Text  string  `parquet:"text"`
		Last  float64 `parquet:"last"`
	}
	type after struct {
		Text  string  `parquet:"text"`
		Last  float64 `parquet:"last"`
		Items *string `parquet:"items"`
		Size  *int64  `parquet:"size"`
	}
	var rows []before
	for i := range 200 {
		rows = append(rows, before{fmt.Sprint(i), slices.Repeat([]item{{[]int64{1, 2}, "b"}, {nil, "c"}}, i%3), fmt.Sprint("text ", i), float64(i)})
	}
	path := save(t, nil)
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	data := rewrite(t, path, []NewColumn{{Name: "items", Kind: String}, {Name: "size", Kind: Int}}, func(int) bool { return true }, func(i int) Edit {
		return Edit{Column: "text", Text: []byte(fmt.Sprint("new ", i)), Values: []any{fmt.Sprint("i", i), int64(i)}}
	})
	got, err := parquet.Read[after](bytes.NewReader(data), int64(len(data)))
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for i, r := range got {
		if r.Text != fmt.Sprint("new ", i) || r.Last != float64(i) || *r.Items != fmt.Sprint("i", i) || *r.Size != int64(i) {
			t.Fatalf("row %d is %+v", i, r)
		}
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if columns := fmt.Sprint(f.Schema().Columns()); columns != "[[text] [last] [items] [size]]" {
		t.Errorf("the columns are %s", columns)
	}
}

// Files of another program are rewritten, and are read here again.
func TestRewriteForeign(t *testing.T) {
	paths, err := filepath.Glob("testdata/parquet/*.parquet")
	if err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data := rewrite(t, path, nil, func(i int) bool { return i%3 > 0 }, noEdit)
		f, err := OpenParquet(t.Context(), save(t, data))
		if err != nil {
			t.Fatal(err)
		}
		original, err := OpenParquet(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"id", "text", "meta.lang", "meta.n", "big"}
		add(t, f, names...)
		add(t, original, names...)
		if !slices.Equal(f.Paths(), original.Paths()) {
			t.Errorf("%s: columns %q, want %q", path, f.Paths(), original.Paths())
		}
		for i := range original.Rows() {
			want, err := read(original, len(names))
			if err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				continue
			}
			if got, err := read(f, len(names)); err != nil || got != want {
				t.Errorf("%s: row %d is %q, %v, want %q", path, i, got, err, want)
			}
		}
		if _, err := read(f, len(names)); err == nil {
			t.Errorf("%s has more rows", path)
		}
	}
}

// Damage of any column is an error of the copy, and no panic.
func TestRewriteDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	good := write(t, makeRows(60), 25)
	path := save(t, good)
	for range 300 {
		bad := bytes.Clone(good)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := OpenParquet(t.Context(), path)
		if err != nil {
			continue
		}
		if w, err := f.NewWriter(&bytes.Buffer{}, nil); err == nil {
			for range 60 {
				if err := w.Keep(Edit{}); err != nil {
					break
				}
			}
			_ = w.Close()
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A column of nothing but nulls is written with the type that it is stored as, in lists and groups too, from a file
// of pyarrow 26 that has row groups without rows.
func TestRewriteNulls(t *testing.T) {
	path := filepath.Join("testdata", "parquet", "groups", "nulls.parquet")
	data := rewrite(t, path, nil, func(i int) bool { return i != 1 }, noEdit)
	was, got := footerOf(t, path), footerOf(t, save(t, data))
	for i := range was.Schema {
		if a, b := was.Schema[i], got.Schema[i]; a.Name != b.Name || a.Type != b.Type || !reflect.DeepEqual(a.LogicalType, b.LogicalType) {
			t.Errorf("the schema has %+v, want %+v", b, a)
		}
	}
	if len(got.RowGroups) != 2 || got.NumRows != 4 {
		t.Errorf("%d rows in %d groups, want 4 in 2", got.NumRows, len(got.RowGroups))
	}
	for _, g := range got.RowGroups {
		for i := range g.Columns {
			if a, b := was.RowGroups[0].Columns[i].MetaData.Type, g.Columns[i].MetaData.Type; a != b {
				t.Errorf("column %v is of type %v, want %v", g.Columns[i].MetaData.PathInSchema, b, a)
			}
		}
	}
}

// A dictionary of texts that are all different ends, in each row group.
func TestLargeDictionary(t *testing.T) {
	rows := makeRows(1600)
	for i := range rows {
		text := strings.Repeat(fmt.Sprint(i, " "), 1000)
		rows[i].Text = &text
	}
	path := save(t, write(t, rows, 800))
	data := rewrite(t, path, nil, func(i int) bool { return i%50 > 0 }, noEdit)
	got, _, _ := readRows(t, data)
	want, _, _ := readRows(t, write(t, slices.DeleteFunc(rows, func(r row) bool { return (r.ID+5)%50 == 0 }), 800))
	if !reflect.DeepEqual(got, want) {
		t.Error("other rows")
	}
	for _, group := range footerOf(t, save(t, data)).RowGroups {
		if c := group.Columns[1].MetaData; c.DataPageOffset-c.DictionaryPageOffset > maxDictionary+1<<16 || !slices.Contains(c.Encoding, format.Plain) {
			t.Errorf("a dictionary of %d bytes, encodings %v", c.DataPageOffset-c.DictionaryPageOffset, c.Encoding)
		}
	}
}

func footerOf(t *testing.T, path string) *format.FileMetaData {
	t.Helper()
	f, err := OpenParquet(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return &f.meta
}

// A message names the column that is damaged.
func TestRewriteNames(t *testing.T) {
	path := filepath.Join("testdata", "parquet", "groups", "nulls.parquet")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := footerOf(t, path).RowGroups[1].Columns[3].MetaData.DictionaryPageOffset
	clear(data[at:][:12])
	f, err := OpenParquet(t.Context(), save(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := f.NewWriter(io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Drop(); err == nil || !strings.Contains(err.Error(), `column "within.n"`) {
		t.Errorf(`%v, want the name "within.n"`, err)
	}
}
