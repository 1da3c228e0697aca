package dedup

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

// A growing directory has files of texts. Each has been changed long ago, so that a run can tell that it is as it was.
type growing struct {
	t   *testing.T
	dir string
	all []string
	rng *rand.Rand
	// mixed says that some files have other formats than JSON Lines.
	mixed bool
}

func newGrowing(t *testing.T, seed uint64, texts []string) *growing {
	return &growing{t: t, dir: t.TempDir(), all: texts, rng: rand.New(rand.NewPCG(37, seed))}
}

// put writes a file with the next texts, after what it has.
func (g *growing) put(name string, n int) {
	g.t.Helper()
	path := filepath.Join(g.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		g.t.Fatal(err)
	}
	was, _ := os.ReadFile(path)
	var b strings.Builder
	b.Write(was)
	form := "{\"id\":\"d%d\",\"text\":%q,\"when\":%q}\n"
	switch filepath.Ext(name) {
	case ".csv":
		b.WriteString("id,text,when\n")
		form = "d%d,%q,%s\n"
	case ".html":
		form, n = "<title>%d</title><p>%s</p><!-- %s -->", 1
	case ".mbox":
		form = "From a\nMessage-ID: <%d>\nSubject: x\n\n%s\n%s\n\n"
	}
	for _, text := range g.all[:n] {
		fmt.Fprintf(&b, form, g.rng.IntN(1<<30), text, fmt.Sprintf("20%02d-05-06", g.rng.IntN(100)))
	}
	g.all = g.all[n:]
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		g.t.Fatal(err)
	}
	then := time.Now().Add(-time.Duration(1+g.rng.IntN(1000)) * time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		g.t.Fatal(err)
	}
}

// night changes some files, adds some, in the middle of their order, too, and removes one now and then.
func (g *growing) night(i int) {
	ext := ".jsonl"
	if g.mixed {
		ext = []string{".jsonl", ".csv", ".html", ".mbox"}[g.rng.IntN(4)]
	}
	g.put(fmt.Sprintf("%c/day%02d%s", 'a'+g.rng.IntN(3), i, ext), 1+g.rng.IntN(12))
	switch i % 4 {
	case 1:
		g.put("growing.jsonl", 3)
	case 3:
		names, err := filepath.Glob(filepath.Join(g.dir, "*", "*.*"))
		if err != nil {
			g.t.Fatal(err)
		}
		if err := os.Remove(names[g.rng.IntN(len(names))]); err != nil {
			g.t.Fatal(err)
		}
	}
}

// growWays are runs that go on from an earlier result.
var growWays = []struct {
	name string
	set  func(*Options)
}{
	{"cleanest, at 0.5", func(o *Options) { o.Keep.Way, o.Threshold = Cleanest, 0.5 }},
	{"first, chain", func(o *Options) { o.Keep.Way, o.Chain = First, true }},
	{"newest, spared", func(o *Options) {
		o.Keep, o.Spare = Keep{Way: Newest, Field: "when"}, 1
	}},
	{"contained", func(o *Options) { o.Contained = 0.9 }},
	{"distance", func(o *Options) { o.Settings, o.Distance = DefaultFingerprints(), 3 }},
	{"annotated, at 1", func(o *Options) { o.Annotate, o.Threshold = true, 1 }},
	{"dry", func(o *Options) { o.DryRun, o.Threshold = true, 0.5 }},
	{"n-grams of characters", func(o *Options) {
		o.Settings.SetFeatures, o.Threshold = preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}, 0.55
	}},
}

// Each night, the result is that of a run on everything, to the last byte, whatever has come and gone, and what was
// read is not read again.
func TestGrows(t *testing.T) {
	t.Parallel()
	for i, way := range growWays {
		if !testkit.IsLong() && i%3 != 0 {
			continue
		}
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			g := newGrowing(t, uint64(i), texts(rand.New(rand.NewPCG(37, 100)), 800))
			g.mixed = i%2 == 0 && way.name != "annotated, at 1" && way.name != "newest, spared" && way.name != "contained"
			ref := files(t, texts(rand.New(rand.NewPCG(37, 101)), 40))
			then := time.Now().Add(-time.Hour)
			names, err := filepath.Glob(filepath.Join(ref, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if err := os.Chtimes(name, then, then); err != nil {
					t.Fatal(err)
				}
			}
			for range 12 {
				g.put(fmt.Sprintf("a/first%d.jsonl", g.rng.IntN(1000)), 20)
			}
			out, all := filepath.Join(t.TempDir(), "out"), 0
			for night := range testkit.Of(6, 20) {
				o := options()
				o.Command = "simsearch dedup"
				way.set(&o)
				if way.name == "contained" {
					o.Annotate = true
				}
				want, result := ran(t, []string{ref}, []string{g.dir}, o)
				told, was := "", inodes(t, out)
				o.State, o.Tell = out, func(what string) { told += what + "\n" }
				if _, err := runTo(t.Context(), out, []string{ref}, []string{g.dir}, o); err != nil {
					t.Fatal(err)
				}
				if got := stateless(contents(t, out)); !same(got, want) {
					for name, is := range want {
						if now := got[name]; now != is {
							at := 0
							for at < min(len(is), len(now)) && is[at] == now[at] {
								at++
							}
							t.Errorf("night %d: %s is not that of a run on everything: %.200q, want %.200q", night, name, now[max(0, at-50):], is[max(0, at-50):])
						}
					}
					t.Fatalf("night %d: %d files, want %d", night, len(got), len(want))
				}
				if strings.Contains(told, "are known") != (night > 0) {
					t.Errorf("night %d: told %q", night, told)
				}
				kept := 0
				for name, info := range inodes(t, out) {
					if before := was[name]; before != nil && os.SameFile(before, info) && strings.HasPrefix(name, "kept/") {
						kept++
					}
				}
				all += kept
				if result.Removed < 10 || result.Kept < 30 {
					t.Errorf("%d removed and %d kept: the test tests little", result.Removed, result.Kept)
				}
				g.night(night)
			}
			if writes := !strings.HasPrefix(way.name, "annotated") && way.name != "dry" && way.name != "contained"; writes != (all > 10) {
				t.Errorf("%d files are those of the night before", all)
			}
		})
	}
}

