package corpus

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/files/document"
)

// Reading must end without a panic, whatever the bytes are, compressed or not, and however small
// the largest document is. It gives only errors with a place, and no document that is too long.
func FuzzRead(f *testing.F) {
	extensions := []string{"", ".gz", ".zst", ".bz2", ".xz"}
	f.Add([]byte(`{"id":"x","text":"a"}`+"\n"+`{"text":"\ud800"}`), uint8(JSONL), uint8(0), uint16(20))
	f.Add([]byte(`{"m":{"id":"x"},"text":"a","text":"b"}`), uint8(JSONL), uint8(1), uint16(100))
	f.Add([]byte("id\t70f26225f4a2a2a9\n"), uint8(Fingerprints), uint8(2), uint16(0))
	f.Add([]byte("a\r\n\x00b"), uint8(Lines), uint8(0), uint16(1))
	f.Add([]byte(gzipped("a\nbc\n")), uint8(Lines), uint8(6), uint16(1))
	f.Add([]byte(zstdFrame(17, 2)), uint8(Text), uint8(7), uint16(1000))
	f.Add([]byte("<p>a"), uint8(HTML), uint8(3), uint16(3))
	f.Add([]byte("a\tb c\n"), uint8(Sets), uint8(0), uint16(3))
	f.Add([]byte(`[{"id":"x","text":"a"}, {"text":"b"}]`), uint8(JSON), uint8(0), uint16(20))
	f.Add([]byte("{\n\"text\": \"b\"}"), uint8(Auto), uint8(1), uint16(20))
	f.Add([]byte("id,text\n1,\"a\n\"\"b\"\"\"\n2,c,d\r\n"), uint8(CSV), uint8(0), uint16(20))
	f.Add([]byte("text\tid\na\t1\n\"\t2"), uint8(TSV), uint8(1), uint16(20))
	f.Add([]byte("WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nab\r\n\r\n"), uint8(WARC), uint8(0), uint16(200))
	f.Add([]byte("From a@b Thu Jan  1 00:00:00 2026\nMessage-ID: <1>\n\na\n\nFrom \nSubject: x\n\n>From b"), uint8(Mail), uint8(0), uint16(200))
	f.Add([]byte(`{"cells":[{"cell_type":"code","source":["a\n","b"]}]}`), uint8(Notebook), uint8(1), uint16(200))
	f.Add([]byte("func f() { a(); b() }\nfunc g() {}"), uint8(Code), uint8(1), uint16(200))
	f.Add([]byte("Content-Type: text/html; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8NLJ18XU"), uint8(Mail), uint8(1), uint16(200))
	f.Fuzz(func(t *testing.T, data []byte, format, how uint8, most uint16) {
		o := Options{Format: Format(format % uint8(len(kinds))), Lenient: true, MaxDocument: int64(most), Memory: 1}
		name := "-"
		if extension := extensions[how%5]; extension == "" {
			o.Stdin = bytes.NewReader(data)
		} else {
			contents := string(data)
			switch packed := how%10 < 5; { // else data stands for a compressed file
			case packed && extension == ".gz":
				contents = gzipped(contents)
			case packed && extension == ".zst":
				contents = zstdCompressed(t, contents)
			}
			name = filepath.Join(t.TempDir(), "f.go"+extension)
			if err := os.WriteFile(name, []byte(contents), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Open([]string{name}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		limit := r.limits.document
		if o.MaxDocument > 0 && limit != o.MaxDocument {
			t.Fatalf("the limit is %d, not %d", limit, o.MaxDocument)
		}
		var doc document.Document
		var lines int
		for {
			switch err := r.readDocument(&doc); {
			case errors.Is(err, io.EOF):
				return
			case errors.As(err, new(*InputError)):
				return // standard input that names a file
			case err == nil && len(doc.ID) == 0:
				t.Fatal("a document without an id")
			case err == nil && o.Format != HTML && o.Format != WARC && int64(len(doc.Text)) > limit:
				t.Fatalf("a document of %d bytes, more than %d", len(doc.Text), limit)
			case err == nil && len(doc.Text) > 8*int(limit)+8:
				t.Fatalf("a page of %d bytes from less than %d", len(doc.Text), limit)
			case err == nil && doc.Line > 0 && doc.Line <= lines:
				t.Fatalf("line %d comes after line %d", doc.Line, lines)
			case err == nil && doc.Line == 0 && lines > 0:
				t.Fatal("a file behind its lines")
			case err != nil && !errors.As(err, new(*BadError)):
				t.Fatalf("an error without a place: %v", err)
			}
			lines = max(lines, doc.Line)
		}
	})
}
