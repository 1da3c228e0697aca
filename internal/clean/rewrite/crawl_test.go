package rewrite

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"simsearch/internal/files/document"
)

// A testRecord is a record of a crawl, of page number page, or -1.
type testRecord struct {
	text string
	page int
	is   bool // the page itself
}

// crawlOf returns records as several crawlers write them.
func crawlOf(rng *rand.Rand, pages int) (all []testRecord) {
	id := func(kind string, n int) string { return fmt.Sprintf("<urn:%s:%d>", kind, n) }
	put := func(page int, is bool, kind, id string, fields ...string) {
		block := fmt.Sprintf("%s %s %s", kind, id, strings.Repeat("x", rng.IntN(100)))
		if is {
			block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + fmt.Sprint(page)
		}
		media := map[bool]string{true: "application/http", false: "application/warc-fields"}[is]
		text := "WARC/1.0\r\nWARC-Type: " + kind + "\r\nWARC-Record-ID: " + id + "\r\nContent-Type: " + media + "\r\n"
		for _, f := range fields {
			text += f + "\r\n"
		}
		all = append(all, testRecord{text + fmt.Sprintf("Content-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block), page, is})
	}
	put(-1, false, "warcinfo", id("info", 0))
	for n := range pages {
		page := []string{fmt.Sprintf("WARC-Target-URI: http://a.test/%d", n/2), fmt.Sprintf("WARC-Date: 2026-01-01T00:00:%02dZ", n%60)}
		switch rng.IntN(6) {
		case 0: // the request comes first, and the page names it
			put(n, false, "request", id("q", n), page...)
			put(n, true, "response", id("p", n), append(page, "WARC-Concurrent-To: "+id("q", n))...)
			put(n, false, "metadata", id("m", n), append(page, "WARC-Concurrent-To: "+id("p", n))...)
		case 1: // the request names the page, and the metadata the request
			put(n, true, "response", id("p", n), page...)
			put(n, false, "request", id("q", n), append(page, "warc-concurrent-to: "+id("p", n))...)
			put(n, false, "metadata", id("m", n), append(page, "WARC-Concurrent-To: "+id("q", n))...)
		case 2: // metadata that refers to the page
			put(n, true, "response", id("p", n), page...)
			put(n, false, "metadata", id("m", n), "WARC-Refers-To: "+id("p", n))
		case 3: // address and date alone
			put(n, false, "request", id("q", n), page...)
			put(n, true, "response", id("p", n), page...)
		case 4: // a picture with its request, and a record that names nothing
			put(-1, false, "request", id("qi", n), "WARC-Target-URI: http://a.test/i.png", "WARC-Date: 2026-01-01T00:00:00Z")
			put(-1, false, "response", id("i", n), "WARC-Target-URI: http://a.test/i.png", "WARC-Date: 2026-01-01T00:00:00Z", "Content-Type: image/png")
			put(-1, false, "metadata", id("m", n))
			put(n, true, "response", id("p", n), page...)
		default:
			put(n, true, "response", id("p", n), page...)
			put(-1, false, "revisit", id("r", n), append(page, "WARC-Refers-To: "+id("p", n))...)
			all = append(all, testRecord{"\r\n\r\n\n", -1, false}) // more line ends than a record has
		}
	}
	return all
}

// What belongs to a page alone goes with it.
func TestCrawlRecordsGoWithTheirPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 9))
	for round := range 30 {
		for _, ext := range []string{".warc", ".warc.gz"} {
			dir := t.TempDir()
			in, keptPath := filepath.Join(dir, "in"+ext), filepath.Join(dir, "kept"+ext)
			pages := 1 + rng.IntN(20)
			records := crawlOf(rng, pages)
			dropped := make([]bool, pages)
			for i := range dropped {
				dropped[i] = rng.IntN(3) > 0
			}
			var all, want []string
			for _, r := range records {
				all = append(all, r.text)
				if r.page < 0 || !dropped[r.page] {
					want = append(want, r.text)
				}
			}
			put(t, in, packed(t, in, all...))
			n := 0
			result, err := File(found(t, in), keptPath, Options{}, func(*document.Document) (Decision, error) {
				n++
				return Decision{Drop: dropped[n-1]}, nil
			})
			if err != nil || n != pages || result.Damage != nil {
				t.Fatalf("%d pages of %d, %+v, %v", n, pages, result, err)
			}
			if got := unpack(t, keptPath); got != strings.Join(want, "") {
				t.Fatalf("round %d: got\n%s\nwant\n%s", round, got, strings.Join(want, ""))
			}
			if ext == ".warc.gz" {
				if n := membersIn(t, keptPath); n != len(want) {
					t.Errorf("%d members for %d records", n, len(want))
				}
			}
		}
	}
}

// membersIn returns the number of members of a file in gzip.
func membersIn(t *testing.T, path string) (n int) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for data := bytes.NewReader(file); data.Len() > 0; {
		z, err := gzip.NewReader(data)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		if _, err := io.Copy(io.Discard, z); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}
