//go:build linux || darwin

package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whoever puts back the time of the contents changes that of the file. A time in the future stays.
func TestChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	before := time.Now().Add(-time.Minute)
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	future := before.Add(time.Hour).Truncate(time.Second)
	for _, at := range []time.Time{time.Unix(1e9, 0), future} {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := Changed(info); got.Before(before) || at.Equal(future) && !got.Equal(future) {
			t.Errorf("%v: changed at %v", at, got)
		}
	}
}
