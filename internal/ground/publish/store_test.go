package publish

import (
	"errors"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/objects/objectstest"
)

// A published result is what the directory has, and takes the place of the earlier one. What is not ours stays, and
// what another run has published meanwhile is not overwritten.
func TestToStore(t *testing.T) {
	s := objectstest.New(t)
	to, dir, o := objectstest.Name("out"), filepath.Join(t.TempDir(), "out"), options(&disktest.FS{Base: disk.OS})
	publish := func(result map[string]string) (Published, error) {
		if err := write(dir, o, result); err != nil {
			t.Fatal(err)
		}
		return ToStore(t.Context(), dir, to, o, nil)
	}
	there := func() map[string]string {
		files := s.Files("out/")
		delete(files, ListName)
		return files
	}
	for i, result := range []map[string]string{first, second, second} {
		did, err := publish(result)
		if err != nil || !maps.Equal(there(), result) || did.Written+did.Same != len(result) || i == 2 && did.Written > 0 {
			t.Errorf("%+v, %v: %v, want %v", did, err, there(), result)
		}
	}

	s.Put("out/mine", "mine")
	var foreign *ForeignError
	if _, err := publish(first); !errors.As(err, &foreign) || !strings.HasSuffix(foreign.Path, "/mine") {
		t.Errorf("what is not ours: %v", err)
	}
	s.Do(http.MethodDelete, "out/mine", nil)
	if !maps.Equal(there(), second) {
		t.Errorf("%v has been changed", there())
	}

	list := s.Files("out/")[ListName] + "\n" // of another run
	s.Fail(func(_ int64, r *http.Request) objectstest.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/kept/a") {
			s.Put("out/"+ListName, list)
		}
		return nil
	})
	if _, err := publish(first); !errors.Is(err, ErrBusy) || s.Files("out/")[ListName] != list {
		t.Errorf("another run has published a result: %v", err)
	}
}
