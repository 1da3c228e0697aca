package dedup

import (
	"os"
	"path/filepath"
	"testing"
)

// A directory of the user is none that a run has begun, even if a file there has the name of the mark.
func TestForeignMarks(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		ours  bool
	}{
		{map[string]string{unfinishedName: lockNote + "\n"}, true},
		{map[string]string{unfinishedName: lockNote + "\n", "notes.txt": "mine", KeptName: "x"}, true},
		{map[string]string{unfinishedName: ""}, true},
		{map[string]string{unfinishedName: "", partName(1): "x", readingName: "x"}, true},
		{map[string]string{unfinishedName: "", "notes.txt": "mine"}, false},
		{map[string]string{unfinishedName: "my todo\n"}, false},
		{map[string]string{unfinishedName: "my todo\n", KeptName: "mine"}, false},
		{map[string]string{KeptName: "mine"}, false},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := Prepare(dir, "simsearch dedup", nil); (err == nil) != c.ours {
			t.Errorf("%q: %v", c.files, err)
		}
	}
}
