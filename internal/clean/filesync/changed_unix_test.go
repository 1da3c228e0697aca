//go:build linux || darwin

package filesync

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"simsearch/internal/files/corpus"
	"simsearch/internal/index"
)

// Files that take the places of others are found, though the sizes and times of all are the same: by a rename, by a
// copy with its time, and by a link. A change of the mode alone is no change.
func TestSameSizeAndTime(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d.txt"} {
		f.write(name, "the text of "+name)
		f.age(name, 1)
	}
	sync := func(want Counts) {
		t.Helper()
		counts, _, err := f.sync(never, -1)
		if counts.Unread = 0; err != nil || counts != want {
			t.Errorf("%+v, %v, want %+v", counts, err, want)
		}
		if got, want := contents(t, f.dir), f.fresh(); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		f.rewrite(func(*index.CatalogueFile) {})
	}
	sync(Counts{Files: 4, New: 4})
	f.must(errors.Join(os.Rename(f.path("a.txt"), f.path("x")), os.Rename(f.path("b.txt"), f.path("a.txt")), os.Rename(f.path("x"), f.path("b.txt"))))
	sync(Counts{Files: 4, Changed: 2})
	f.write("a.txt", "the text of x.txt")
	f.age("a.txt", 1)
	sync(Counts{Files: 4, Changed: 1})
	f.must(errors.Join(os.Remove(f.path("c.txt")), os.Link(f.path("d.txt"), f.path("c.txt"))))
	sync(Counts{Files: 4, Changed: 1, Touched: 1}) // the link changes d.txt, too
	f.must(os.Chmod(f.path("b.txt"), 0o600))
	sync(Counts{Files: 4, Touched: 1})
	sync(Counts{Files: 4})
}

// A run without a Sync that reads an unchanged file by other options adds other documents of it, which the next Sync
// takes out. By the same options, it leaves the catalogue as it is.
func TestAddedByOtherOptions(t *testing.T) {
	f := newFolder(t)
	f.write("a.txt", "one line of text\nand another one")
	_, _, err := f.sync(never, -1)
	f.must(err)
	f.rewrite(func(*index.CatalogueFile) {})
	f.add(f.docs, never, -1)
	if counts, _, err := f.sync(never, -1); err != nil || counts.Changed != 0 {
		t.Errorf("the same options: %+v, %v", counts, err)
	}
	f.rewrite(func(*index.CatalogueFile) {})
	f.format = corpus.Lines
	f.add(f.docs, never, -1)
	if got := contents(t, f.dir); len(got) != 3 {
		t.Errorf("%v, want the file and its two lines", got)
	}
	_, _, err = f.sync(never, -1)
	f.must(err)
	if got, want := contents(t, f.dir), f.fresh(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A catalogue that has the times of contents, as those of earlier versions do, makes all files be read once, and found
// unchanged.
func TestTimesOfContents(t *testing.T) {
	f := newFolder(t)
	for i, name := range []string{"a.txt", "b.txt", "c.jsonl"} {
		f.write(name, `{"text": "the text of `+name+`"}`)
		f.age(name, i)
	}
	if _, _, err := f.sync(never, -1); err != nil {
		t.Fatal(err)
	}
	f.rewrite(func(file *index.CatalogueFile) {
		info, err := os.Stat(f.path(file.Path))
		f.must(err)
		if file.Changed == info.ModTime().UnixNano() {
			t.Errorf("%s: the catalogue has the time of the contents", file.Path)
		}
		file.Changed = info.ModTime().UnixNano()
	})
	for _, touched := range []int{3, 0} {
		counts, result, err := f.sync(never, -1)
		want := Counts{Files: 3, Touched: touched, Unread: counts.Unread}
		if err != nil || counts != want || result != (index.Result{}) {
			t.Errorf("%+v, %+v, %v, want %+v", counts, result, err, want)
		}
	}
}

// asNobody lets root be another user until the test ends: nothing is unreadable for root. The test must not be
// parallel.
func (f *folder) asNobody() {
	f.t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	root := filepath.Dir(f.docs)
	f.must(errors.Join(os.Chown(filepath.Dir(root), nobody, nobody), os.Chown(root, nobody, nobody), os.Chown(f.docs, nobody, nobody)))
	if err := syscall.Seteuid(nobody); err != nil {
		f.t.Skipf("nothing is unreadable for this user, who cannot be another one: %v", err)
	}
	f.t.Cleanup(func() { f.must(syscall.Seteuid(0)) })
}

// A file or directory that cannot be read leaves the index as it is, and is read as soon as it can be.
func TestUnreadable(t *testing.T) {
	f := newFolder(t)
	f.asNobody()
	for i, name := range []string{"a.txt", "b/c.txt", "b/d.txt"} {
		f.write(name, "the text of "+name)
		f.age(name, i)
	}
	if _, _, err := f.sync(never, -1); err != nil {
		t.Fatal(err)
	}
	want := contents(t, f.dir)
	f.write("a.txt", "another text")
	f.must(errors.Join(os.Chmod(f.path("a.txt"), 0), os.Chmod(f.path("b"), 0)))
	counts, _, err := f.sync(never, -1)
	f.must(errors.Join(os.Chmod(f.path("a.txt"), 0o666), os.Chmod(f.path("b"), 0o777)))
	if err != nil || counts.Failed != 2 || counts.Gone != 0 {
		t.Errorf("%+v, %v", counts, err)
	}
	if got := contents(t, f.dir); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, _, err := f.sync(never, -1); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, f.dir); !maps.Equal(got, f.fresh()) {
		t.Errorf("in the end: %v", got)
	}
}
