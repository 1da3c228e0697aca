package dedup

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/quality/explain"
	"simsearch/internal/tests/testkit"
)

// A stood is a document of a result: whether it is kept, and else for which one it is removed.
type stood struct {
	text    string
	removed bool
	keptFor string
}

// stand returns the documents of a result by their files and ids, which have no spaces.
func (g *growing) stand(out map[string]string) map[string]stood {
	g.t.Helper()
	all := map[string]stood{}
	err := filepath.WalkDir(g.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, r := range rowsOf[record](g.t, string(data)) {
			all[path+" "+r.ID] = stood{text: r.Text}
		}
		for _, row := range rowsOf[removedRow](g.t, out[run.RemovedName]) {
			if row.Source == path {
				key := path + " " + row.ID
				all[key] = stood{all[key].text, true, row.KeptID}
			}
		}
		return nil
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return all
}

// With Options.Append, what is kept stays kept and what is removed stays removed, whatever comes, and the rest is as
// ever: no two that are kept are near, and each that is removed is near one that is kept. A night that is interrupted
// anywhere ends with the same bytes.
func TestAppends(t *testing.T) {
	t.Parallel()
	for i, set := range []func(*Options){
		func(o *Options) { o.Keep.Way, o.Threshold = Cleanest, 0.5 },
		func(o *Options) { o.Keep = Keep{Way: Newest, Field: "when"} },
		func(o *Options) { o.Keep.Way, o.Spare = Longest, explain.Numbers },
	} {
		g := newGrowing(t, uint64(50+i), texts(rand.New(rand.NewPCG(37, uint64(200+i))), 700))
		for j := range 10 {
			g.put(fmt.Sprintf("a/first%d.jsonl", j), 20)
		}
		out, others, before := filepath.Join(t.TempDir(), "out"), 0, map[string]stood{}
		for night := range testkit.Of(3, 20) {
			o := resumable(out)
			o.Began, o.Append = 0, true
			set(&o)
			do := func(dir string, o Options) error {
				o.State = dir
				_, err := runTo(t.Context(), dir, nil, []string{g.dir}, o)
				return err
			}
			again := filepath.Join(t.TempDir(), "out")
			if night > 0 {
				copyDir(t, out, again)
			}
			if err := do(out, o); err != nil {
				t.Fatal(err)
			}
			result := stateless(contents(t, out))
			n, at := 0, g.rng.IntN(400)
			failing := o
			failing.FS = &disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) {
				if n++; n > at {
					return 0, os.ErrPermission
				}
				return 0, nil
			}}
			_ = do(again, failing) // or it ends before
			if err := do(again, o); err != nil {
				t.Fatal(err)
			}
			if got := stateless(contents(t, again)); !same(got, result) { // or the fault came when all was there, so that another run was added
				another := filepath.Join(t.TempDir(), "out")
				copyDir(t, out, another)
				if err := do(another, o); err != nil {
					t.Fatal(err)
				}
				if !same(got, stateless(contents(t, another))) {
					t.Errorf("%d, night %d: another result after a fault at operation %d", i, night, at)
				}
			}
			is, kept, text := g.stand(result), []string{}, map[string]string{}
			for key, doc := range is {
				if text[key] = doc.text; !doc.removed {
					kept = append(kept, key)
				}
			}
			checkApart(t, kept, text, o)
			gone := map[string]bool{}
			for key, was := range before {
				if _, ok := is[key]; !ok {
					gone[key[strings.LastIndex(key, " ")+1:]] = true
				}
				if now, ok := is[key]; ok && !was.removed && now.removed {
					t.Errorf("%d, night %d: %s was kept, and is removed for %s", i, night, key, now.keptFor)
				}
			}
			for key, was := range before {
				if now, ok := is[key]; ok && was.removed && !now.removed && !gone[was.keptFor] {
					t.Errorf("%d, night %d: %s was removed for %s, and is kept", i, night, key, was.keptFor)
				}
			}
			before = is
			o.Append, o.State = false, ""
			if want, _ := ran(t, nil, []string{g.dir}, o); want[run.RemovedName] != result[run.RemovedName] {
				others++
			}
			g.night(night)
			if now := time.Now(); night%2 == 0 { // it may change again within the same second, so that it is read again
				if err := os.Chtimes(filepath.Join(g.dir, "a", "first1.jsonl"), now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			}
		}
		if others < 2 {
			t.Errorf("%d: in %d nights all is decided as if all were new: the test tests little", i, others)
		}
	}
}

// copyDir copies a directory with the times of its files.
func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for name, info := range inodes(t, from) {
		if err := os.Chtimes(filepath.Join(to, filepath.FromSlash(name)), info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
}

// A result to which nothing can be added is told of, and stays.
func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	g := newGrowing(t, 60, texts(rand.New(rand.NewPCG(37, 210)), 100))
	g.put("a.jsonl", 60)
	o := resumable(filepath.Join(t.TempDir(), "out"))
	o.Began, o.Append = 0, true
	do := func() error {
		_, err := runTo(t.Context(), o.State, nil, []string{g.dir}, o)
		return err
	}
	if err := do(); err != nil {
		t.Fatal(err)
	}
	want := contents(t, o.State)
	if err := os.Rename(filepath.Join(g.dir, "a.jsonl"), filepath.Join(g.dir, "b.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := do(); err == nil || !strings.Contains(err.Error(), "to which nothing can be added") {
		t.Errorf("nothing is known: %v", err)
	}
	if !same(contents(t, o.State), want) {
		t.Error("the result has changed")
	}
	o.Chain = true
	if err := do(); err == nil {
		t.Error("chains are not refused")
	}
}
