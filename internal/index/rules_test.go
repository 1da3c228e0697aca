package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// forge writes a segment anew after change has changed its sections in memory. It names the new
// segment in the manifest, so that all checksums are right.
func forge(t *testing.T, dir, name string, change func(section string, contents []byte) []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := section.NewWriter(&buf)
	f.Sections(func(sec string, _, _ uint64) bool {
		contents := f.Bytes(sec)
		w.Begin(sec)
		_, _ = w.Write(change(sec, slices.Clone(contents)))
		return true
	})
	size, digest, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	remanifest(t, dir, func(m *store.Manifest) {
		i := slices.IndexFunc(m.Segments, func(s segment.Ref) bool { return s.Name == name })
		m.Segments[i].Bytes, m.Segments[i].Digest = size, fmt.Sprintf("%08x", digest)
	})
}

// remanifest changes the manifest of an index.
func remanifest(t *testing.T, dir string, change func(m *store.Manifest)) {
	t.Helper()
	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	if err := m.Write(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
}

// The manifest has the size, the digest and the number of documents of each segment. A sound
// segment that differs in any of these is another one.
func TestManifestIsCompared(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(s *segment.Ref)
		want   string
	}{
		"digest":    {func(s *segment.Ref) { s.Digest = "00000000" }, "the manifest says 00000000"},
		"case":      {func(s *segment.Ref) { s.Digest = strings.ToUpper(s.Digest) + "A" }, "the manifest says"},
		"size":      {func(s *segment.Ref) { s.Bytes++ }, "the manifest says"},
		"documents": {func(s *segment.Ref) { s.Documents++ }, "the manifest says 5 documents"},
		"none":      {func(s *segment.Ref) { s.Documents = 0 }, "the manifest says 0 documents"},
	} {
		dir := smallIndex(t)
		remanifest(t, dir, func(m *store.Manifest) { tt.change(&m.Segments[0]) })
		if _, err := Open(dir); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "000001.seg") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want ErrCorrupt that says %q", name, err, tt.want)
		}
	}
}

// No writer makes a segment without documents. Such a segment is refused.
func TestSegmentWithoutDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, dir, docs("a", "the and of")) // one document, which is empty
	forge(t, dir, "000001.seg", func(name string, contents []byte) []byte {
		switch name {
		case secGroupCounts, "tables.design", "tables.0.directory", "tables.1.directory":
			return contents
		}
		return nil
	})
	remanifest(t, dir, func(m *store.Manifest) { m.Segments[0].Documents = 0 })
	if _, err := Open(dir); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "000001.seg") || !strings.Contains(err.Error(), "0 documents") {
		t.Errorf("a segment of no documents: %v, want ErrCorrupt", err)
	}
}

// A number that no document has is an error, in an empty index and in one with documents.
func TestNoSuchDocument(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	if err := (&store.Manifest{Settings: minHash(analysis.Both), Next: 1, Segments: []segment.Ref{}}).Write(disk.OS, empty); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{smallIndex(t), empty} {
		ix := mustOpen(t, dir)
		for _, doc := range []uint32{uint32(ix.Len()), segment.NoSet} {
			_, idErr := ix.ID(doc)
			_, _, fpErr := ix.Fingerprint(doc)
			_, _, sigErr := ix.Signature(doc)
			_, identityErr := identityOf(ix, doc)
			for _, err := range []error{idErr, fpErr, sigErr, identityErr} {
				if err == nil || !strings.Contains(err.Error(), fmt.Sprint("the number ", doc)) {
					t.Errorf("document %d of %d: %v", doc, ix.Len(), err)
				}
			}
		}
	}
}

// put16, put32 and put64 overwrite the element number at of a section.
func put16(at int, x uint16) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint16(b[2*at:], x) }
}

func put32(at int, x uint32) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint32(b[4*at:], x) }
}

func put64(at int, x uint64) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint64(b[8*at:], x) }
}

