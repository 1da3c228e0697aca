package corpus

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/spill"
)

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want limits
	}{
		{Options{Memory: 64e9}, limits{document: 64e6, window: 128 << 20, pixels: 1 << 26}},
		{Options{Memory: 64e9, MaxDocument: 7}, limits{document: 7, window: 128 << 20, pixels: 1 << 26}},
		{Options{Memory: 1e15, MaxDocument: 1e12}, limits{document: 1_000_000_000_000, window: 128 << 20, pixels: 1 << 26}},
		{Options{Memory: 500e6}, limits{document: 4166666, window: 125e6, fromMemory: true, pixels: 20833333}},
		{Options{Memory: 1e6}, limits{document: 1e6, window: 8 << 20, fromMemory: true, pixels: 4 << 20}},
		{Options{Memory: 1e12}, limits{document: 64e6, window: 128 << 20, pixels: 1 << 26}},
		{Options{Memory: 500e6, MaxDocument: 9e6}, limits{document: 4166666, window: 125e6, fromMemory: true, pixels: 20833333}},
		{Options{Memory: 500e6, MaxDocument: 3e6}, limits{document: 3e6, window: 125e6, pixels: 20833333}},
		{Options{Memory: 500e6, Format: Image}, limits{document: 62.5e6, window: 125e6, fromMemory: true, pixels: 20833333}},
	} {
		if got, err := newLimits(tt.o); err != nil || got != tt.want {
			t.Errorf("MaxDocument %d, Memory %d: %+v, %v, want %+v", tt.o.MaxDocument, tt.o.Memory, got, err, tt.want)
		}
	}
	byDefault, err := newLimits(Options{})
	if want, _ := newLimits(Options{Memory: spill.DefaultMemory()}); err != nil || byDefault != want {
		t.Errorf("by default %+v, %v, want %+v", byDefault, err, want)
	}
	for _, o := range []Options{{MaxDocument: -1}, {Memory: -1}} {
		if _, err := Open([]string{"-"}, o); err == nil {
			t.Errorf("%d, %d: no error", o.MaxDocument, o.Memory)
		}
	}
}

