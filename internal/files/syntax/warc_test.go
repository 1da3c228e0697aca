package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// texts returns "type uri text" for each record that may have a text, "! error" for a bad one, and tests
// that each record lies at its offset.
func texts(t testing.TB, data []byte, most int64) (all []string) {
	t.Helper()
	r := NewCrawlReader(sourceOf(bytes.NewReader(data), 16), most)
	for {
		rec, err := r.Next((*CrawlRecord).HasText)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case errors.Is(err, ErrTooLong):
			all = append(all, fmt.Sprintf("! %d too long", rec.Number))
			continue
		case err != nil:
			return append(all, "! "+err.Error())
		}
		if rec.Block == nil && !rec.HasText() {
			continue
		}
		if got := string(data[rec.Offset : rec.Offset+rec.Length]); got != string(rec.Header)+string(rec.Block) {
			t.Fatalf("record %d: %q lies at %d, want %q%q", rec.Number, got, rec.Offset, rec.Header, rec.Block)
		}
		content, err := rec.Content(most)
		if int64(len(content.Bytes)) > most {
			t.Fatalf("a text of %d bytes", len(content.Bytes))
		}
		again, parseErr := NewCrawlReader(sourceOf(bytes.NewReader(data[rec.Offset:rec.Offset+rec.Length]), 16), rec.Length).Next((*CrawlRecord).HasText)
		if parseErr != nil {
			t.Fatalf("record %d: %v", rec.Number, parseErr)
		}
		if got, gotErr := again.Content(most); string(got.Bytes) != string(content.Bytes) || got.Kind != content.Kind || got.Charset != content.Charset ||
			(gotErr == nil) != (err == nil) {
			t.Fatalf("record %d: %q, then %q", rec.Number, content.Bytes, got.Bytes)
		}
		if err != nil {
			all = append(all, fmt.Sprintf("! %d %v", rec.Number, err))
		} else if content.Kind != NoText {
			all = append(all, fmt.Sprintf("%s %s %s", rec.Type, rec.Field("WARC-Target-URI"), content.Bytes))
		}
	}
}

// record returns a record with a block.
func record(kind, contentType, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: u\r\ncontent-type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, contentType, len(block), block)
}

func TestForeign(t *testing.T) {
	packed, err := os.ReadFile("testdata/crawl.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"response http://a.test/1 <title>One</title><p>first page", "response http://a.test/2 <p>second page", "response http://a.test/3 <p>third page\n",
		"response http://a.test/1 <p>first page, later", "conversion http://a.test/6 a text é\n",
	}
	if got := texts(t, data, 1000); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	// Cut anywhere, it has the texts before the cut and one error.
	for n := range data {
		got := texts(t, data[:n], 1000)
		texts := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return strings.HasPrefix(s, "! the file is damaged: it ends inside of record") })
		if !slices.Equal(texts, want[:len(texts)]) || len(got) > len(texts)+1 {
			t.Fatalf("cut at %d: %q", n, got)
		}
	}
}

