package store

import (
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index/segment"
)

func TestBase(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"p/idx", "p/d/e/idx", "q"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("p", filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	slashed := filepath.ToSlash(root)
	for _, tt := range []struct{ index, dir, stored, base string }{
		{"p/idx", "p", "..", "p"}, {"p/d/e/idx", "p", "../../..", "p"}, {"p/idx", "p/idx", ".", "p/idx"},
		{"p/idx", "link", "..", "p"}, {"link/idx", "p", "..", "p"},
		{"p/idx", "q", slashed + "/q", "q"}, {"p/idx", "p/d", slashed + "/p/d", "p/d"}, {"q", "link/d", slashed + "/p/d", "p/d"},
		{"absent", "p", "", ""}, {"q", "absent", "", ""},
	} {
		t.Chdir(filepath.Join(root, "q"))
		for _, index := range []string{filepath.Join(root, tt.index), filepath.Join("..", tt.index)} {
			m := &Manifest{Settings: analysis.Classic(), Next: 1, Segments: []segment.Ref{}}
			m.SetBase(index, filepath.Join("..", tt.dir))
			if m.Base != tt.stored {
				t.Errorf("%s for %s: %q is stored, want %q", tt.dir, tt.index, m.Base, tt.stored)
			}
			b, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if m, err = DecodeManifest("MANIFEST", b); err != nil {
				t.Fatal(err)
			}
			want := tt.base
			if want != "" {
				want = filepath.Join(root, want)
			}
			if got, err := m.BaseFor(index); err != nil || got != want {
				t.Errorf("%s for %s: the base is %q, %v, want %q", tt.dir, tt.index, got, err, want)
			}
		}
	}
}

// A manifest cannot lead below the index, or to a name beside it.
func TestBaseIsChecked(t *testing.T) {
	for base, good := range map[string]bool{
		"": true, ".": true, "..": true, "../..": true, "/": true, "/a/b": true, "../a": false, "a": false, "...": false, "../...": false, "..a": false, " ": false,
	} {
		m := &Manifest{Settings: analysis.Classic(), Next: 1, Segments: []segment.Ref{}, Base: base}
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeManifest("MANIFEST", b); (err == nil) != good {
			t.Errorf("%q: %v", base, err)
		}
	}
}
