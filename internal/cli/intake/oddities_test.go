package intake

import (
	"bytes"
	"fmt"
	"testing"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
)

// What is odd about documents is told once for each kind, with their number.
func TestOddities(t *testing.T) {
	var told bytes.Buffer
	teller := Teller{To: &told}
	r, err := corpus.Open([]string{t.TempDir()}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := teller.Start(r, terminal.NoProgress, "reading")
	for i := range 3 {
		teller.Decided(corpus.Decision{Path: fmt.Sprint("a.warc:", i), Oddity: corpus.OtherCharset, Charset: "koi8-r", Named: "gbk"})
	}
	teller.Decided(corpus.Decision{Path: "b.warc:7", Oddity: corpus.NoType})
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "simsearch: 3 pages or texts name another charset than the header, which counts; such as a.warc:0: read as koi8-r, not gbk\n" +
		"simsearch: 1 record is XML or has no known type, and is no page or text by its bytes: left out; such as b.warc:7\n"
	if told.String() != want {
		t.Errorf("got %q\nwant %q", told.String(), want)
	}
}
