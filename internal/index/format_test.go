package index

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
	"simsearch/tables"
)

var update = flag.Bool("update", false, "write the dumps of the pages of the format anew")

const formatPage, bytesPage = "../ground/section/FORMAT.md", "../../docs/measured/FORMAT-BYTES.md"

// exampleIndex is the index that docs/measured/FORMAT-BYTES.md shows.
func exampleIndex(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	add(t, dir, docs("a.txt", "quick brown fox", "b.txt", "Quick, brown: FOX!", "c.txt", "to be or not to be"))
	return dir
}

// The manifest in internal/ground/section/FORMAT.md and the annotated dump of a segment in
// docs/measured/FORMAT-BYTES.md must be those that this program writes. Run go test ./internal/index -run FormatPage
// -update to write them anew, and review the change.
func TestFormatPageShowsTheBytes(t *testing.T) {
	t.Parallel()
	dir := exampleIndex(t)
	manifest, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	segment, err := os.ReadFile(filepath.Join(dir, "000001.seg"))
	if err != nil {
		t.Fatal(err)
	}
	compareBlock(t, formatPage, "manifest", string(manifest))
	compareBlock(t, bytesPage, "segment", dump(t, segment))
}

// compareBlock compares the block of a page with a text, or writes it.
func compareBlock(t *testing.T, path, name, text string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := replaceBlock(t, string(page), name, text)
	switch {
	case string(page) == want:
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not show the %s that is written; run go test ./internal/index -run FormatPage -update and review the change", path, name)
	}
}

// replaceBlock replaces the text between <!-- name --> and <!-- end name -->.
func replaceBlock(t *testing.T, page, name, text string) string {
	t.Helper()
	begin, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- end %s -->", name)
	head, rest, ok1 := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("the page has no block %s", name)
	}
	return head + begin + "```text\n" + text + "```\n" + end + tail
}

// dump shows a segment file: offset, bytes, and what they mean.
func dump(t *testing.T, data []byte) string {
	t.Helper()
	f, err := section.Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	at := uint64(0)
	line := func(n uint64, meaning string) {
		bytes := data[at : at+n]
		hex := fmt.Sprintf("% x", bytes)
		switch {
		case n > 16 && allZero(bytes):
			hex = fmt.Sprintf("00 × %d", n)
		case n > 16:
			hex = fmt.Sprintf("% x …", bytes[:15])
		}
		fmt.Fprintf(&b, "%06x  %-48s %s\n", at, hex, meaning)
		at += n
	}
	line(8, "magic")
	line(4, "version of the container")
	line(52, "reserved")
	f.Sections(func(name string, offset, length uint64) bool {
		if offset != at {
			t.Fatalf("section %s at %d, the one before ends at %d", name, offset, at)
		}
		fmt.Fprintf(&b, "%s\n", name)
		for length > 0 {
			n, meaning := describe(name, data[at:at+length])
			line(n, meaning)
			length -= n
		}
		if rest := -at & 63; rest > 0 {
			line(rest, "padding")
		}
		return true
	})
	fmt.Fprintf(&b, "table of contents\n")
	line(4, "number of sections")
	f.Sections(func(name string, _, length uint64) bool {
		line(1+uint64(len(name)), "length of the name, "+name)
		line(8, "  its offset")
		line(8, "  its length")
		for blocks := ((length+63)&^63 + section.BlockSize - 1) / section.BlockSize; blocks > 0; blocks-- {
			line(4, "  its checksum")
		}
		return true
	})
	fmt.Fprintf(&b, "footer\n")
	line(8, "offset of the table of contents")
	line(8, "its length")
	line(4, "digest")
	line(4, "reserved")
	line(8, "end mark")
	if at != uint64(len(data)) {
		t.Fatalf("%d of %d bytes shown", at, len(data))
	}
	return b.String()
}

func allZero(p []byte) bool { return !slices.ContainsFunc(p, func(b byte) bool { return b != 0 }) }

