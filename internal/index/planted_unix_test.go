//go:build unix

package index

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
)

// Whatever somebody has put in the place of a file of an index, each command ends soon with an error that names the
// file, and the file elsewhere that a link leads to stays as it is. With the right file back in its place, the index
// answers as before.
func TestPlantedFiles(t *testing.T) {
	t.Parallel()
	add := func(dir string) error {
		w, err := OpenWriter(dir, smallSettings(), WriterOptions{})
		if err != nil {
			return err
		}
		_, err = w.Commit(t.Context())
		return errors.Join(err, w.Close())
	}
	reads := map[string]func(dir string) error{
		"open": func(dir string) error { _, err := answers(dir); return err },
		"verify": func(dir string) error {
			found, err := Verify(t.Context(), dir)
			if err == nil && len(found.Damages) > 0 {
				err = errors.New(found.Damages[0].File)
			}
			return err
		},
	}
	writes := map[string]func(dir string) error{
		"add":    add,
		"repair": func(dir string) error { _, err := Repair(t.Context(), dir, RepairOptions{DryRun: true}); return err },
	}
	for what, plant := range disktest.Planted {
		dir := smallIndex(t)
		want, err := answers(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{ManifestName, "000001.seg", store.LockName} {
			path := filepath.Join(dir, name)
			victim := filepath.Join(dir, "victim")
			// The victim is as good as the file itself, so that only its place can be wrong.
			if err := errors.Join(overwrite(victim, path), os.Rename(path, path+".mine"), plant(path, victim)); err != nil {
				t.Fatal(err)
			}
			precious, _ := os.ReadFile(victim)
			try := func(by string, do func(dir string) error, fails bool) {
				disktest.Soon(t, by+" with "+what+" as "+name, func() {
					err := do(dir)
					if fails && (err == nil || !strings.Contains(err.Error(), name)) {
						t.Errorf("%s with %s as %s: %v", by, what, name, err)
					}
				})
				if now, err := os.ReadFile(victim); string(now) != string(precious) {
					t.Errorf("%s with %s as %s has changed a file elsewhere: %v", by, what, name, err)
				}
			}
			for by, do := range reads {
				try(by, do, name != store.LockName)
			}
			for by, do := range writes {
				try(by, do, by == "add")
			}
			if err := errors.Join(os.RemoveAll(path), os.RemoveAll(path+".p"), os.Remove(victim), os.Rename(path+".mine", path)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := answers(dir); err != nil || got != want {
			t.Errorf("after %s, the index answers %q, %v", what, got, err)
		}
	}
	// A manifest without end is not read to its end.
	dir := smallIndex(t)
	if err := os.Truncate(filepath.Join(dir, ManifestName), 1<<40); err != nil {
		t.Skip(err) // the file system has no such files
	}
	disktest.Soon(t, "opening", func() {
		if _, err := store.ReadManifest(disk.OS, dir); err == nil || !strings.Contains(err.Error(), "bytes that a file of this kind may have") {
			t.Errorf("a manifest of a terabyte: %v", err)
		}
	})
}
