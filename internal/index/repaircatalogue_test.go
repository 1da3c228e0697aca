package index

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/store"
)

// A damaged catalogue leaves the index, so that the next sync reads all files. A sound one is stale after a repair,
// since documents that it names may be lost.
func TestRepairCatalogue(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"catalogue", "segment"} {
		dir := t.TempDir()
		if err := commitChanges(unfailing, dir, texts(0, 5), nil); err != nil {
			t.Fatal(err)
		}
		before, err := store.ReadManifest(disk.OS, dir)
		if err != nil {
			t.Fatal(err)
		}
		name := before.Catalogue.Name
		if what == "segment" {
			name = before.Segments[0].Name
		}
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2] ^= 4
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if e, err := Verify(t.Context(), dir); err != nil || len(e.Damages) != 1 || e.Damages[0].File != name {
			t.Fatalf("%s: %+v, %v", what, e, err)
		}
		lost := 0
		r, err := Repair(t.Context(), dir, RepairOptions{Threads: 1, Lost: func(l Loss) {
			if l.What == "catalogue" {
				lost++
			}
		}})
		if err != nil || !slices.Equal(r.Aside, []string{name}) {
			t.Fatalf("%s: %+v, %v", what, r, err)
		}
		after, err := store.ReadManifest(disk.OS, dir)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := Verify(t.Context(), dir); err != nil || len(e.Damages) > 0 {
			t.Errorf("%s: after the repair %+v, %v", what, e, err)
		}
		if gone := after.Catalogue == nil; gone != (what == "catalogue") || (lost == 1) != gone || !gone && !after.Catalogue.Stale {
			t.Errorf("%s: the catalogue is %+v after the repair, %d of what is lost", what, after.Catalogue, lost)
		}
	}
}