// describe returns the length of the next value of a section and its meaning.
func describe(name string, rest []byte) (uint64, string) {
	switch {
	case name == secIDBytes:
		return 5, fmt.Sprintf("%q", rest[:5])
	case name == "tables.design" && len(rest) == 16+4*8:
		x := binary.LittleEndian.Uint64(rest[8:])
		return 16, fmt.Sprintf("%d; %d; %d", binary.LittleEndian.Uint64(rest), uint32(x), x>>32)
	case name == secGroups:
		return 2, fmt.Sprint(binary.LittleEndian.Uint16(rest))
	case name == secGroupFirst:
		return 8, fmt.Sprintf("%b", binary.LittleEndian.Uint64(rest))
	case name == secIDEnds:
		return 8, fmt.Sprint(binary.LittleEndian.Uint64(rest))
	case name == secIDHashes, name == "tables.design", name == "tables.values":
		return 8, fmt.Sprintf("%016x", binary.LittleEndian.Uint64(rest))
	default:
		return 4, fmt.Sprint(binary.LittleEndian.Uint32(rest))
	}
}

// Each section that is written has a line in the page, and each line is of such a section.
func TestFormatPageListsTheSections(t *testing.T) {
	testkit.Long(t, "large indexes")
	t.Parallel()
	page, err := os.ReadFile(formatPage)
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "## The sections of a segment")
	if !ok {
		t.Fatal("internal/ground/section/FORMAT.md lists no sections")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^- `([^`]+)`").FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	// In large indexes the bits of a table's tails above the lowest 32 have a section of their own.
	// Small indexes have no such section.
	large := t.TempDir()
	values := make([]uint64, 1<<16)
	for i := range values {
		values[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	add(t, large, fps("", values...))
	var written []string
	kept := t.TempDir()
	addWith(t, kept, analysis.Default(), WriterOptions{Keep: KeepSource, Passages: true}, sourced([]string{"a text", "another", "one more"}))
	byHand := t.TempDir()
	addWith(t, byHand, analysis.Classic(), WriterOptions{Search: analysis.Search{Blocks: 6, HeaderBlocks: 3}}, fps("", 1, 2))
	wide, settings := t.TempDir(), analysis.Classic()
	settings.Bits = 256
	addWith(t, wide, settings, WriterOptions{}, wideDocuments(widePrints(rand.New(rand.NewPCG(1, 2)), 256, 0, 4200))) // enough for tables
	stream := t.TempDir()
	addWith(t, stream, analysis.Classic(), WriterOptions{Memory: 2, stream: 1}, fps("row", 1, 2))
	for _, dir := range []string{exampleIndex(t), large, smallIndex(t), kept, byHand, wide, stream} {
		for _, s := range mustOpen(t, dir).Info().Segments[0].Sections {
			name := regexp.MustCompile(`\.[0-9]+\.`).ReplaceAllString(s.Name, ".N.")
			if !slices.Contains(written, name) {
				written = append(written, name)
			}
		}
	}
	for _, name := range denseSections(t) {
		if name = regexp.MustCompile(`\.[0-9]+\.`).ReplaceAllString(name, ".N."); !slices.Contains(written, name) {
			written = append(written, name)
		}
	}
	if slices.Sort(written); !slices.Equal(slices.Sorted(slices.Values(listed)), written) {
		t.Errorf("internal/ground/section/FORMAT.md lists\n%v\nwritten are\n%v", listed, written)
	}
}

// denseSections returns the sections of dense tables, which segments have from a million fingerprints on.
func denseSections(t *testing.T) (names []string) {
	t.Helper()
	var file bytes.Buffer
	w := section.NewWriter(&file)
	if err := tables.WriteParts(t.Context(), w, []uint64{1, 2}, tables.Dense(2, 3).Design, tables.WriteOptions{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	f.Sections(func(name string, _, _ uint64) bool {
		names = append(names, name)
		return true
	})
	return names
}
