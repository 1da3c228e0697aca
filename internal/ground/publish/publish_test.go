package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/tests/testkit"
)

// options are those of the tests.
func options(fsys disk.FS) Options {
	return Options{By: "test", Command: "simsearch test", Work: []string{"read-[0-9]*"}, FS: fsys}
}

// Two results of one command. They share some names, and have others.
var (
	first  = map[string]string{"removed.jsonl": "1", "kept/a": "one", "kept/sub/b": "two", "report.html": "page"}
	second = map[string]string{"removed.jsonl": "22", "kept/a": "another", "kept/new/c": "three", "cut.jsonl": "x"}
)

// write writes a result.
func write(dir string, o Options, result map[string]string) (err error) {
	d, err := Open(dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if d.Resumed() {
		if err := d.Clear(); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(result))
	if err := d.Plan(names); err != nil {
		return err
	}
	if err := disk.WriteAtomic(d, "read-1", []byte("work")); err != nil {
		return err
	}
	for _, name := range names {
		name := filepath.FromSlash(name)
		if _, err := disk.MkdirAll(d, filepath.Dir(name)); err != nil {
			return err
		}
		if err := disk.WriteAtomic(d, name, []byte(result[filepath.ToSlash(name)])); err != nil {
			return err
		}
	}
	return d.Commit()
}

// filesIn returns the files below a directory, except for those in WorkName and the list.
func filesIn(t *testing.T, fsys disk.FS, dir string) map[string]string {
	t.Helper()
	root, err := fsys.Root(dir, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	files := map[string]string{}
	err = walk(root, ".", func(name string, info fs.FileInfo) error {
		if info.IsDir() || name == ListName || strings.HasPrefix(name, WorkName+"/") {
			return nil
		}
		text, err := root.ReadFile(filepath.FromSlash(name), 1<<30)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestResultTakesThePlaceOfTheEarlierOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "some", "out")
	for _, result := range []map[string]string{first, second, first} {
		if err := write(dir, options(nil), result); err != nil {
			t.Fatal(err)
		}
		if got := filesIn(t, disk.OS, dir); !maps.Equal(got, result) {
			t.Errorf("the directory has %v, want %v", got, result)
		}
		if _, err := os.Lstat(filepath.Join(dir, WorkName)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left (%v)", WorkName, err)
		}
	}
	for what, o := range map[string]Options{"another command": {By: "other", Command: "simsearch test"}, "another command line": {By: "test", Command: "simsearch test --k 3"}} {
		if err := write(dir, o, second); err == nil || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := filesIn(t, disk.OS, dir); !maps.Equal(got, first) {
		t.Errorf("a refused run left %v", got)
	}
	if err := write(dir, Options{By: "test", Command: "other", Anew: true, Work: options(nil).Work}, second); err != nil {
		t.Errorf("anew: %v", err)
	}
}

// Whatever somebody has put into the directory, at whatever place, is named, and stays as it is.
func TestNothingForeignIsTouched(t *testing.T) {
	outside := t.TempDir()
	gold := filepath.Join(outside, "gold")
	if err := os.WriteFile(gold, []byte("gold"), 0o666); err != nil {
		t.Fatal(err)
	}
	plant := map[string]func(path string) error{
		"file":                func(p string) error { return os.WriteFile(p, []byte("mine"), 0o666) },
		"directory":           func(p string) error { return os.Mkdir(p, 0o777) },
		"link to a directory": func(p string) error { return os.Symlink(outside, p) },
		"link to a file":      func(p string) error { return os.Symlink(gold, p) },
		"link to nothing":     func(p string) error { return os.Symlink(filepath.Join(outside, "nothing"), p) },
	}
	quick := options(&disktest.FS{Base: disk.OS}) // without syncs, which take long
	states := map[string]func(dir string) error{
		"a finished result": func(dir string) error { return write(dir, quick, first) },
		"an unfinished one": func(dir string) error { return interrupted(dir, first, nil) },
		"both": func(dir string) error {
			return errors.Join(write(dir, quick, first), interrupted(dir, second, nil))
		},
		"one that is being replaced": func(dir string) error {
			if err := write(dir, quick, first); err != nil {
				return err
			}
			n := 0
			return interrupted(dir, second, func(op disktest.Op) bool { // in the middle
				if op.Kind == "rename" && strings.Contains(op.To, oldName) {
					n++
				}
				return n == 3
			})
		},
		"a directory of somebody else": func(dir string) error { return os.Mkdir(dir, 0o777) },
		"an unfinished one by nobody":  func(dir string) error { return os.MkdirAll(filepath.Join(dir, WorkName, "kept"), 0o777) },
	}
	for state, prepare := range states {
		for kind, put := range plant {
			dir := filepath.Join(t.TempDir(), "out")
			if err := prepare(dir); err != nil {
				t.Fatal(state, err)
			}
			// At each directory that is there a foreign name, and each file replaced by something else.
			var places []string
			_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if e.IsDir() {
					places = append(places, filepath.Join(path, "notes.txt"), filepath.Join(path, "kept-"))
				} else if base := filepath.Base(path); base != lockName && (kind != "file" || base != planName && base != "read-1" && !strings.Contains(path, WorkName)) {
					places = append(places, path)
				}
				return nil
			})
			for i, place := range places {
				if !testkit.IsLong() && i%3 != len(kind)%3 {
					continue
				}
				dir := filepath.Join(t.TempDir(), "out")
				if err := prepare(dir); err != nil {
					t.Fatal(state, err)
				}
				_, in, _ := strings.Cut(filepath.ToSlash(place), "/out/")
				at := filepath.Join(dir, filepath.FromSlash(in))
				_ = os.Remove(at) // if it is a file
				if err := put(at); err != nil {
					t.Fatal(err)
				}
				before := snapshot(t, dir)
				for _, result := range []map[string]string{first, second} {
					if err := write(dir, options(nil), result); err == nil {
						t.Errorf("%s with a %s at %s was written to", state, kind, at)
					}
				}
				if after := snapshot(t, dir); !maps.Equal(before, after) {
					t.Errorf("%s with a %s at %s became %v, was %v", state, kind, at, after, before)
				}
				if text, _ := os.ReadFile(gold); string(text) != "gold" {
					t.Fatalf("%s with a %s at %s: the file outside has %q", state, kind, at, text)
				}
				if names, _ := os.ReadDir(outside); len(names) != 1 {
					t.Fatalf("%s with a %s at %s: outside there is %v", state, kind, at, names)
				}
			}
		}
	}
}

// snapshot returns what is below a directory, except for locks.
func snapshot(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == lockName {
			return err
		}
		switch {
		case e.IsDir():
			all[path] = "directory"
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[path] = "link " + to
			return err
		default:
			text, err := os.ReadFile(path)
			all[path] = "file " + string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var errStop = errors.New("the process was killed")

// interrupted writes a result until stop returns true, and then nothing more. If stop is nil, all is written except
// for the list.
func interrupted(dir string, result map[string]string, stop func(disktest.Op) bool) error {
	stopped := false
	if stop == nil {
		stop = func(op disktest.Op) bool { return op.Kind == "rename" && filepath.Base(op.To) == ListName }
	}
	err := write(dir, options(&disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
		if stopped = stopped || stop(op); stopped && op.Writes() {
			return 0, errStop
		}
		return 0, nil
	}}), result)
	if !errors.Is(err, errStop) {
		return fmt.Errorf("it was not interrupted: %w", err)
	}
	return nil
}

// After each failure of an operation there is the earlier result or the new one, whole, and the same command succeeds.
func TestEveryFailureLeavesAWholeResult(t *testing.T) {
	const most = 1000
	for at := range most {
		base := disk.NewMemory()
		if err := write("out", options(base), first); err != nil {
			t.Fatal(err)
		}
		n, failed := 0, false
		fsys := &disktest.FS{Base: base, Before: func(op disktest.Op) (int, error) {
			if op.Kind == "unlock" || op.Kind == "close" {
				return 0, nil
			}
			if n++; n-1 == at {
				failed = true
				return len(op.Data) / 2, errors.New("input/output error")
			}
			return 0, nil
		}}
		err := write("out", options(fsys), second)
		if !failed {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		whole(t, fmt.Sprintf("after a failure of operation %d (%v)", at, err), base)
	}
	t.Fatalf("more than %d operations", most)
}

// whole tests that the earlier result is there or the new one, that nothing is mixed while the same command has not
// run again, and that it then has the new one.
func whole(t *testing.T, when string, base disk.FS) {
	t.Helper()
	got := filesIn(t, base, "out")
	// Each file is that of one of the results, in its place or in that for what is being replaced.
	for name, text := range got {
		if text != first[name] && text != second[name] {
			t.Errorf("%s: %s has %q", when, name, text)
		}
	}
	for range 2 {
		if err := write("out", options(base), second); err != nil {
			t.Errorf("%s the same command fails: %v", when, err)
			return
		}
	}
	if got := filesIn(t, base, "out"); !maps.Equal(got, second) {
		t.Errorf("%s the same command made %v", when, got)
	}
	if ok, err := exists(disktest.Below(base, "out"), WorkName); ok || err != nil {
		t.Errorf("%s the same command left %s (%v)", when, WorkName, err)
	}
}

// After each crash the earlier result or the new one can be had whole.
func TestEveryCrashLeavesAWholeResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for at := 0; ; at++ {
		base, shadow := disk.NewMemory(), disktest.NewShadow(".")
		fsys := &disktest.FS{Base: base, After: shadow.Done}
		if err := write("out", options(fsys), first); err != nil {
			t.Fatal(err)
		}
		n, stopped := 0, false
		fsys.Before = func(op disktest.Op) (int, error) {
			if !op.Writes() {
				return 0, nil
			}
			if n++; n > at {
				stopped = true
				return 0, errStop
			}
			return 0, nil
		}
		_ = write("out", options(fsys), second)
		for i := range testkit.Of(3, 12) {
			image := disk.NewMemory()
			lost := rng
			if i == 0 {
				lost = nil
			}
			if err := shadow.ImageIn(image, ".", lost); err != nil {
				t.Fatal(err)
			}
			got := filesIn(t, image, "out")
			if stopped && !maps.Equal(got, first) && !maps.Equal(got, second) {
				// In between: what is missing is in WorkName.
				for name, text := range first {
					old, _ := image.ReadFile(filepath.Join("out", WorkName, oldName, name), 1<<30)
					next, err := image.ReadFile(filepath.Join("out", WorkName, name), 1<<30)
					if got[name] != text && got[name] != second[name] && string(old) != text && (err != nil || string(next) != second[name]) {
						t.Errorf("after a crash behind operation %d, %s is lost: %v", at, name, got)
					}
				}
			}
			whole(t, fmt.Sprintf("after a crash behind operation %d", at), image)
		}
		if !stopped {
			return
		}
	}
}

// A result that was changed by hand is named and stays.
func TestEdits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := options(nil)
	if err := write(dir, o, first); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "removed.jsonl")
	if err := os.WriteFile(path, []byte("2"), 0o666); err != nil { // of the same size
		t.Fatal(err)
	}
	var foreign *ForeignError
	if err := write(dir, o, second); !errors.As(err, &foreign) || foreign.Path != path {
		t.Errorf("after an edit: %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "2" {
		t.Errorf("the edit became %q", text)
	}
}

// The files of a result are durable in their places before its list is, and that before anything of the earlier
// result is removed.
func TestListIsDurableInItsTurn(t *testing.T) {
	fsys := &disktest.FS{Base: disk.NewMemory()}
	if err := write("out", options(fsys), first); err != nil {
		t.Fatal(err)
	}
	var since []string // what has been synced since the last file was moved
	var before, after []string
	listed := false
	fsys.Before = func(op disktest.Op) (int, error) {
		switch {
		case op.Kind == "syncdir":
			since = append(since, filepath.ToSlash(op.Path))
		case op.Kind == "rename" && filepath.ToSlash(op.To) == "out/"+ListName:
			before, since, listed = since, nil, true
		case op.Kind == "rename":
			since = nil
		case op.Kind == "remove" && listed && after == nil:
			after = append([]string{}, since...)
		}
		return 0, nil
	}
	if err := write("out", options(fsys), second); err != nil {
		t.Fatal(err)
	}
	for what, synced := range map[string][]string{"before the list": before, "after it": after} {
		if !slices.Contains(synced, "out") || !slices.Contains(synced, "out/"+WorkName) {
			t.Errorf("%s, %v is synced", what, synced)
		}
	}
}

// A file of the earlier result that somebody changes while the next one is written stays as it is, and is named.
func TestChangedMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := options(&disktest.FS{Base: disk.OS})
	if err := write(dir, o, first); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "kept", "sub", "b")
	if err := errors.Join(d.Plan([]string{"a"}), disk.WriteAtomic(d, "a", []byte("new")), os.WriteFile(path, []byte("mine now"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"Commit": d.Commit(), "Check": Check(dir, o)} {
		if foreign := (*ForeignError)(nil); !errors.As(err, &foreign) || foreign.Path != path {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine now" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOnlyOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	d, err := Open(dir, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, options(nil)); !errors.Is(err, ErrBusy) {
		t.Errorf("a second writer: %v, want ErrBusy", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that has written nothing leaves %s (%v)", dir, err)
	}
}

func TestNamesStayInside(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "out"), options(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, name := range []string{"", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "./a", ListName, WorkName + "/x", "kept/.tmp-abc", "names", "lock", "a\x00b"} {
		if err := d.Plan([]string{name}); err == nil {
			t.Errorf("%q was planned", name)
		}
	}
}

func TestDanglingLink(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := os.Symlink("nowhere", dir); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	if err := Check(dir, options(nil)); err == nil || !strings.Contains(err.Error(), "link to something that does not exist") {
		t.Errorf("a dangling link: %v", err)
	}
}

// A list or plan that is damaged is named, and nothing is changed.
func TestDamagedList(t *testing.T) {
	base := disk.NewMemory()
	for _, name := range []string{ListName, WorkName + "/" + planName, WorkName + "/" + ListName} {
		for _, text := range []string{"xx\n", `{"v":1,"by":"test","command":"simsearch test"}` + "\n{", `{"v":1}` + "\n" + `{"name":"../a"}`} {
			dir := filepath.Join("out", fmt.Sprint(len(name), len(text)))
			path := filepath.Join(dir, filepath.FromSlash(name))
			if _, err := disk.MkdirAll(base, filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			if err := disk.WriteAtomic(base, path, []byte(text)); err != nil {
				t.Fatal(err)
			}
			err := write(dir, options(base), second)
			if err == nil || !strings.HasPrefix(err.Error(), path+": "+errList.Error()) || !strings.HasSuffix(err.Error(), "move it away, or name another directory") {
				t.Errorf("%s: %v", path, err)
			}
			if is, err := base.ReadFile(path, 1<<30); string(is) != text {
				t.Errorf("%s has %q, %v", path, is, err)
			}
		}
	}
}

// A list from a stranger makes nothing happen outside of the directory.
func FuzzList(f *testing.F) {
	f.Add(`{"v":1,"by":"test","command":"simsearch test"}` + "\n" + `{"name":"kept/a","bytes":3,"digest":""}`)
	f.Add(`{"v":1,"by":"test","command":"simsearch test"}` + "\n" + `{"name":"../victim","bytes":4}`)
	f.Add(`{"v":1,"by":"test"}` + "\n" + `{"name":"kept/../../victim"}`)
	f.Add("\x00")
	f.Fuzz(func(t *testing.T, text string) {
		base := disk.NewMemory()
		put := func(path, text string) {
			if _, err := disk.MkdirAll(base, filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			if err := disk.WriteAtomic(base, path, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		put("victim", "gold")
		put("out/kept/a", "one")
		put("out/"+ListName, text)
		put("out/"+WorkName+"/"+planName, text)
		_ = write("out", options(base), second)
		if text, err := base.ReadFile("victim", 1<<30); string(text) != "gold" {
			t.Errorf("the file outside has %q (%v)", text, err)
		}
	})
}

// What is kept of an earlier result has the contents and the list that it would have if it were written again, and
// its file is not another one. Where a file has one name only, or is to have other permissions, nothing is kept.
func TestKeep(t *testing.T) {
	for name, fsys := range map[string]disk.FS{"links": disk.OS, "no links": disktest.NewQuota(disk.OS, 1<<20)} {
		dir, o := filepath.Join(t.TempDir(), "out"), options(fsys)
		if err := write(dir, o, first); err != nil {
			t.Fatal(err)
		}
		was, err := os.Stat(filepath.Join(dir, "kept", "sub", "b"))
		if err != nil {
			t.Fatal(err)
		}
		for _, perm := range []fs.FileMode{0o666, 0o600} {
			if runtime.GOOS == "windows" && perm == 0o600 {
				continue // no file has such permissions there
			}
			o.Perm = perm
			d, err := Open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(d.Plan([]string{"kept/sub/b", "new"}), disk.WriteAtomic(d, "new", []byte("new"))); err != nil {
				t.Fatal(err)
			}
			for file, want := range map[string]bool{"kept/sub/b": name == "links" && perm == 0o666, "new": false} {
				if kept, err := d.Keep(file); kept != want || err != nil {
					t.Errorf("%s, %v: %s is kept: %v, want %v (%v)", name, perm, file, kept, want, err)
				}
			}
			if name != "links" || perm != 0o666 {
				if err := errors.Join(d.Clear(), d.Close()); err != nil {
					t.Error(err)
				}
				continue
			}
			if err := errors.Join(d.Commit(), d.Close()); err != nil {
				t.Fatal(err)
			}
			if got := filesIn(t, disk.OS, dir); !maps.Equal(got, map[string]string{"kept/sub/b": "two", "new": "new"}) {
				t.Errorf("the directory has %v", got)
			}
			if is, err := os.Stat(filepath.Join(dir, "kept", "sub", "b")); err != nil || !os.SameFile(was, is) {
				t.Errorf("another file has taken its place (%v)", err)
			}
		}
		if err := Check(dir, options(nil)); err != nil {
			t.Error(err)
		}
	}
}

// Runs with other names each, of which none ends, leave what the next one removes, wherever they are interrupted by a
// fault or a power cut.
func TestPlansOfInterruptedRuns(t *testing.T) {
	third := map[string]string{"kept/third/d": "four"}
	// The plan comes before what is left is removed, as where a run finds out only then whether it can go on.
	begin := func(fsys disk.FS, result map[string]string) (err error) {
		d, err := Open("out", options(fsys))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		if err := d.Plan(slices.Sorted(maps.Keys(result))); err != nil {
			return err
		}
		if err := d.Clear(); err != nil {
			return err
		}
		for name, text := range result {
			if _, err := disk.MkdirAll(d, filepath.Dir(name)); err != nil {
				return err
			}
			if err := disk.WriteAtomic(d, filepath.FromSlash(name), []byte(text)); err != nil {
				return err
			}
		}
		return nil
	}
	rng := rand.New(rand.NewPCG(7, 9))
	for at := 0; ; at++ {
		base, shadow := disk.NewMemory(), disktest.NewShadow(".")
		fsys := &disktest.FS{Base: base, After: shadow.Done}
		if err := errors.Join(write("out", options(fsys), first), begin(fsys, second)); err != nil {
			t.Fatal(err)
		}
		n, stopped := 0, false
		fsys.Before = func(op disktest.Op) (int, error) {
			if !op.Writes() {
				return 0, nil
			}
			if n++; n > at {
				stopped = true
				return 0, errStop
			}
			return 0, nil
		}
		if err := begin(fsys, third); stopped != (err != nil) {
			t.Fatal(err)
		}
		images := []disk.FS{base}
		for i := range testkit.Of(3, 12) {
			image, lost := disk.NewMemory(), rng
			if i == 0 {
				lost = nil
			}
			if err := shadow.ImageIn(image, ".", lost); err != nil {
				t.Fatal(err)
			}
			images = append(images, image)
		}
		for i, image := range images {
			if err := write("out", options(image), first); err != nil {
				t.Errorf("image %d, after operation %d: %v", i, at, err)
			}
			if got := filesIn(t, image, "out"); !maps.Equal(got, first) {
				t.Errorf("image %d, after operation %d: %v", i, at, got)
			}
		}
		if !stopped {
			return
		}
	}
}

// What is no file of an interrupted run stays, and is told of, also if other names are planned by then.
func TestPlansExplainNothingForeign(t *testing.T) {
	base := disk.NewMemory()
	d, err := Open("out", options(base))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Plan([]string{"kept/a"}), d.Mkdir("kept"), disk.WriteAtomic(d, filepath.Join("kept", "a"), nil), d.Close()); err != nil {
		t.Fatal(err)
	}
	if d, err = Open("out", options(base)); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join("out", WorkName, "kept", "b")
	if err := errors.Join(d.Plan([]string{"kept/c"}), disk.WriteAtomic(base, foreign, []byte("mine"))); err != nil {
		t.Fatal(err)
	}
	is := (*ForeignError)(nil)
	if err := d.Clear(); !errors.As(err, &is) || is.Path != foreign {
		t.Errorf("what is foreign is cleared: %v", err)
	}
	if err := d.Commit(); !errors.As(err, &is) {
		t.Errorf("what is foreign is in a result: %v", err)
	}
	_ = d.Close()
	if text, err := base.ReadFile(foreign, 1<<30); string(text) != "mine" {
		t.Errorf("what is foreign has %q (%v)", text, err)
	}
}
