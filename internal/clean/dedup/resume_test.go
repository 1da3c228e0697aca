package dedup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/publish"
	"simsearch/internal/tests/testkit"
)

// resumable returns options for a run to out in small parts.
func resumable(out string) Options {
	o := options()
	o.State, o.PartBytes, o.Command, o.Began = out, 1<<12, "simsearch dedup", 1
	o.FS = &disktest.FS{Base: disk.OS} // without syncs, which take long
	return o
}

// same reports whether two results are equal. The state names its directory.
func same(got, want map[string]string) bool {
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// stateless returns files without the state, which has times of files, without the sets, which are in the order in
// which they came, and without what was seen.
func stateless(files map[string]string) map[string]string {
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "state/") })
	return files
}

// A run that fails or is cut off anywhere goes on where it stopped, with the same files at the end, and without reading
// what it has read.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	dir := files(t, texts(rand.New(rand.NewPCG(5, 2)), 1100))
	if told := goesOn(t, removing(nil, dir), 3, resumable); len(told) < 3 {
		t.Errorf("the run went on in %d ways only: %v", len(told), told)
	}
}

// Doing is a run of some inputs.
type doing func(ctx context.Context, out string, o Options) error

// removing returns a run that removes documents.
func removing(refs []string, inputs ...string) doing {
	return func(ctx context.Context, out string, o Options) error {
		_, err := runTo(ctx, out, refs, inputs, o)
		return err
	}
}

// goesOn fails runs at operations of which the next is up to most later, and compares what the same runs write when
// they are given again. It returns how often these have told of what.
func goesOn(t *testing.T, do doing, most int, options func(out string) Options) (told map[string]int) {
	t.Helper()
	first := filepath.Join(t.TempDir(), "out")
	if err := do(t.Context(), first, options(first)); err != nil {
		t.Fatal(err)
	}
	want := contents(t, first)
	told = map[string]int{}
	rng := rand.New(rand.NewPCG(5, 3))
	for at := 0; ; at += 1 + rng.IntN(most*testkit.Of(2, 1)) {
		out := filepath.Join(t.TempDir(), "out")
		n, hit := 0, false
		o := options(out)
		o.FS = &disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) {
			if n++; n-1 >= at { // the process ends
				hit = true
				return 0, os.ErrPermission
			}
			return 0, nil
		}}
		err := do(t.Context(), out, o)
		if !hit {
			return told
		}
		if err == nil {
			t.Fatalf("operation %d fails, and nobody is told", at)
		}
		o = options(out)
		o.Tell = func(what string) { told[what[strings.Index(what, "which goes on"):]]++ }
		if err := do(t.Context(), out, o); err != nil {
			t.Fatalf("operation %d: %v", at, err)
		}
		if got := contents(t, out); !same(got, want) {
			t.Errorf("operation %d fails: other files after the next run", at)
		}
	}
}

// The power is cut after every operation, and what has not been synced is there in part. The same run ends with the
// same files.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	dir := files(t, texts(rand.New(rand.NewPCG(6, 2)), 200))
	root := t.TempDir()
	first := filepath.Join(root, "out")
	shadow := disktest.NewShadow(root)
	rng := rand.New(rand.NewPCG(1, 1))
	var images []string
	writes := 0
	follow := func(op disktest.Op) {
		if op.Kind == "lock" { // which makes the file
			op.Kind = "create"
		}
		shadow.Done(op)
	}
	o := resumable(first)
	o.FS = &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
		follow(op)
		if writes++; !op.Writes() || writes%testkit.Of(4, 1) > 0 {
			return
		}
		for _, rng := range []*rand.Rand{nil, rng} {
			image := filepath.Join(t.TempDir(), "image")
			if err := errors.Join(os.Mkdir(image, 0o777), shadow.Image(image, rng)); err != nil {
				t.Fatal(err)
			}
			images = append(images, image)
		}
	}}
	// A result of another run is there first.
	other := resumable(first)
	other.FS, other.Threshold = &disktest.FS{Base: disk.OS, After: follow}, 0.5
	for _, o := range []Options{other, o} {
		if _, err := runTo(t.Context(), first, nil, []string{dir}, o); err != nil {
			t.Fatal(err)
		}
	}
	want := contents(t, first)
	if len(images) < testkit.Of(20, 80) {
		t.Errorf("only %d images", len(images))
	}
	for _, image := range images {
		out := filepath.Join(image, "out")
		if err := Prepare(out, []string{dir}, o); err != nil {
			t.Fatalf("%s: %v", image, err)
		}
		o := resumable(out)
		if _, err := runTo(t.Context(), out, nil, []string{dir}, o); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, out); !same(got, want) {
			t.Errorf("%s: other files", image)
		}
	}
}

// interrupted runs until the part of a log or, if parts is 0, until all is read, and returns the directory.
func interrupted(t *testing.T, inputs []string, parts int) string {
	t.Helper()
	return interruptedWith(t, removing(nil, inputs...), parts, func(*Options) {})
}

