package join

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
)

// files returns the names of the files in a directory.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Neighbours that exceed the memory lie in a file. The file has no name if the system allows that,
// and it is gone when the neighbours are closed.
func TestNeighboursInAFile(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, hold := range []int{0, 1, 7, 1000} {
		ns := newNeighbours(disk.OS, 45, hold)
		for a := range uint32(40) {
			for b := range a % 5 {
				if err := ns.add(a, a+b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := ns.finish(); err != nil {
			t.Fatal(err)
		}
		if ns.spool.InFile() != (hold == 1 || hold == 7) {
			t.Errorf("hold %d: a file: %v", hold, ns.spool.InFile())
		}
		if left := files(t, temp); len(left) > 0 && runtime.GOOS != "windows" {
			t.Errorf("hold %d: a kill would leave %v", hold, left)
		}
		for a := range uint32(45) {
			var want []uint32
			for b := range a % 5 {
				if a < 40 {
					want = append(want, a+b)
				}
			}
			if got := ns.of(a); !slices.Equal(got, want) {
				t.Errorf("hold %d: neighbours of %d: %v, want %v", hold, a, got, want)
			}
		}
		if err := ns.close(); err != nil {
			t.Error(err)
		}
		if left := files(t, temp); len(left) > 0 {
			t.Errorf("hold %d: left: %v", hold, left)
		}
	}
}