// inodes returns the files below a directory by their names.
func inodes(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	all := map[string]fs.FileInfo{}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(dir, path)
			all[filepath.ToSlash(name)], err = entry.Info()
		}
		return err
	})
	return all
}

// A night that is interrupted anywhere is made up for by the next one, with more files by then or not.
func TestGrowsAfterFaults(t *testing.T) {
	t.Parallel()
	all := texts(rand.New(rand.NewPCG(37, 102)), 700)
	g := newGrowing(t, 1, all)
	out := filepath.Join(t.TempDir(), "out")
	for i := range 10 {
		g.put(fmt.Sprintf("a/first%d.jsonl", i), 30)
	}
	do := func(o Options) error {
		_, err := runTo(t.Context(), out, nil, []string{g.dir}, o)
		return err
	}
	o := resumable(out)
	o.Began = 0
	if err := do(o); err != nil {
		t.Fatal(err)
	}
	hits, at := 0, 0
	for night := range testkit.Of(12, 60) {
		g.night(night)
		if len(g.all) < 20 {
			g.all = all[:len(all)-20]
		}
		n, hit := 0, false
		failing := o
		failing.FS = &disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) {
			if n++; n > at { // the process ends
				hit = true
				return 0, os.ErrPermission
			}
			return 0, nil
		}}
		err := do(failing)
		if hit != (err != nil) {
			t.Fatalf("night %d: operation %d fails: %v", night, at, err)
		}
		if hit {
			hits++
			at += 1 + g.rng.IntN(40)
		} else {
			at = g.rng.IntN(40)
		}
		if night%2 == 0 && hit {
			continue // more comes before the next run
		}
		if err := do(o); err != nil {
			t.Fatalf("night %d: %v", night, err)
		}
		fresh := options()
		fresh.Command = o.Command
		want, _ := ran(t, nil, []string{g.dir}, fresh)
		if got := stateless(contents(t, out)); !same(got, want) {
			t.Fatalf("night %d, after a fault at operation %d: another result than that of a run on everything", night, at)
		}
	}
	if hits < 6 {
		t.Errorf("%d faults: the test tests little", hits)
	}
	names, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "unfinished") }) {
		t.Errorf("the directory has %q (%v)", names, err)
	}
}

// The power is cut after every operation of a run whose files are others than those of an interrupted one before it.
// Another run, on other files again, ends with the result of a run on everything.
func TestGrowsAfterPowerCuts(t *testing.T) {
	t.Parallel()
	g := newGrowing(t, 2, texts(rand.New(rand.NewPCG(37, 103)), 300))
	for i := range 6 {
		g.put(fmt.Sprintf("a/first%d.jsonl", i), 30)
	}
	root := t.TempDir()
	shadow, rng := disktest.NewShadow(root), rand.New(rand.NewPCG(37, 104))
	var images []string
	writes, stopAt, isThird := 0, -1, false
	o := resumable(filepath.Join(root, "out"))
	o.Began = 0
	o.FS = &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
		if writes == stopAt && op.Writes() {
			return 0, os.ErrPermission
		}
		return 0, nil
	}, After: func(op disktest.Op) {
		if op.Kind == "lock" { // which makes the file
			op.Kind = "create"
		}
		if shadow.Done(op); !op.Writes() {
			return
		}
		if writes++; !isThird || writes%testkit.Of(12, 2) > 0 {
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
	do := func(o Options) error {
		_, err := runTo(t.Context(), o.State, nil, []string{g.dir}, o)
		return err
	}
	if err := do(o); err != nil {
		t.Fatal(err)
	}
	g.night(3) // a file goes
	stopAt = writes + writes/2
	if err := do(o); !errors.Is(err, os.ErrPermission) {
		t.Fatalf("the second run is not interrupted: %v", err)
	}
	g.night(7)
	stopAt, isThird = -1, true
	if err := do(o); err != nil {
		t.Fatal(err)
	}
	if len(images) < testkit.Of(10, 60) {
		t.Errorf("only %d images", len(images))
	}
	g.night(11)
	fresh := options()
	fresh.Command = o.Command
	want, _ := ran(t, nil, []string{g.dir}, fresh)
	for _, image := range images {
		o := resumable(filepath.Join(image, "out"))
		o.Began = 0
		if err := do(o); err != nil {
			t.Fatalf("%s: %v", image, err)
		}
		if got := stateless(contents(t, o.State)); !same(got, want) {
			t.Fatalf("%s: another result than that of a run on everything", image)
		}
	}
}
