package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/store"
)

// changeCatalogue makes the next Commit store a catalogue in which each document is a file of its own.
func changeCatalogue(w *Writer, puts, deletes []string) error {
	c, _, err := w.Catalogue()
	if err != nil {
		return err
	}
	if c == nil {
		c = &Catalogue{}
	}
	is := func(ids []string) func(f CatalogueFile) bool {
		return func(f CatalogueFile) bool { return slices.Contains(ids, f.Path) }
	}
	c.Files = slices.DeleteFunc(c.Files, is(deletes))
	for i := 0; i < len(puts); i += 2 {
		c.Files = slices.DeleteFunc(c.Files, is(puts[i:i+1]))
		c.Files = append(c.Files, CatalogueFile{Path: puts[i], Size: int64(len(puts[i+1])), Read: true, Whole: true})
	}
	c.Sort()
	w.SetCatalogue(c)
	return nil
}

// catalogued returns the paths of the catalogue of an index.
func catalogued(t testing.TB, dir string) (names []string) {
	t.Helper()
	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Catalogue == nil {
		return nil
	}
	c, err := store.ReadCatalogue(disk.OS, dir, *m.Catalogue)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Files {
		names = append(names, f.Path)
	}
	return names
}

// A catalogue is stale once documents were replaced or deleted without it, and damage to it is found.
func TestCatalogue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	step := func(do func(w *Writer) error) {
		t.Helper()
		w, err := OpenWriter(dir, changeSettings(), WriterOptions{})
		if err == nil {
			err = do(w)
		}
		if err == nil {
			_, err = w.Commit(context.Background())
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	stale := func(what string, want bool) {
		t.Helper()
		step(func(w *Writer) error {
			c, got, err := w.Catalogue()
			if c == nil || got != want {
				t.Errorf("%s: %v, stale is %v, want %v", what, c, got, want)
			}
			return err
		})
	}
	add := func(id, text string) func(w *Writer) error {
		return func(w *Writer) error { return w.Ingest(context.Background(), docs(id, text)) }
	}
	step(func(w *Writer) error {
		return errors.Join(add("a", "some text")(w), changeCatalogue(w, []string{"a", "some text"}, nil))
	})
	stale("at first", false)
	step(add("b", "another text"))
	stale("added", false)
	step(add("b", "a new text"))
	stale("replaced", true)
	step(func(w *Writer) error { return changeCatalogue(w, nil, nil) })
	stale("stored", false)
	step(func(w *Writer) error { return w.Delete([]byte("b")) })
	stale("deleted", true)

	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, m.Catalogue.Name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ix := mustOpen(t, dir)
	b[len(b)/2] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := ix.VerifyChecksums(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damaged: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := ix.VerifyChecksums(); err != nil { // as with an older manifest: what reads the documents does not need it
		t.Errorf("missing: %v", err)
	}
	if found, err := Verify(t.Context(), dir); err != nil || len(found.Damages) != 1 {
		t.Errorf("missing: %+v, %v", found, err)
	}
}

// Renew replaces a document with the same features, so that its text is the new one.
func TestRenew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	for i, text := range []string{"some words", "Some words!"} {
		w, err := OpenWriter(dir, changeSettings(), WriterOptions{Keep: KeepText})
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			err = w.Renew([]byte("a"))
		}
		r, commitErr := Result{}, w.Ingest(context.Background(), docs("a", text, "a", text, "b", "others"))
		if commitErr == nil {
			r, commitErr = w.Commit(context.Background())
		}
		if err := errors.Join(err, commitErr, w.Close()); err != nil {
			t.Fatal(err)
		}
		if want := []Result{{Added: 2, Unchanged: 1}, {Replaced: 1, Unchanged: 2}}[i]; r != want {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	if got := contents(t, mustOpen(t, dir))["a"]; got != "Some words!" {
		t.Errorf("%q", got)
	}
}