// These segments have right checksums and numbers that lead astray. Each use of such a number is an
// error.
func TestEveryReferenceIsChecked(t *testing.T) {
	t.Parallel()
	all := func(ask func(ix *Snapshot, doc uint32) error) func(ix *Snapshot) error {
		return func(ix *Snapshot) error {
			var errs []error
			for doc := range uint32(4) {
				errs = append(errs, ask(ix, doc))
			}
			return errors.Join(errs...)
		}
	}
	id := all(func(ix *Snapshot, doc uint32) error { _, err := ix.ID(doc); return err })
	near := func(ix *Snapshot) error { _, err := matches(ix, Fingerprint(0), Within(64)); return err }
	similar := func(ix *Snapshot) error {
		_, err := matches(ix, Set(ix.Analysis().Set(&analysis.Scratch{}, []byte("some text"))), Similar(0.9))
		return err
	}
	scanned := func(ix *Snapshot) error {
		_, err := matches(ix, Set(ix.Analysis().Set(&analysis.Scratch{}, []byte("some text"))), Similar(0.1))
		return err
	}
	find := func(ix *Snapshot) error {
		var errs []error
		for _, id := range []string{"a", "b", "c", "d"} {
			_, _, err := ix.Find([]byte(id))
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}
	signature := all(func(ix *Snapshot, doc uint32) error { _, _, err := ix.Signature(doc); return err })
	for name, tt := range map[string]struct {
		section string
		change  func(b []byte)
		ask     func(ix *Snapshot) error
	}{
		"an id without bytes":             {secIDEnds, put64(1, 1), id},
		"an id that ends before it began": {secIDEnds, put64(2, 1), id},
		"the first id without bytes":      {secIDEnds, put64(0, 0), id},
		"an id beyond the ids":            {secIDEnds, put64(3, 5), id},
		"the document of an id's hash":    {secIDOrder, func(b []byte) { put32(0, 4)(b); put32(1, 4)(b) }, find},
		"a member":                        {secMembers, put32(0, 4), near},
		"a group without members":         {secGroupFirst, put64(0, 1), near},
		"a group beyond the members":      {secGroupCounts, put32(0, 9), near},
		"a member with a set":             {secSetMembers, put32(0, 4), similar},
		"a set without members":           {secSetFirst, put64(0, 0), similar},
		"a set without a code":            {secCodeEnds, put64(0, 0), scanned},
		"a set beyond the codes":          {secCodeEnds, put64(0, 9999), scanned},
		"a code of no features":           {secCoded, func(b []byte) { b[0] = 0 }, scanned},
		"a code of too many features":     {secCoded, func(b []byte) { b[0] = 0x7f }, scanned},
		"the set of a number by size":     {"postings.order", func(b []byte) { put32(0, 99)(b); put32(1, 99)(b) }, similar},
		"numbers beyond the sets":         {"postings.sizes.starts", put32(1, 99), similar},
		"the set of a document":           {secSets, put16(0, 3), signature},
	} {
		checkForged(t, name, smallIndex(t), tt.section, tt.change, tt.ask, "")
	}
}

// checkForged checks that ask has an answer from the index in dir, and an ErrCorrupt that says want after a
// section of its first segment has been changed.
func checkForged(t *testing.T, name, dir, section string, change func(b []byte), ask func(ix *Snapshot) error, want string) {
	t.Helper()
	if err := ask(mustOpen(t, dir)); err != nil {
		t.Fatalf("%s: before anything was changed: %v", name, err)
	}
	forge(t, dir, "000001.seg", func(sec string, contents []byte) []byte {
		if sec == section {
			change(contents)
		}
		return contents
	})
	ix := mustOpen(t, dir)
	if err := ix.VerifyChecksums(); err != nil {
		t.Fatalf("%s: the checksums are wrong: %v", name, err)
	}
	if err := ask(ix); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "000001.seg") || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want ErrCorrupt that says %q", name, err, want)
	}
}

// An index with thousands of bands can be written, and it opens.
func TestIndexOfMostBands(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "thousands of bands")
	dir := t.TempDir()
	s := minHash(analysis.MinHash)
	s.Positions = 16384
	addWith(t, dir, s, WriterOptions{Search: analysis.Search{Planned: 0.4}}, docs("a", "some text", "b", "other words"))
	ix := mustOpen(t, dir)
	if n := ix.Info().Segments[0].Bands.Bands; n < 2000 {
		t.Errorf("%d bands are not as many as this test means", n)
	}
	if ms, err := matches(ix, Set(ix.Analysis().Set(&analysis.Scratch{}, []byte("some text"))), Similar(0.5)); err != nil || len(ms) != 1 {
		t.Errorf("%v, %v", ms, err)
	}
}