// What has changed since a run was interrupted is told of, and all begins anew.
func TestChangedSince(t *testing.T) {
	testkit.Long(t, "many changes")
	t.Parallel()
	change := func(path string, keepTime bool) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data = []byte(strings.Replace(string(data), `"text":"w`, `"text":"v`, 1))
		if err := os.WriteFile(path, data, 0o666); err != nil || !keepTime {
			return err
		}
		return os.Chtimes(path, time.Time{}, info.ModTime())
	}
	for _, test := range []struct {
		what   string
		parts  int
		change func(dir string, o *Options) error
		told   string
	}{
		{"nothing", 2, func(string, *Options) error { return nil }, "which goes on"},
		{"threads", 2, func(_ string, o *Options) error { o.Threads = 1; return nil }, "which goes on"},
		{"nothing", 0, func(string, *Options) error { return nil }, "1,800 documents read"},
		{"text", 2, func(dir string, _ *Options) error { return change(filepath.Join(dir, "part0.jsonl"), false) }, "part0.jsonl has changed: all begins anew"},
		{"text", 0, func(dir string, _ *Options) error { return change(filepath.Join(dir, "part2.jsonl"), false) }, "part2.jsonl has changed: all begins anew"},
		{"text and time", 1, func(dir string, _ *Options) error { return change(filepath.Join(dir, "part0.jsonl"), true) }, "part0.jsonl: a file has changed, or what it has left is damaged: all begins anew"},
		{"text and time of a file that was read", 2, func(dir string, _ *Options) error { return change(filepath.Join(dir, "part0.jsonl"), true) }, ""},
		{"file", 2, func(dir string, _ *Options) error {
			return os.WriteFile(filepath.Join(dir, "new"), []byte("new"), 0o666)
		}, "new is new: all begins anew"},
		{"fewer files", 0, func(dir string, _ *Options) error { return os.Remove(filepath.Join(dir, "part1.jsonl")) }, "part1.jsonl is gone: all begins anew"},
		{"threshold", 2, func(_ string, o *Options) error { o.Threshold = 0.7; return nil }, "it had other inputs or options: all begins anew"},
		{"keep", 2, func(_ string, o *Options) error {
			o.Keep = Keep{Way: First}
			return nil
		}, "it had other inputs or options: all begins anew"},
	} {
		dir := files(t, texts(rand.New(rand.NewPCG(7, 2)), 1800))
		out := interrupted(t, []string{dir}, test.parts)
		if !GoesOn(out) {
			t.Errorf("%s: there is nothing to go on with", test.what)
		}
		o := resumable(out)
		var told []string
		o.Tell = func(what string) { told = append(told, what) }
		if err := test.change(dir, &o); err != nil {
			t.Fatal(err)
		}
		_, err := runTo(t.Context(), out, nil, []string{dir}, o)
		if test.told == "" { // the next run begins anew
			if !errors.Is(err, document.ErrChanged) {
				t.Errorf("%s: %v", test.what, err)
			}
			told = nil
			_, err = runTo(t.Context(), out, nil, []string{dir}, o)
		}
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		if test.told == "" {
			told = append(told, "")
		}
		if len(told) == 0 || !strings.Contains(told[len(told)-1], test.told) {
			t.Errorf("%s: told %q, want %q", test.what, told, test.told)
		}
		o.State, o.Tell = "", nil
		want, _ := ran(t, nil, []string{dir}, o)
		if got := stateless(contents(t, out)); !same(got, want) {
			t.Errorf("%s: other files than those of a new run", test.what)
		}
	}
}

// Damage of what a run has left is no wrong result.
func TestDamagedState(t *testing.T) {
	testkit.Long(t, "many damages")
	t.Parallel()
	dir := files(t, texts(rand.New(rand.NewPCG(8, 2)), 900))
	o := options()
	o.Command = "simsearch dedup"
	want, _ := ran(t, nil, []string{dir}, o)
	rng := rand.New(rand.NewPCG(8, 3))
	for _, parts := range []int{0, 2} {
		for range 8 {
			out := interrupted(t, []string{dir}, parts)
			names, err := disk.OS.ReadDir(filepath.Join(out, publish.WorkName))
			if err != nil {
				t.Fatal(err)
			}
			names = slices.DeleteFunc(names, func(name string) bool { return name == "lock" || name == "names" || name == "state" })
			if parts == 0 {
				names = []string{storedName(1)}
			}
			path := filepath.Join(out, publish.WorkName, names[rng.IntN(len(names))])
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if at := rng.IntN(len(data)); rng.IntN(2) == 0 {
				data = data[:at]
			} else {
				data[at] ^= 1 << rng.IntN(8)
			}
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := runTo(t.Context(), out, nil, []string{dir}, resumable(out)); err != nil {
				t.Fatal(err)
			}
			if got := stateless(contents(t, out)); !same(got, want) {
				t.Errorf("%s is damaged: other files", filepath.Base(path))
			}
		}
	}
}

// A run that fails before it has anything to save leaves nothing.
func TestLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	if err := os.WriteFile(in, []byte(`{"id":"a","body":"b"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "new", "out")
	if _, err := runTo(t.Context(), out, nil, []string{in}, resumable(out)); err == nil {
		t.Error("a record without a text is read")
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want no directory", err)
	}
}

// Two runs do not write to one directory.
func TestLocked(t *testing.T) {
	dir := files(t, texts(rand.New(rand.NewPCG(9, 2)), 30))
	out := filepath.Join(t.TempDir(), "out")
	c, err := Read(t.Context(), nil, []string{dir}, resumable(out))
	if err != nil {
		t.Fatal(err)
	}
	var locked *disk.LockedError
	if _, err := Read(t.Context(), nil, []string{dir}, resumable(out)); !errors.As(err, &locked) || !errors.Is(err, ErrBusy) {
		t.Errorf("%v, want a %T", err, locked)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
