package index

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

func withoutStopWords() analysis.Settings {
	s := analysis.Classic()
	s.Language = "none"
	return s
}

func smallSettings() analysis.Settings {
	s := withoutStopWords()
	s.Mode, s.Positions = analysis.Both, 16
	return s.Canonical()
}

// smallIndex has two segments with equal, near and empty documents. It drops no stop words, so that
// it can be opened thousands of times quickly.
func smallIndex(t testing.TB) string {
	t.Helper()
	dir, s := t.TempDir(), smallSettings()
	addWith(t, dir, s, WriterOptions{}, docs("a", "some text", "b", "some text", "c", "...", "d", "other words"))
	addWith(t, dir, s, WriterOptions{}, docs("e", "some text", "f", "more text"))
	return dir
}

// answers returns everything that an index says: each id, fingerprint, match and pair.
func answers(dir string) (string, error) {
	ix, err := Open(dir)
	if err != nil {
		return "", err
	}
	defer ix.Close()
	var b strings.Builder
	for i := range ix.Len() {
		id, err := ix.ID(uint32(i))
		if err != nil {
			return "", err
		}
		fp, ok, err := ix.Fingerprint(uint32(i))
		if err != nil {
			return "", err
		}
		doc, found, err := ix.Find(id)
		if err != nil {
			return "", err
		}
		ms, err := matches(ix, Fingerprint(fp), Within(5))
		if err != nil {
			return "", err
		}
		if ok { // the document's own words as a query, whatever its set is
			similar, err := matches(ix, Set(ix.Analysis().Set(&analysis.Scratch{}, []byte("some text"))), Similar(0.3))
			if err != nil {
				return "", err
			}
			ms = append(ms, similar...)
		}
		b.WriteString(strings.Join([]string{string(id), string(rune('0' + doc))}, " "))
		for _, m := range ms {
			b.WriteString(" " + string(m.ID))
		}
		if found && ok {
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}

func isOurs(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNoIndex) || errors.Is(err, ErrVersion)
}

// With -torture every bit of every byte is flipped. An ordinary run flips two bits of each byte.
func TestEveryFlippedBitOfAnIndex(t *testing.T) {
	t.Parallel()
	dir := smallIndex(t)
	want, err := answers(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ManifestName, "000001.seg", "000002.seg"} {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		write := func(i int, b byte) {
			if _, err := file.WriteAt([]byte{b}, int64(i)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range good {
			for bit := range 8 {
				if !*torture && (bit%4 != i%4 || !testkit.IsLong() && (bit != i%8 || i%5 > 0)) {
					continue
				}
				write(i, good[i]^1<<bit)
				got, err := answers(dir)
				if err == nil && got != want {
					t.Fatalf("%s byte %d bit %d: a wrong answer", name, i, bit)
				}
				if err == nil || !isOurs(err) || !strings.Contains(err.Error(), name) {
					t.Fatalf("%s byte %d bit %d: error %v does not name the file", name, i, bit, err)
				}
			}
			write(i, good[i])
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := answers(dir); err != nil || got != want {
		t.Errorf("restored, the index answers %q, %v", got, err)
	}
}

func TestEveryTruncationOfAnIndex(t *testing.T) {
	t.Parallel()
	dir := smallIndex(t)
	for _, name := range []string{ManifestName, "000001.seg"} {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(good)+2; n += testkit.Of(7, 1) {
			cut := append(slices.Clone(good), "xx"...)[:n]
			if n == len(good) {
				continue
			}
			if err := os.WriteFile(path, cut, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); !isOurs(err) {
				t.Fatalf("%s cut to %d of %d bytes: %v", name, n, len(good), err)
			}
			// A writer must not take the remains for a new index, either.
			if w, err := OpenWriter(dir, withoutStopWords(), WriterOptions{}); err == nil {
				if _, err = w.Commit(t.Context()); err == nil {
					t.Fatalf("%s cut to %d of %d bytes: a writer goes on", name, n, len(good))
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.WriteFile(path, good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func overwrite(to, from string) error {
	data, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, data, 0o666))
}

func TestMissingAndExchangedSegments(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(a, b string) error{
		"deleted":   func(a, _ string) error { return os.Remove(a) },
		"a folder":  func(a, _ string) error { return errors.Join(os.Remove(a), os.Mkdir(a, 0o777)) },
		"empty":     func(a, _ string) error { return os.Truncate(a, 0) },
		"exchanged": func(a, b string) error { return errors.Join(os.Rename(a, a+"x"), os.Rename(b, a), os.Rename(a+"x", b)) },
		"copied":    func(a, b string) error { return overwrite(a, b) },
	} {
		dir := smallIndex(t)
		a, b := filepath.Join(dir, "000001.seg"), filepath.Join(dir, "000002.seg")
		if err := damage(a, b); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), ".seg") {
			t.Errorf("%s: %v, want ErrCorrupt that names the segment", name, err)
		}
	}
}

func TestWhatIsNoIndex(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for name, tt := range map[string]struct {
		make func(dir string) error
		want string
	}{
		"missing": {func(string) error { return nil }, "does not exist"},
		"empty":   {func(d string) error { return os.Mkdir(d, 0o777) }, "is empty"},
		"a file":  {func(d string) error { return os.WriteFile(d, []byte("x"), 0o666) }, "is a file"},
		"foreign": {func(d string) error {
			return errors.Join(os.Mkdir(d, 0o777), os.WriteFile(filepath.Join(d, "photo.jpg"), nil, 0o666))
		}, "holds photo.jpg and other files, but no MANIFEST"},
		"another's manifest": {func(d string) error {
			return errors.Join(os.Mkdir(d, 0o777), os.WriteFile(filepath.Join(d, ManifestName), []byte("Manifest-Version: 1.0\n"), 0o666))
		}, "was not written by simsearch"},
	} {
		dir := filepath.Join(parent, strings.ReplaceAll(name, " ", "-"))
		if err := tt.make(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrNoIndex) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if name == "missing" || name == "empty" {
			continue // a writer may begin there
		}
		if _, err := OpenWriter(dir, analysis.Classic(), WriterOptions{}); !errors.Is(err, ErrNoIndex) {
			t.Errorf("%s: a writer gives %v, want ErrNoIndex", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, store.LockName)); err == nil {
			t.Errorf("%s: the writer has left a lock", name)
		}
	}
	// Segments without their manifest must not be overwritten.
	dir := smallIndex(t)
	if err := os.Remove(filepath.Join(dir, ManifestName)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWriter(dir, analysis.Classic(), WriterOptions{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("segments without a manifest: %v, want ErrCorrupt", err)
	}
}

// An index of another format is refused in one line, and no byte of it is touched.
func TestOtherFormatsAreRefused(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0", "3", "4", "99"} {
		dir := smallIndex(t)
		path := filepath.Join(dir, ManifestName)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := strings.Replace(string(b), "simsearch index 5\n", "simsearch index "+version+"\n", 1)
		if err := os.WriteFile(path, []byte(other), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, store.LockName)); err != nil {
			t.Fatal(err)
		}
		before := snapshot(t, dir)
		for what, try := range map[string]func() error{
			"Open":       func() error { _, err := Open(dir); return err },
			"OpenWriter": func() error { _, err := OpenWriter(dir, analysis.Classic(), WriterOptions{}); return err },
			"OpenLive":   func() error { _, err := OpenLive(dir, analysis.Classic(), WriterOptions{}); return err },
			"Verify":     func() error { _, err := store.Verify(t.Context(), unfailing, dir); return err },
			"Repair":     func() error { _, err := Repair(t.Context(), dir, RepairOptions{}); return err },
		} {
			if err := try(); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "format "+version+",") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s of format %s: %v, want ErrVersion in one line", what, version, err)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, store.LockName)); err == nil || snapshot(t, dir) != before {
			t.Errorf("the index of format %s was touched", version)
		}
	}
}

// The pages that name the format that is read name the same one.
func TestPagesNameTheFormats(t *testing.T) {
	t.Parallel()
	of, version := fmt.Sprintf("of format %d", store.FormatVersion), fmt.Sprintf("VERSION is %d.", store.FormatVersion)
	for _, is := range [][2]string{{"../../docs/SERVE.md", of}, {"../../docs/RELIABILITY.md", of}, {formatPage, of}, {formatPage, version}} {
		page, want := is[0], is[1]
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("%s does not say %q", page, want)
		}
	}
}

// Reading any manifest gives a manifest that encodes to the same meaning, or one of our errors.
func FuzzManifest(f *testing.F) {
	m := &store.Manifest{Settings: analysis.Classic(), Next: 2, Segments: []segment.Ref{{Name: "000001.seg", Documents: 3, Bytes: 4096, Digest: "0123abcd"}}}
	good, err := m.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("simsearch index 5\n"))
	f.Add([]byte("simsearch index 9\n{}\ncrc32c 00000000\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := store.DecodeManifest("MANIFEST", b)
		if err != nil {
			if !isOurs(err) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.DecodeManifest("MANIFEST", again); err != nil {
			t.Fatalf("encoded again: %v", err)
		}
	})
}

// These segments have right checksums and contradictory contents, as an enemy or a broken writer
// makes them. A join of them ends in an error that names the file.
func TestJoinsOfCraftedSegments(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		c       Predicate
		section string
		change  func(b []byte)
	}{
		"a set without documents": {Similar(0.5), secSets, put16(3, 0)},
		"no set with documents":   {Similar(0.5), secSets, func(b []byte) { copy(b, bytes.Repeat([]byte{0xff}, len(b))) }},
		"a set out of range":      {Similar(0.5), secSets, put16(3, 7)},
		"features out of range":   {Similar(0.5), secCodeEnds, put64(1, 1)},
		"a wide fingerprint":      {WithinAndSimilar(3, 0.5), "tables.values", put64(1, 1<<40)},
		"a group of another one":  {Within(3), secGroups, put16(1, 0)},
		"a group that is not":     {WithinAndSimilar(3, 0.5), secGroups, put16(1, 9)},
		"a wide distinct one":     {Within(3), "tables.values", put64(1, 1<<40)},
		"distinct ones descend":   {Within(3), "tables.values", put64(0, 1<<32-1)},
		"groups end too soon":     {Within(3), secGroupCounts, put32(1, 1)},
		"a group without members": {Within(3), secGroupFirst, put64(0, 1)},
		"a group of no document":  {Within(3), "groups.members", put32(1, 9)},
		"a document twice":        {Within(3), "groups.members", func(b []byte) { copy(b, bytes.Repeat(b[:4], len(b)/4)) }},
	} {
		for _, groups := range []bool{false, true} {
			dir := t.TempDir()
			s := withoutStopWords()
			s.Mode, s.Positions, s.Bits = analysis.Both, 128, 32
			addWith(t, dir, s.Canonical(), WriterOptions{}, docs("a", "one two three four five", "b", "five four three two one", "c", "...", "d", "one two three four six"))
			forge(t, dir, "000001.seg", func(sec string, contents []byte) []byte {
				if sec == tt.section {
					tt.change(contents)
				}
				return contents
			})
			ix := mustOpen(t, dir)
			err := ix.Pairs(t.Context(), tt.c, PairOptions{Threads: 2, Groups: groups}, func(Pair) error { return nil })
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "000001.seg") {
				t.Errorf("%s, groups %v: %v, want ErrCorrupt that names the file", name, groups, err)
			}
		}
	}
}