// What counts is the size of a text when it is normalised, too, in every format, and after decompression.
func TestMaxDocumentNormalised(t *testing.T) {
	const fits, grows = "\ufdfa", "\ufdfa\ufdfa" // 33 and 66 bytes
	const tooLong = "normalised, it is longer than 40 B: left out"
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{"a text that fits", "a.txt", fits, []string{"a.txt=" + fits}},
		{"a text", "a.txt", grows, []string{"! a.txt: " + tooLong}},
		{"compressed", "a.txt.gz", string(zipped(t, grows)), []string{"! a.txt.gz: " + tooLong}},
		{"lines of JSON", "a.jsonl", `{"id":"x","text":"` + grows + `"}` + "\n" + `{"id":"y","text":"` + fits + `"}` + "\n", []string{"! a.jsonl:1: " + tooLong, "y=" + fits}},
		{"a table", "a.csv", "id,text\nx," + grows + "\ny," + fits + "\n", []string{"! a.csv:2: " + tooLong, "y=" + fits}},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile(tt.file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open([]string{tt.file}, Options{MaxDocument: 40})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for doc, err := range r.Documents() {
			if err != nil {
				got = append(got, "! "+err.Error())
			} else {
				got = append(got, string(doc.ID)+"="+string(doc.Text))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func zipped(t *testing.T, text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file that is read whole is left out if it is larger than allowed, also if only reading it tells that.
func TestReadAll(t *testing.T) {
	for _, size := range []int{999, 1000, 1001, 5000} {
		path := filepath.Join(t.TempDir(), "a.gz")
		if err := os.WriteFile(path, zipped(t, strings.Repeat("a", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := inputs.Open(path, false, inputs.StreamOptions{Context: t.Context(), Window: leastWindow})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := (limits{document: 1000}).readAll(s, nil); errors.Is(err, ErrTooLong) != (size > 1000) || err == nil && len(data) != size {
			t.Errorf("%d bytes: %d, %v", size, len(data), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTooLongSaysWhy(t *testing.T) {
	if got, want := (limits{document: 64e6}).tooLong().Error(), "longer than 64.0 MB: left out"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got, want := (limits{document: 4166666, fromMemory: true}).tooLong().Error(), "longer than 4.17 MB, which is what the limit of memory leaves for a document: left out"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A document of MaxDocument bytes is read. One more byte makes it a bad document, in every format,
// however the bytes arrive. The documents after it are read.
func TestMaxDocument(t *testing.T) {
	const tooLong = "longer than 20 B: left out"
	fits, more := "12345678901234567890", "123456789012345678901"
	long := strings.Repeat(more, bufferSize/5)
	for _, tt := range []struct {
		name, file, text string
		format           Format
		want             []string
	}{
		{"a text that fits", "a", fits, Text, []string{"a=" + fits}},
		{"a text that fits behind a byte order mark", "a", "\ufeff" + fits, Text, []string{"a=" + fits}},
		{"a text", "a", more, Text, []string{"! a: " + tooLong}},
		{"a text behind a byte order mark", "a", "\ufeff" + more, Text, []string{"! a: " + tooLong}},
		{"a long text", "a", long, Text, []string{"! a: " + tooLong}},
		{"a page that fits", "a", "<p>45678901234567890", HTML, []string{"a=45678901234567890"}},
		{"a page", "a", "<p>456789012345678901", HTML, []string{"! a: " + tooLong}},
		{"lines that fit", "a", fits + "\n" + fits + "\r\n" + fits, Lines, []string{"a#1=" + fits, "a#2=" + fits, "a#3=" + fits}},
		{"lines", "a", more + "\n" + more + "\r\nx\n" + more, Lines,
			[]string{"! a:1: " + tooLong, "! a:2: " + tooLong, "a#3=x", "! a:4: " + tooLong}},
		{"long lines", "a", "x\n" + long + "\n" + long + "\r\ny\n" + long, Lines,
			[]string{"a#1=x", "! a:2: " + tooLong, "! a:3: " + tooLong, "a#4=y", "! a:5: " + tooLong}},
		{"records", "a", `{"text":"123456789"}` + "\n" + `{"text":"1234567890"}` + "\n" + `{"text":"y"}`, JSONL,
			[]string{"a#1=123456789", "! a:2: " + tooLong, "a#3=y"}},
		{"sets", "a", "id\t1 3 5 7 9 1 3 5 78\nid\t1 3 5 7 9 1 3 5 789\nx\ty", Sets,
			[]string{"id=1 3 5 7 9 1 3 5 78", "! a:2: " + tooLong, "x=y"}},
		{"fingerprints", "a", "id1\t0000000000000001\nid12\t0000000000000001\ni\t0000000000000002", Fingerprints,
			[]string{"id1=1", "! a:2: " + tooLong, "i=2"}},
	} {
		o := Options{Format: tt.format, MaxDocument: 20}
		if tt.format == Sets {
			o.MaxDocument = 21
		}
		for name, contents := range map[string]string{"a": tt.text, "a.gz": gzipped(tt.text), "a.zst": zstdCompressed(t, tt.text)} {
			t.Run(tt.name+" in "+name, func(t *testing.T) {
				files(t, map[string]string{name: contents})
				r, err := Open([]string{name}, o)
				if err != nil {
					t.Fatal(err)
				}
				got := readAll(t, r)
				for i := range got { // neither the path nor the size matters here
					got[i] = strings.Replace(strings.Replace(got[i], name, "a", 1), "longer than 21 B", "longer than 20 B", 1)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %.200q\nwant %.200q", got, tt.want)
				}
			})
		}
	}
}

// endless returns a reader of n bytes of text without a line end, then a line end and "last".
func endless(n int64) io.Reader {
	return io.MultiReader(io.LimitReader(letters{}, n), strings.NewReader("\nlast"))
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// A document that is too long is not held in memory.
func TestTooLongIsNotHeld(t *testing.T) {
	for format, want := range map[Format][]string{Lines: {"! -:1: ", "-#2=last"}, JSONL: {"! -:1: ", "! -:2: "}, Text: {"! standard input: "}, HTML: {"! standard input: "}} {
		var got []string
		took := allocated(func() {
			r, err := Open([]string{"-"}, Options{Format: format, MaxDocument: 1e6, Stdin: endless(300e6)})
			if err != nil {
				t.Fatal(err)
			}
			got = readAll(t, r)
		})
		if len(got) != len(want) {
			t.Errorf("%v: %.200q", format, got)
		}
		for i := range min(len(got), len(want)) {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%v: got %.200q, want %q", format, got[i], want[i])
			}
		}
		if took > 20e6 {
			t.Errorf("%v: a document of 300 MB took %d bytes", format, took)
		}
	}
}

// If the size of a file is known, almost nothing of a document that is too long is read.
func TestTooLongIsNotRead(t *testing.T) {
	files(t, map[string]string{"a": strings.Repeat("text ", 1e6), "b": "B"})
	r, err := Open([]string{"a", "b"}, Options{MaxDocument: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, r); len(got) != 2 || got[1] != "b=B" {
		t.Errorf("got %.200q", got)
	}
	if done, _ := r.Progress(); done > bufferSize+1 {
		t.Errorf("%d bytes were read", done)
	}
}

// An id that is too long, or has a zero byte, makes a bad document.
func TestBadIDs(t *testing.T) {
	longest, longer := strings.Repeat("i", maxID), strings.Repeat("i", maxID+1)
	for _, tt := range []struct {
		format Format
		in     string
		want   []string
	}{
		{JSONL, `{"id":"x\u0000y","text":"a"}` + "\n" + `{"id":"x","text":"a\u0000b"}` + "\n" + `{"id":"` + longest + `","text":"c"}` + "\n" + `{"id":"` + longer + `","text":"c"}`,
			[]string{"! -:1: the id has a zero byte", "x=a\x00b", longest + "=c", "! -:4: the id has 65537 bytes, want at most 65536"}},
		{Fingerprints, strings.Repeat("a\t0000000000000001\n", 1000) + "x\x00y\t0000000000000002\n" + longer + "\t0000000000000003",
			append(slices.Repeat([]string{"a=1"}, 1000), "! -:1001: the id has a zero byte", "! -:1002: the id has 65537 bytes, want at most 65536")},
		{Sets, strings.Repeat("a\tb\n", 3000) + "x\x00y\tb\nz\tb",
			append(slices.Repeat([]string{"a=b"}, 3000), "! -:3001: the id has a zero byte", "z=b")},
	} {
		r, err := Open([]string{"-"}, Options{Format: tt.format, Stdin: bytes.NewReader([]byte(tt.in))})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %.100q", tt.format, got)
		}
	}
}
