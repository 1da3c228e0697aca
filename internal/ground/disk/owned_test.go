package disk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// leave makes a directory with a text as a process that was killed has left it.
func leave(t *testing.T, base, name string, mode os.FileMode, owner bool) string {
	t.Helper()
	dir := filepath.Join(base, name)
	err := os.MkdirAll(filepath.Join(dir, "index", "deep"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "index", "deep", "text"), []byte("a secret"), 0o600)
	}
	if err == nil && owner {
		err = os.WriteFile(filepath.Join(dir, ownerName), []byte("process 1\n"), 0o600)
	}
	if err := errors.Join(err, os.Chmod(dir, mode)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What processes have left that were killed is removed, and nothing else: no directory of a living process, of
// another name or mode, and nothing that a link leads to.
func TestTempDirRemovesWhatIsLeft(t *testing.T) {
	base, outside := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", base)
	mine := leave(t, outside, "mine", 0o700, true)
	left := leave(t, base, "x-left", 0o700, true)
	if err := os.Symlink(mine, filepath.Join(left, "index", "link")); err != nil {
		t.Fatal(err)
	}
	living, remove, err := TempDir("x-")
	if err != nil {
		t.Fatal(err)
	}
	leave(t, base, "x-left again", 0o700, true)
	leave(t, base, "x-readable", 0o755, true)
	leave(t, base, "x-no owner", 0o700, false)
	leave(t, base, "y-another", 0o700, true)
	linked := leave(t, base, "x-linked owner", 0o700, false)
	for link, to := range map[string]string{filepath.Join(base, "x-link"): mine, filepath.Join(linked, ownerName): filepath.Join(mine, ownerName)} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "x-file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second, removeSecond, err := TempDir("x-")
	if err != nil {
		t.Fatal(err)
	}
	names := func() (names []string) {
		entries, err := os.ReadDir(base)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	want := []string{filepath.Base(living), filepath.Base(second), "x-file", "x-link", "x-linked owner", "x-no owner", "x-readable", "y-another"}
	slices.Sort(want)
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("%q are there, want %q", got, want)
	}
	if owner, err := os.ReadFile(filepath.Join(mine, ownerName)); err != nil || string(owner) != "process 1\n" {
		t.Errorf("%q, %v", owner, err)
	}
	if _, err := os.Stat(filepath.Join(mine, "index", "deep", "text")); err != nil {
		t.Error(err)
	}
	if err := errors.Join(remove(), removeSecond()); err != nil {
		t.Error(err)
	}
	if got := names(); len(got) != len(want)-2 {
		t.Errorf("%q are left", got)
	}
}

// Of many that begin and end at once, none removes what another one has.
func TestTempDirsAtOnce(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				dir, remove, err := TempDir("x-")
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "text"), []byte("text"), 0o600)
				}
				if err == nil {
					_, err = os.ReadFile(filepath.Join(dir, "text"))
				}
				if err == nil {
					err = remove()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
