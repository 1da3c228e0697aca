package rewrite

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
)

// Whatever a file is, it is written again as it stands if all of it stays, and with exactly the documents that
// stay otherwise.
func FuzzRewrite(f *testing.F) {
	for _, file := range files(f) {
		if file.name != "a.parquet" {
			f.Add([]byte(file.text[:min(len(file.text), 1000)]), uint8(file.o.Format), uint64(0x5555))
		}
	}
	f.Add([]byte("id,text\n1,a\n2,\"b\nc\"\r\n\n3,d"), uint8(corpus.CSV), uint64(2))
	f.Add([]byte("id,text\n1,caf\xe9\n2,\"b\nc\"\r\n\n3,d"), uint8(corpus.CSV), uint64(2))
	f.Add([]byte("\xff\xfea\x00\n\x00b\x00\n\x00c"), uint8(corpus.Lines), uint64(2))
	f.Add([]byte("[{\"text\":\"a\"},{\"text\":\"b\"} , 7]"), uint8(corpus.JSON), uint64(1))
	f.Add([]byte("\ufeff{\"text\":\"a\"}{\"text\":\"b\"}"), uint8(corpus.JSON), uint64(2))
	f.Add([]byte(record("conversion", 1)+record("x", 2)+record("conversion", 3)), uint8(corpus.WARC), uint64(1))
	f.Add([]byte("From a 10:00 2026\nA: b\n\nc\nFrom b 10:00 2026\nA: b\n\nd\n\nFrom \nA: b\n\ne"), uint8(corpus.Mail), uint64(5))
	f.Fuzz(func(t *testing.T, data []byte, format uint8, kept uint64) {
		o := corpus.Options{Format: corpus.Format(format % uint8(len(corpus.Formats()))), MaxDocument: 200}
		if o.Format == corpus.Auto || o.Format == corpus.Parquet {
			return
		}
		fsys := &disktest.FS{Base: disk.OS} // without syncs
		dir := t.TempDir()
		in, out := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		put(t, in, data)
		all, bad := read(t, in, o)
		n := 0
		result, err := File(found(t, in), out, Options{Corpus: o, FS: fsys}, func(*document.Document) (Decision, error) {
			n++
			return Decision{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n != len(all) {
			t.Fatalf("%d documents of %d", n, len(all))
		}
		if result.Path == "" {
			return // a binary file
		}
		if again, err := os.ReadFile(out); err != nil || string(again) != string(data) {
			t.Fatalf("%q is written again as %q, %v", data, again, err)
		}
		n = 0
		var want []string
		result, err = File(found(t, in), out, Options{Corpus: o, FS: fsys}, func(*document.Document) (Decision, error) {
			n++
			if kept>>(n%64)&1 == 0 {
				return Decision{Drop: true}, nil
			}
			want = append(want, all[n-1])
			return Decision{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if result.Path == "" || result.Damage != nil || o.Format == corpus.Fingerprints {
			return // one fingerprint may tell whether another one is decimal
		}
		o.Charset = charsetIn(t, found(t, in), o) // that of the rest may seem another one
		if got, gotBad := read(t, out, o); !slices.Equal(got, want) || gotBad != bad {
			again, _ := os.ReadFile(out)
			t.Fatalf("%q: %q with %d bad, want %q with %d; written as %q", data, got, gotBad, want, bad, again)
		}
	})
}

// charsetIn returns the name of the charset of a file.
func charsetIn(t *testing.T, f corpus.File, o corpus.Options) string {
	r, err := corpus.OpenFile(f, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Documents() {
		if err != nil && !errors.As(err, new(*corpus.BadError)) {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r.Charset().String()
}

// Of a line of JSON whose text is replaced, only the string that is the text changes.
func FuzzReplace(f *testing.F) {
	f.Add(`{"text":"a","n":1.0}`, "b")
	f.Add(` { "n":{"text":"x"}, "te\u0078t" : "\ud800\"\\" , "text":"\u0000" } `, "\xff\"\n<\u2028")
	f.Add(`{"text":{"text":"a"}}`, "")
	f.Add("{\"text\":\"\xff\"}", "x")
	f.Fuzz(func(t *testing.T, line, with string) {
		if strings.Contains(line, "\n") {
			return
		}
		dir := t.TempDir()
		in, out := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
		put(t, in, []byte(line))
		replaced := false
		o := Options{FS: &disktest.FS{Base: disk.OS}} // without syncs
		result, err := File(found(t, in), out, o, func(d *document.Document) (Decision, error) {
			replaced = true
			return Decision{Replace: true, Text: []byte(with)}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !replaced || result.Path == "" {
			return
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		value := string(appendString(nil, []byte(with)))
		for at := range got {
			rest, ok := strings.CutPrefix(string(got[at:]), value)
			if ok && strings.HasPrefix(line, string(got[:at])) && strings.HasSuffix(line[at:], rest) {
				var was string
				if json.Unmarshal([]byte(line[at:len(line)-len(rest)]), &was) == nil {
					return
				}
			}
		}
		t.Fatalf("%q with the text %q becomes %q", line, with, got)
	})
}
