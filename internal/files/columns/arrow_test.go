package columns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
)

const enough = 1 << 24

// samples returns the files of other programs.
func samples(t testing.TB) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"testdata/arrow/*.arrow", "testdata/arrow/*.arrows"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, some...)
	}
	if len(paths) < 7 {
		t.Fatal(paths)
	}
	return paths
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// opened returns data as a file on the disk, if they are a file, and otherwise as what cannot be read at any place.
func opened(t testing.TB, data []byte) io.Reader {
	t.Helper()
	if !bytes.HasPrefix(data, []byte(arrowMagic)) {
		return bytes.NewReader(data)
	}
	path := filepath.Join(t.TempDir(), "opened")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// values returns the values of a column, "-" for null.
func values(t testing.TB, data []byte, name string) (all []string) {
	t.Helper()
	r, err := NewArrow(opened(t, data), enough)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := r.Add(name)
	if err != nil {
		t.Fatal(name, err)
	}
	for row := int64(0); ; row++ {
		switch err := r.Next(); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		case r.Row() != row:
			t.Fatalf("row %d, want %d", r.Row(), row)
		}
		v, ok, err := r.Append(nil, n)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			v = []byte("-")
		}
		all = append(all, string(v))
	}
}

// Columns have the values that testdata/arrow/make.py has written.
func TestValues(t *testing.T) {
	const rows = 40
	wants := map[string]func(i int) string{
		"id":    func(i int) string { return fmt.Sprint(i) },
		"text":  func(i int) string { return fmt.Sprintf("text %d of a few words", i/2) },
		"big":   func(i int) string { return fmt.Sprintf("x%d", i) },
		"view":  func(i int) string { return []string{fmt.Sprintf("v%d", i), "", ""}[i%3] },
		"bytes": func(i int) string { return fmt.Sprintf("\x00\xff%d", i) },
		"yes":   func(i int) string { return fmt.Sprint(i%3 == 0) },
		"tiny":  func(i int) string { return fmt.Sprint(i - 20) },
		"word":  func(i int) string { return fmt.Sprint(^uint64(0) - uint64(i)) },
		"price": func(i int) string { return fmt.Sprint(float64(i) / 8) },
		"ratio": func(i int) string { return fmt.Sprint(float64(i) / 7) },
		"day":   func(i int) string { return []string{"2024-01-01", "2024-01-02", "2024-01-03"}[min(i, 2)] },
		"when":  func(i int) string { return fmt.Sprintf("1970-01-01T00:00:%02dZ", i) },
		"nano": func(i int) string {
			return strings.TrimRight(fmt.Sprintf("1970-01-01T00:00:00.%09d", i*1000), "0.") + "Z"
		},
		"none":      func(int) string { return "-" },
		"tags[]":    func(i int) string { return []string{"", "a", "a\nb"}[i%3] },
		"meta.n":    func(i int) string { return fmt.Sprint(i) },
		"meta.in.s": func(i int) string { return fmt.Sprint(i) },
	}
	for _, path := range samples(t) {
		data := load(t, path)
		names := []string{"id", "text", "view", "tags[]", "meta.n", "meta.in.s", "when", "ratio"}
		if !strings.Contains(path, "polars") {
			names = nil
			for name := range wants {
				names = append(names, name)
			}
		}
		for _, name := range names {
			got := values(t, data, name)
			if strings.Contains(path, "empty") != (len(got) == 0) {
				t.Errorf("%s %s: %d rows", path, name, len(got))
			}
			for i, v := range got {
				want, every := wants[name](i), 7
				if name == "text" {
					every = 10
				}
				if v == "-" && i%every == every-1 || name == "day" && i > 2 || name == "nano" && i == 0 {
					continue
				}
				if name == "view" && i%3 > 0 {
					want = fmt.Sprintf("a view of a text, number %d", i)
				}
				if v != want || len(got) != rows {
					t.Errorf("%s: %s of row %d is %q, want %q", path, name, i, v, want)
				}
			}
		}
		r, err := NewArrow(opened(t, data), enough)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"nowhere", "meta.nowhere", "id.x"} {
			if _, _, err := r.Add(name); !errors.Is(err, ErrNoColumn) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, name := range []string{"kind", "meta", "tags"} {
			if _, _, err := r.Add(name); !errors.As(err, new(*TypeError)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if names := r.Paths(); !slices.Contains(names, "meta.in.s") || slices.Contains(names, "meta") {
			t.Errorf("%q", names)
		}
	}
}

// A file that is cut while it is read is an error, whatever has been read of it.
func TestCutWhileRead(t *testing.T) {
	data := load(t, filepath.Join("testdata", "arrow", "file.arrow"))
	for _, writes := range []bool{false, true} {
		from := opened(t, data).(*os.File)
		r, err := NewArrow(from, enough)
		if err != nil {
			t.Fatal(err)
		}
		n, _, err := r.Add("text")
		if err = errors.Join(err, r.Next()); err != nil {
			t.Fatal(err)
		}
		w, err := NewArrowWriter(from, io.Discard, nil, enough)
		if err = errors.Join(err, w.Keep(Edit{})); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(from.Name(), 0); err != nil {
			t.Fatal(err)
		}
		if writes {
			err = w.Close()
		} else {
			_, _, err = r.Append(nil, n)
		}
		if !errors.Is(err, disk.ErrFault) && runtime.GOOS == "linux" {
			t.Errorf("%v, want %v", err, disk.ErrFault)
		}
	}
	// Behind the new end, the last page has zeros.
	from := opened(t, data).(*os.File)
	r, err := NewArrow(from, enough)
	if err = errors.Join(err, os.Truncate(from.Name(), int64(len(data)-1))); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = r.Next()
	}
	if !errors.Is(err, disk.ErrFault) {
		t.Errorf("%v, want %v", err, disk.ErrFault)
	}
}

// rewritten writes some rows of data again.
func rewritten(t testing.TB, data []byte, added []NewColumn, rows int, what func(i int) (Edit, bool)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewArrowWriter(opened(t, data), &out, added, enough)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if edit, keep := what(i); keep {
			err = w.Keep(edit)
		} else {
			err = w.Drop()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Where all rows stay, the bytes do; texts can be replaced in all types of strings.
func TestWritten(t *testing.T) {
	for _, path := range samples(t) {
		data := load(t, path)
		rows := len(values(t, data, "id"))
		same := rewritten(t, data, nil, rows, func(int) (Edit, bool) { return Edit{}, true })
		if !slices.Equal(values(t, same, "text"), values(t, data, "text")) {
			t.Errorf("%s: other texts", path)
		}
		if end := bytes.LastIndex(data, []byte("\xff\xff\xff\xff\x00\x00\x00\x00")); !bytes.Equal(same[:min(end, len(same))], data[:end]) && strings.HasSuffix(path, "s") {
			t.Errorf("%s: what stays has other bytes", path)
		}
		if rows == 0 {
			continue
		}
		for _, column := range []string{"text", "big", "view"} {
			if column == "big" && strings.Contains(path, "polars") {
				continue
			}
			long := strings.Repeat("a new text ", 3)
			changed := rewritten(t, data, nil, rows, func(i int) (Edit, bool) {
				if i%4 == 1 {
					return Edit{Column: column, Text: []byte(long)}, true
				}
				return Edit{}, i%4 > 0
			})
			got, was, n := values(t, changed, column), values(t, data, column), 0
			for i, v := range was {
				if i%4 == 0 {
					continue
				}
				if i%4 == 1 && v != "-" {
					v = long
				}
				if got[n] != v {
					t.Errorf("%s: %s of row %d is %q, want %q", path, column, i, got[n], v)
				}
				n++
			}
			if n != len(got) {
				t.Errorf("%s: %d rows, want %d", path, len(got), n)
			}
		}
	}
}

// Damage is an error that says so, wherever it is, and takes no more memory than is allowed.
func TestArrowDamage(t *testing.T) {
	for _, path := range samples(t) {
		data := load(t, path)
		for n := 0; n < len(data)-8; n += 1 + n/16 {
			if err := readAll(bytes.NewReader(data[:n]), bytes.NewReader(data[:n]), enough); err == nil && !bytes.HasSuffix(data[:n], make([]byte, 8)) && strings.HasSuffix(path, ".arrow") {
				t.Errorf("%s: %d of %d bytes are read as all", path, n, len(data))
			}
		}
	}
	big := load(t, "testdata/arrow/stream.arrows")
	if err := readAll(bytes.NewReader(big), bytes.NewReader(big), 1000); err == nil || !strings.Contains(err.Error(), "--memory") {
		t.Errorf("a batch that is larger than the memory: %v", err)
	}
	if err := readAll(strings.NewReader("\x00\x01text"), nil, enough); err == nil {
		t.Error("no Arrow is read")
	}
}

// What the buffers of a batch decompress to is bounded, all of them together.
func TestMemoryOfABatch(t *testing.T) {
	packed := 0
	for _, path := range samples(t) {
		r, err := NewArrow(bytes.NewReader(load(t, path)), enough)
		if err != nil {
			continue // one that has to be read by its footer
		}
		for {
			m, err := r.from.next()
			if err != nil {
				break
			}
			if m.kind != isBatch {
				continue
			}
			_, err = r.schema.batch(m, 100)
			if whole, _ := r.schema.batch(m, enough); whole == nil || !whole.packed || whole.rows < 20 {
				continue
			}
			if packed++; err == nil || !strings.Contains(err.Error(), "more memory than is left") {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if packed == 0 {
		t.Error("no batch is compressed")
	}
}

// Strings and lists begin where the ones before end, or behind that.
func TestOffsetsAscend(t *testing.T) {
	tried := 0
	for _, path := range samples(t) {
		r, err := NewArrow(bytes.NewReader(load(t, path)), enough)
		if err != nil {
			continue // one that has to be read by its footer
		}
		for m, err := r.from.next(); err == nil; m, err = r.from.next() {
			if m.kind != isBatch {
				continue
			}
			b, err := r.schema.batch(m, enough)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range b.columns {
				if a.layout.offsets == 0 || a.length < 2 {
					continue
				}
				tried++
				const at = 1
				offsets := bytes.Clone(a.buffers[at])
				copy(offsets[a.layout.offsets:], offsets[int(a.length)*a.layout.offsets:][:a.layout.offsets]) // the first one has all
				offsets[a.layout.offsets]++
				a.buffers[at] = offsets
				if err := a.check(); err == nil || !strings.Contains(err.Error(), "end before they begin") {
					t.Errorf("%s, column %s: %v", path, a.name, err)
				}
			}
		}
	}
	if tried == 0 {
		t.Error("there are no strings")
	}
}

// readAll reads all columns that can be read, and writes every other row again.
func readAll(from, again io.Reader, most int64) error {
	r, err := NewArrow(from, most)
	if err != nil {
		return err
	}
	n := 0
	for _, name := range r.Paths() {
		if _, _, err := r.Add(name); err == nil {
			n++
		}
	}
	w, failed := NewArrowWriter(again, io.Discard, []NewColumn{{"text", String}, {"new", Int}}, most)
	for row := 0; ; row++ {
		err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if row > 10_000 {
			return nil // of nothing, there may be any number
		}
		for i := range n {
			if _, _, err := r.Append(nil, i); err != nil {
				return err
			}
		}
		if failed == nil && row%2 == 0 {
			failed = w.Keep(Edit{Values: []any{"x", int64(row)}})
		} else if failed == nil {
			failed = w.Drop()
		}
	}
	if failed != nil {
		return failed
	}
	return w.Close()
}

// Whatever the bytes are, reading and writing end, with an error or without.
func FuzzArrow(f *testing.F) {
	for _, path := range samples(f) {
		f.Add(load(f, path))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 20
		from, again := io.Reader(bytes.NewReader(data)), io.Reader(bytes.NewReader(data))
		if len(data)%2 == 0 {
			from, again = opened(t, data), opened(t, data)
		}
		if err := readAll(from, again, most); err != nil && strings.Contains(err.Error(), "out of memory") {
			t.Error(err)
		}
	})
}

// A sound file with a column that is not read is not called damaged, wherever the column stands.
func TestUnread(t *testing.T) {
	for name, want := range map[string]string{
		"run_ends.arrow":         `column "column": it is coded by run ends, which is not read: write it as a plain one, or leave it out`,
		"list_views.arrow":       `column "column": it is a view of lists, which is not read: write it as a plain one, or leave it out`,
		"large_list_views.arrow": `column "column": it is a view of lists, which is not read: write it as a plain one, or leave it out`,
		"within.arrows":          `column "column": column "inside": it is coded by run ends, which is not read: write it as a plain one, or leave it out`,
	} {
		_, err := NewArrow(opened(t, load(t, filepath.Join("testdata", "arrow", "unread", name))), enough)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// A column that is coded by a dictionary is refused in one sentence, which says what to do.
func TestAddCoded(t *testing.T) {
	r, err := NewArrow(opened(t, load(t, filepath.Join("testdata", "arrow", "file.arrow"))), enough)
	if err != nil {
		t.Fatal(err)
	}
	want := `column "kind" is coded by a dictionary: write it as a plain one, such as with pyarrow's cast or pandas' astype`
	if _, _, err := r.Add("kind"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
