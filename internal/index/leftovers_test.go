package index

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
)

// copyFile copies a file of an index.
func copyFile(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A manifest from a backup does not name the segments that were written later. They are reported
// and moved aside: only the user can say that they are worthless.
func TestAnOlderManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backup := filepath.Join(t.TempDir(), "backup")
	manifest := filepath.Join(dir, ManifestName)
	add(t, dir, docs("a", "some text"))
	copyFile(t, manifest, backup)
	for range 2 { // a file that is aside already is not replaced
		add(t, dir, docs("b", "other text"))
		add(t, dir, docs("c", "more words"))
		copyFile(t, backup, manifest)

		left, err := Leftovers(dir)
		if err != nil || len(left) != 2 || left[0].Reserved || left[1].Reserved {
			t.Fatalf("leftovers %v, %v: want two that no manifest has reserved", left, err)
		}
		before := map[string]string{}
		for _, l := range left {
			data, err := os.ReadFile(filepath.Join(dir, l.Name))
			if err != nil {
				t.Fatal(err)
			}
			before[l.Name] = string(data)
		}
		var aside []string
		s := analysis.Classic()
		w, err := OpenWriter(dir, s, WriterOptions{Aside: func(name string) { aside = append(aside, name) }})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for name, want := range before {
			if !slices.Contains(aside, name) {
				t.Errorf("%s was not reported: %v", name, aside)
			}
			found := false
			files, _ := filepath.Glob(filepath.Join(dir, AsideName, name+"*"))
			for _, file := range files {
				got, err := os.ReadFile(file)
				found = found || err == nil && string(got) == want
			}
			if !found {
				t.Errorf("%s is in none of %v", name, files)
			}
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, AsideName, "*")); len(files) != 4 {
		t.Errorf("%v aside, want four files", files)
	}
	add(t, dir, docs("d", "yet others"))
	ix := mustOpen(t, dir)
	if got := ix.Info().Segments[1].Name; got != "000006.seg" {
		t.Errorf("the next segment is %s: a name was used again", got)
	}
}

func TestLeftoversOfACommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	add(t, dir, docs("a", "some text"))
	w, err := OpenWriter(dir, analysis.Classic(), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Ingest(t.Context(), docs("b", "other text")); err != nil {
		t.Fatal(err)
	}
	names, err := w.dir.Reserve(1)
	if err != nil {
		t.Fatal(err)
	}
	next := *w.dir.Manifest
	state := store.NewState(next.Layout(), segment.WriteOptions{}, nil)
	swap, err := state.Begin(t.Context(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.writeSegment(t.Context(), swap, &next, w.pending, names); err != nil {
		t.Fatal(err)
	}
	defer swap.Drop(w.dir, false)
	left, err := Leftovers(dir)
	if want := []Leftover{{Name: "000002.seg", Reserved: true}}; err != nil || !slices.Equal(left, want) {
		t.Errorf("between segment and manifest: %v, %v; want %v", left, err, want)
	}
}

// Whenever the power is cut after the writer has been opened, a file that is moved aside is in one
// of the two directories.
func TestMovedAsideForGood(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	shadow := disktest.NewShadow(root)
	fsys := &disktest.FS{Base: disk.OS, After: shadow.Done}
	dir := filepath.Join(root, "idx")
	h := history{settings: withoutStopWords()}
	h.add(t, fsys, dir, texts(0, 1))
	older, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	h.add(t, fsys, dir, texts(1, 2))
	if err := older.Write(fsys, dir); err != nil {
		t.Fatal(err)
	}
	w, err := h.open(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(40) {
		image := t.TempDir()
		if err := shadow.Image(image, rand.New(rand.NewPCG(i, 1))); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(image, "idx", AsideName, "000002.seg")); err != nil {
			t.Fatalf("image %d: %v", i, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
