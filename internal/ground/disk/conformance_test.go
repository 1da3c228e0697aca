package disk

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
)

// A fixture is a file system under test, with an empty directory.
type fixture struct {
	FS
	t   *testing.T
	dir string
}

func (f fixture) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// put makes a file.
func (f fixture) put(name, text string) {
	f.t.Helper()
	file, err := f.Create(f.path(name))
	f.must(err)
	_, err = file.Write([]byte(text))
	f.must(errors.Join(err, file.Sync(), file.Close()))
}

// holds tests what a file has.
func (f fixture) holds(name, want string) {
	f.t.Helper()
	if got, err := f.ReadFile(f.path(name), 1<<30); err != nil || string(got) != want {
		f.t.Errorf("%s has %q (%v), want %q", name, got, err, want)
	}
}

// refused tests that an error is of a class.
func (f fixture) refused(what string, err, class error) {
	f.t.Helper()
	if !errors.Is(err, class) {
		f.t.Errorf("%s: %v, want %v", what, err, class)
	}
}

// rootOf returns the part of a file system below a directory.
func rootOf(t *testing.T, fsys FS, dir string) FS {
	root, err := fsys.Root(dir, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// Every file system does the same.
func TestFileSystems(t *testing.T) {
	systems := map[string]func(t *testing.T) (FS, string){
		"OS": func(t *testing.T) (FS, string) { return OS, t.TempDir() },
		"memory": func(t *testing.T) (FS, string) {
			fsys := NewMemory()
			if _, err := MkdirAll(fsys, filepath.Join("some", "where")); err != nil {
				t.Fatal(err)
			}
			return fsys, filepath.Join("some", "where")
		},
		"root of OS":     func(t *testing.T) (FS, string) { return rootOf(t, OS, t.TempDir()), "." },
		"root of memory": func(t *testing.T) (FS, string) { return rootOf(t, NewMemory(), "."), "." },
	}
	cases := map[string]func(f fixture){
		"files": func(f fixture) {
			f.put("a", "text")
			f.holds("a", "text")
			_, err := f.Create(f.path("a"))
			f.refused("Create of a file that exists", err, fs.ErrExist)
			_, err = f.Create(f.path("no/a"))
			f.refused("Create in a directory that does not exist", err, fs.ErrNotExist)
			if _, err := f.Create(f.path("a/b")); err == nil {
				f.t.Error("a file was made in a file")
			}
			for what, read := range map[string]func(string) error{
				"ReadFile": func(p string) error { _, err := f.ReadFile(p, 1<<30); return err },
				"Map":      func(p string) error { _, err := f.Map(p); return err },
				"Stat":     func(p string) error { _, err := f.Stat(p); return err },
				"ReadDir":  func(p string) error { _, err := f.ReadDir(p); return err },
				"Remove":   f.Remove,
			} {
				f.refused(what+" of a file that does not exist", read(f.path("b")), fs.ErrNotExist)
			}
			if _, err := f.Map(f.dir); err == nil {
				f.t.Error("a directory was mapped")
			}
			f.must(f.SyncFile(f.path("a")))
			f.refused("SyncFile of nothing", f.SyncFile(f.path("b")), fs.ErrNotExist)
			if err := f.SyncFile(f.dir); err == nil {
				f.t.Error("SyncFile of a directory")
			}
			f.put("empty", "")
			f.holds("empty", "")
		},
		"writes": func(f fixture) {
			file, err := f.Create(f.path("a"))
			f.must(err)
			_, err = file.WriteAt([]byte("three"), 8)
			f.must(err)
			_, err = file.Write([]byte("one"))
			f.must(err)
			_, err = file.Write([]byte("two"))
			f.must(err)
			f.holds("a", "onetwo\x00\x00three")
			_, err = file.WriteAt([]byte("TWO"), 3)
			f.must(err)
			var got [5]byte
			if n, err := file.ReadAt(got[:], 3); n != 5 || err != nil || string(got[:]) != "TWO\x00\x00" {
				f.t.Errorf("ReadAt: %d %v %q", n, err, got)
			}
			if n, err := file.ReadAt(got[:], 10); n != 3 || !errors.Is(err, io.EOF) || string(got[:3]) != "ree" {
				f.t.Errorf("ReadAt at the end: %d %v %q", n, err, got[:3])
			}
			if n, err := file.ReadAt(got[:], 100); n != 0 || !errors.Is(err, io.EOF) {
				f.t.Errorf("ReadAt behind the end: %d %v", n, err)
			}
			if _, err := file.WriteAt([]byte("x"), -1); err == nil {
				f.t.Error("a write at offset -1")
			}
			f.must(file.Close())
			_, err = file.Write([]byte("x"))
			f.refused("Write after Close", err, fs.ErrClosed)
			f.refused("Sync after Close", file.Sync(), fs.ErrClosed)
			f.refused("Close after Close", file.Close(), fs.ErrClosed)
		},
		"maps": func(f fixture) {
			file, err := f.Create(f.path("a"))
			f.must(err)
			empty, err := file.Map()
			f.must(err)
			if len(empty.Data()) != 0 {
				f.t.Errorf("an empty file maps %d bytes", len(empty.Data()))
			}
			_, err = file.Write([]byte("one"))
			f.must(err)
			one, err := file.Map()
			f.must(err)
			_, err = file.Write([]byte("two"))
			f.must(err)
			two, err := f.Map(f.path("a"))
			f.must(err)
			f.must(file.Close())
			f.put("b", "other")
			f.must(errors.Join(f.Rename(f.path("a"), f.path("c")), f.Rename(f.path("b"), f.path("c"))))
			if string(one.Data()) != "one" || string(two.Data()) != "onetwo" {
				f.t.Errorf("maps have %q and %q after the file was replaced", one.Data(), two.Data())
			}
			f.must(two.Unchanged())
			f.holds("c", "other")
			f.must(f.Remove(f.path("c")))
			f.must(errors.Join(empty.Close(), one.Close(), two.Close(), two.Close()))
		},
		"directories": func(f fixture) {
			f.must(f.Mkdir(f.path("d")))
			f.refused("Mkdir of a directory that exists", f.Mkdir(f.path("d")), fs.ErrExist)
			f.refused("Mkdir below nothing", f.Mkdir(f.path("no/d")), fs.ErrNotExist)
			f.put("d/x", "x")
			f.put("b", "b")
			f.put("a", "a")
			names, err := f.ReadDir(f.dir)
			f.must(err)
			if !slices.Equal(names, []string{"a", "b", "d"}) {
				f.t.Errorf("names: %q", names)
			}
			if err := f.Remove(f.path("d")); err == nil {
				f.t.Error("a directory that is not empty was removed")
			}
			f.must(f.Rename(f.path("d"), f.path("e")))
			f.holds("e/x", "x")
			if err := f.Rename(f.path("a"), f.path("e")); err == nil {
				f.t.Error("a file replaced a directory")
			}
			if err := f.Rename(f.path("e"), f.path("a")); err == nil {
				f.t.Error("a directory replaced a file")
			}
			if err := f.Rename(f.path("e"), f.path("e/f")); err == nil {
				f.t.Error("a directory was moved into itself")
			}
			f.must(f.Link(f.path("a"), f.path("e/link")))
			f.refused("Link to a file that exists", f.Link(f.path("a"), f.path("b")), fs.ErrExist)
			f.refused("Link of nothing", f.Link(f.path("no"), f.path("f")), fs.ErrNotExist)
			f.refused("Link to a directory that does not exist", f.Link(f.path("a"), f.path("no/f")), fs.ErrNotExist)
			f.must(errors.Join(f.Rename(f.path("a"), f.path("first")), f.Remove(f.path("first"))))
			f.holds("e/link", "a")
			f.must(f.Rename(f.path("e/link"), f.path("a")))
			f.refused("Rename of nothing", f.Rename(f.path("no"), f.path("f")), fs.ErrNotExist)
			f.refused("Rename to a directory that does not exist", f.Rename(f.path("a"), f.path("no/f")), fs.ErrNotExist)
			f.holds("a", "a")
			f.must(errors.Join(f.Remove(f.path("e/x")), f.Remove(f.path("e")), f.SyncDir(f.dir)))
			f.refused("SyncDir of nothing", f.SyncDir(f.path("e")), fs.ErrNotExist)
			made, err := MkdirAll(f, f.path("g/h"))
			f.must(err)
			if !slices.Equal(made, []string{f.path("g"), f.path("g/h")}) {
				f.t.Errorf("made %q", made)
			}
			if _, err := MkdirAll(f, f.path("a/b")); err == nil {
				f.t.Error("a directory was made in a file")
			}
		},
		"descriptions": func(f fixture) {
			f.put("a", "text")
			a, err := f.Stat(f.path("a"))
			f.must(err)
			d, err := f.Stat(f.dir)
			f.must(err)
			if a.Name() != "a" || a.Size() != 4 || a.IsDir() || !a.Mode().IsRegular() || a.ModTime().IsZero() {
				f.t.Errorf("a file: %v %d %v", a.Name(), a.Size(), a.Mode())
			}
			if d.Name() != filepath.Base(f.dir) || !d.IsDir() || !d.Mode().IsDir() {
				f.t.Errorf("a directory: %v %v", d.Name(), d.Mode())
			}
		},
		"temporary files": func(f fixture) {
			file, err := f.CreateTemp(f.dir)
			f.must(err)
			_, err = file.Write([]byte("text"))
			f.must(err)
			m, err := file.Map()
			f.must(err)
			if string(m.Data()) != "text" {
				f.t.Errorf("the map has %q", m.Data())
			}
			f.must(errors.Join(m.Close(), file.Close()))
			if names, err := f.ReadDir(f.dir); err != nil || len(names) > 0 {
				f.t.Errorf("left: %q, %v", names, err)
			}
			_, err = f.CreateTemp(f.path("no"))
			f.refused("CreateTemp in a directory that does not exist", err, fs.ErrNotExist)
			file, err = f.CreateTemp("")
			f.must(err)
			f.must(file.Close())
		},
		"files that appear whole": func(f fixture) {
			for _, text := range []string{"old", "new"} {
				f.must(WriteAtomic(f, f.path("a"), []byte(text)))
				f.holds("a", text)
			}
			unfinished, err := CreateAtomic(f, f.path("a"))
			f.must(err)
			unfinished.Abort()
			f.holds("a", "new")
			if names, err := f.ReadDir(f.dir); err != nil || !slices.Equal(names, []string{"a"}) {
				f.t.Errorf("left: %q, %v", names, err)
			}
		},
		"locks": func(f fixture) {
			l, err := f.Lock(f.path("lock"), "the first")
			f.must(err)
			_, err = f.Lock(f.path("lock"), "the second")
			var taken *LockedError
			if !errors.As(err, &taken) || filepath.Base(taken.Path) != "lock" || runtime.GOOS != "windows" && taken.Holder != "the first" {
				f.t.Errorf("the second: %v", err)
			}
			f.must(l.Held())
			f.must(errors.Join(l.Close(), l.Close()))
			l, err = f.Lock(f.path("lock"), "the third")
			f.must(err)
			f.must(l.Close())
			f.holds("lock", "the third\n")
			if runtime.GOOS != "windows" { // where the file of a lock cannot be removed
				l, err = f.Lock(f.path("lock"), "the fourth")
				f.must(err)
				f.must(f.Remove(f.path("lock")))
				f.refused("a lock whose file was removed", l.Held(), ErrLockLost)
				other, err := f.Lock(f.path("lock"), "the fifth")
				f.must(err)
				f.refused("a lock whose file was replaced", l.Held(), ErrLockLost)
				f.must(errors.Join(other.Held(), other.Close(), l.Close()))
				f.must(f.Remove(f.path("lock")))
			}
			_, err = f.Lock(f.path("no/lock"), "")
			f.refused("Lock in a directory that does not exist", err, fs.ErrNotExist)
		},
	}
	for system, begin := range systems {
		for name, test := range cases {
			t.Run(system+"/"+name, func(t *testing.T) {
				fsys, dir := begin(t)
				test(fixture{fsys, t, dir})
			})
		}
	}
}

// A map in memory is no copy, and has the same bytes for ever.
func TestMapsInMemory(t *testing.T) {
	fsys := NewMemory()
	f, err := fsys.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	must := func(_ int, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(f.Write(bytes.Repeat([]byte("x"), 1000)))
	first, err := fsys.Map("a")
	if err != nil {
		t.Fatal(err)
	}
	second, err := fsys.Map("a")
	if err != nil {
		t.Fatal(err)
	}
	if &first.Data()[0] != &second.Data()[0] {
		t.Error("two maps are two copies")
	}
	before := bytes.Clone(first.Data())
	must(f.Write([]byte("more")))
	must(f.WriteAt([]byte("over"), 500))
	must(f.WriteAt([]byte("over"), 998))
	if !bytes.Equal(first.Data(), before) || !bytes.Equal(second.Data(), before) {
		t.Error("a write changed what was mapped")
	}
	if err := fsys.Remove("a"); err != nil {
		t.Fatal(err)
	}
	data := first.Data()
	if err := errors.Join(first.Unchanged(), first.Close()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, before) {
		t.Error("removing the file and closing the map changed the bytes")
	}
}

// Goroutines that map and write the same file do not see each other's writes.
func TestMemoryIsConcurrent(t *testing.T) {
	t.Parallel()
	fsys := NewMemory()
	f, err := fsys.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 300 {
			p := bytes.Repeat([]byte{byte(i)}, 64)
			if _, err := f.Write(p); err != nil {
				t.Error(err)
			}
			if _, err := f.WriteAt(p, int64(i/2)*64); err != nil {
				t.Error(err)
			}
		}
	})
	for range 3 {
		wg.Go(func() {
			for range 300 {
				m, err := fsys.Map("a")
				if err != nil {
					t.Error(err)
					return
				}
				for p := range slices.Chunk(m.Data(), 64) {
					if bytes.Count(p, p[:1]) != len(p) {
						t.Error("a map has a part of a write")
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestFull(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.ENOSPC: true,
		syscall.EIO:    false,
		fs.ErrClosed:   false,
		&fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}: true,
	} {
		if got := Full(err); got != want {
			t.Errorf("Full(%v) = %v", err, got)
		}
	}
}
