package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// fullIndex writes an index with all that an index can have: two segments, one with deleted documents, and a log. It
// returns what it holds.
func fullIndex(t testing.TB, fsys disk.FS, dir string) model {
	t.Helper()
	g, m := testkit.NewWords(3), model{}
	texts := func(from, to int) (out []string) {
		for i := from; i < to; i++ {
			id, text := fmt.Sprint("doc", i), g.Text(300)
			if i%10 == 7 {
				text = "..."
			}
			m[id] = text
			out = append(out, id, text)
		}
		return out
	}
	w, err := openWriter(fsys, dir, changeSettings(), WriterOptions{Keep: KeepText})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []int{0, 12} {
		if err := w.Ingest(context.Background(), docs(texts(part, part+12)...)); err != nil {
			t.Fatal(err)
		}
		if part > 0 {
			for _, id := range []string{"doc3", "doc4"} {
				delete(m, id)
				if err := w.Delete([]byte(id)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := w.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l := openTestLive(t, fsys, dir, 1<<30)
	for i := 24; i < 30; i += 2 {
		if err := applyLive(l, texts(i, i+2), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := applyLive(l, texts(1, 2), []string{"doc2", "doc13"}); err != nil {
		t.Fatal(err)
	}
	delete(m, "doc2")
	delete(m, "doc13")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return m
}

func mustVerify(t testing.TB, fsys disk.FS, dir string) *Examination {
	t.Helper()
	e, err := store.Verify(context.Background(), fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestVerifySound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := fullIndex(t, unfailing, dir)
	if e := mustVerify(t, unfailing, dir); len(e.Damages) > 0 || e.Documents != len(m) {
		t.Errorf("%d documents, want %d: %+v", e.Documents, len(m), e.Damages)
	}
}

// Verify lists the damage of each section of each file at once.
func TestVerifyListsAllDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fullIndex(t, unfailing, dir)
	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range m.Files() {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, store.LogExtension) {
			data[len(data)-200] ^= 1
			want = append(want, name+" records")
		} else {
			f, err := section.Parse("", bytes.Clone(data))
			if err != nil {
				t.Fatal(err)
			}
			f.Sections(func(section string, offset, length uint64) bool {
				if length > 0 && (!strings.HasSuffix(name, store.DeletedExtension) || section == "deleted") {
					data[offset] ^= 1
					want = append(want, name+" "+section)
				}
				return true
			})
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, d := range mustVerify(t, unfailing, dir).Damages {
		got = append(got, d.File+" "+d.Section)
		if d.Offset < 0 || d.Remedy == "" || d.Reason == "" {
			t.Errorf("%+v", d)
		}
	}
	if slices.Sort(want); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