func TestRecords(t *testing.T) {
	const html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	const response, plain = "application/http; msgtype=response", "text/plain"
	good := record("conversion", plain, "good")
	for name, tt := range map[string]struct {
		data string
		want []string
	}{
		"nothing":              {"", nil},
		"line ends":            {"\r\n\n" + good + "\r\n\n" + good, []string{"conversion u good", "conversion u good"}},
		"line feeds":           {strings.ReplaceAll(good, "\r\n", "\n"), []string{"conversion u good"}},
		"no line ends behind":  {strings.TrimSpace(good) + good, []string{"conversion u good", "conversion u good"}},
		"a resource":           {record("resource", "text/html", "<p>a") + record("resource", "image/png", "x"), []string{"resource u <p>a"}},
		"other records":        {record("request", response, "GET / HTTP/1.1\r\n\r\n") + record("metadata", plain, "x") + good, []string{"conversion u good"}},
		"too long":             {record("conversion", plain, strings.Repeat("x", 500)) + good, []string{"! 1 too long", "conversion u good"}},
		"long, of another":     {record("metadata", plain, strings.Repeat("x", 5000)) + good, []string{"conversion u good"}},
		"not a record":         {good + "<html>", []string{"conversion u good", fmt.Sprintf(`! record 2, which begins at byte %d: the file is damaged: "<html>", where WARC/ should begin a record`, len(good))}},
		"a bad length":         {"WARC/1.0\r\nContent-Length: x\r\n\r\n", []string{`! record 1, which begins at byte 0: the file is damaged: a Content-Length of "x"`}},
		"a length beyond":      {"WARC/1.0\r\nContent-Length: 9223372036854775807\r\n\r\n", []string{"! record 1, which begins at byte 0: the file is damaged: a Content-Length of 9223372036854775807"}},
		"a length too large":   {good + "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: 200\r\n\r\nx", []string{"conversion u good", fmt.Sprintf("! the file is damaged: it ends inside of record 2, which begins at byte %d", len(good))}},
		"a page":               {record("response", response, html+"\r\n<p>a"), []string{"response u <p>a"}},
		"a page of no type":    {record("response", response, "HTTP/1.1 200 OK\r\n\r\n<p>a"), []string{"response u <p>a"}},
		"a failure":            {record("response", response, strings.Replace(html, "200", "503", 1)+"\r\n<p>a"), nil},
		"no body":              {record("response", response, html), []string{"response u "}},
		"no header":            {record("response", response, "<p>a"), []string{"! 1 no HTTP header before the body"}},
		"chunks":               {record("response", response, html+"transfer-encoding: chunked\r\n\r\n3;x=y\r\n<p>\r\n1\r\na\r\n0\r\n\r\n"), []string{"response u <p>a"}},
		"chunks that are cut":  {record("response", response, html+"Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n9\r\na"), []string{"response u <p>a"}},
		"chunks that are none": {record("response", response, html+"Transfer-Encoding: chunked\r\n\r\n<p>a") + record("response", response, html+"Transfer-Encoding: chunked\r\n\r\na\n<p>more than ten"), []string{"response u <p>a", "response u a\n<p>more than ten"}},
		"gzip":                 {record("response", response, html+"Content-Encoding: GZIP\r\n\r\n"+gzipped("<p>a")), []string{"response u <p>a"}},
		"gzip that is none":    {record("response", response, html+"Content-Encoding: gzip\r\n\r\n<p>a"), []string{"response u <p>a"}},
		"gzip that is cut":     {record("response", response, html+"Content-Encoding: gzip\r\n\r\n"+gzipped("<p>a")[:20]), []string{"! 1 a body in gzip: unexpected EOF"}},
		"gzip, expanding":      {record("response", response, html+"Content-Encoding: gzip\r\n\r\n"+gzipped(strings.Repeat("a", 1<<20))), []string{"! 1 the record is too long"}},
		"deflate":              {record("response", response, html+"Content-Encoding: deflate\r\n\r\n"+deflated("<p>a")), []string{"response u <p>a"}},
		"deflate that is none": {record("response", response, html+"Content-Encoding: deflate\r\n\r\n<p>a text"), []string{"response u <p>a text"}},
		"deflate that is cut":  {record("response", response, html+"Content-Encoding: deflate\r\n\r\n"+deflated("<p>The ship leaves the old harbour at nine.")[:30]), []string{"! 1 a body in deflate: unexpected EOF"}},
		"gzip without a field": {record("response", response, html+"\r\n"+gzipped("<p>a")), []string{"response u <p>a"}},
		"gzip of gzip":         {record("response", response, html+"Content-Encoding: gzip, x-gzip\r\n\r\n"+gzipped(gzipped("<p>a"))), []string{"response u <p>a"}},
		"gzip and a line end":  {record("response", response, html+"Content-Encoding: gzip\r\n\r\n"+gzipped("<p>a")+gzipped("b")+"\r\n"), []string{"response u <p>ab"}},
		"gzip and more":        {record("response", response, html+"Content-Encoding: gzip\r\n\r\n"+gzipped("<p>a")+strings.Repeat("\x00", 50)), []string{"response u <p>a"}},
		"gzip, cut behind":     {record("response", response, html+"Content-Encoding: gzip\r\n\r\n"+gzipped("<p>a")+gzipped("b")[:15]), []string{"! 1 a body in gzip: unexpected EOF"}},
		"br that is none":      {record("response", response, html+"Content-Encoding: br\r\n\r\n<p>a text"), []string{"response u <p>a text"}},
	} {
		most := int64(400)
		if strings.HasPrefix(name, "gzip, exp") {
			most = 4000
		}
		if got := texts(t, []byte(tt.data), most); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tt.want)
		}
	}
}

// deflated returns s compressed without the header of zlib.
func deflated(s string) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

// An error of the source is returned as it is, with its place.
func TestErrorOfTheCrawl(t *testing.T) {
	broken := errors.New("broken")
	for _, begin := range []string{"", "WARC/1.0\r\n", record("conversion", "text/plain", "x")} {
		r := NewCrawlReader(sourceOf(io.MultiReader(strings.NewReader(begin), iotest.ErrReader(broken)), 16), 1000)
		var err error
		for err == nil {
			_, err = r.Next((*CrawlRecord).HasText)
		}
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "at byte ") {
			t.Errorf("%q: %v", begin, err)
		}
	}
}

// Reading ends without a panic and within bounds, whatever the bytes are.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(record("conversion", "text/plain", "a text")+record("warcinfo", "", "")), uint16(500))
	f.Add([]byte(record("response", "application/http", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"+gzipped("<p>a"))), uint16(1000))
	f.Add([]byte(record("response", "", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0")), uint16(1000))
	f.Fuzz(func(t *testing.T, data []byte, most uint16) {
		texts(t, data, int64(most))
	})
}
