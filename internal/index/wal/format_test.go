package wal

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
)

var update = flag.Bool("update", false, "write the dump in docs/measured/FORMAT-BYTES.md anew")

const formatPage = "../../../docs/measured/FORMAT-BYTES.md"

// The annotated dump in docs/measured/FORMAT-BYTES.md must be that of the bytes this program writes. Run
// go test ./internal/index/wal -run FormatPage -update to write it anew and review the diff.
func TestFormatPageShowsTheBytes(t *testing.T) {
	layout := segment.Layout{Bits: 64}
	fsys := disk.NewMemory()
	w, err := create(fsys, "log", 7, testSeed, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []segment.Batch{
		{Documents: []segment.Document{{ID: []byte("a.txt"), HasFingerprint: true, Fingerprint: 0xfedcba9876543210}, {ID: []byte("b.txt")}}},
		{Deletes: [][]byte{[]byte("a.txt")}},
	} {
		if _, err := w.Append(b.Append(nil, layout)); err != nil {
			t.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	log, err := fsys.ReadFile("log", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(formatPage)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- log -->\n", "<!-- end log -->"
	head, rest, ok1 := strings.Cut(string(page), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatal("docs/measured/FORMAT-BYTES.md has no block log")
	}
	want := head + begin + "```text\n" + dump(t, log) + "```\n" + end + tail
	if want == string(page) {
		return
	}
	if *update {
		if err := os.WriteFile(formatPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("docs/measured/FORMAT-BYTES.md does not show the bytes that are written; run go test ./internal/index/wal -run FormatPage -update and review the change")
}

// dump shows a log: offset, bytes, and what they mean.
func dump(t *testing.T, log []byte) string {
	t.Helper()
	var b strings.Builder
	at := 0
	line := func(n int, meaning string) []byte {
		p := log[at : at+n]
		hex := fmt.Sprintf("% x", p)
		if n > 16 && !slices.ContainsFunc(p, func(b byte) bool { return b != 0 }) {
			hex = fmt.Sprintf("00 × %d", n)
		}
		fmt.Fprintf(&b, "%06x  %-48s %s\n", at, hex, meaning)
		at += n
		return p
	}
	line(8, "magic")
	line(4, "version")
	line(4, "reserved")
	line(8, "the number of the log")
	line(8, "seed")
	line(28, "reserved")
	line(4, "checksum of the 60 bytes before")
	for cell := range 2 {
		fmt.Fprintf(&b, "cell %d\n", cell)
		line(8, fmt.Sprintf("%d bytes are durable", binary.LittleEndian.Uint64(log[at:])))
		line(4, "checksum")
		line(20, "reserved")
	}
	for at < len(log) {
		b.WriteString("record\n")
		end := at + recordHeader + int(binary.LittleEndian.Uint32(log[at:]))
		line(4, "length of the payload")
		line(4, "bytes before it that were not durable")
		line(4, "checksum, with that of the record before")
		line(4, "checksum of the 12 bytes before")
		line(1, "version of the batch")
		line(1, "what the documents have: fingerprints")
		for _, what := range []string{"ids to delete", "documents"} {
			for range line(1, "number of "+what)[0] {
				length := int(line(1, "length of an id")[0])
				line(length, fmt.Sprintf("%q", log[at:at+length]))
				if what == "documents" && line(1, "whether it has a fingerprint")[0] == 1 {
					line(8, "the fingerprint")
				}
			}
		}
		line(1, "number of notes")
		if at != end {
			t.Fatalf("a record is shown to byte %d, it ends at %d", at, end)
		}
	}
	return b.String()
}
