package dedup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/section"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
)

// againTo decides again on what a run has left in dir, and writes to out.
func againTo(ctx context.Context, out, dir string, o Options) (err error) {
	refs, inputs, err := From(dir, true, &o)
	if err != nil {
		return err
	}
	c, err := Read(ctx, refs, inputs, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := Decide(ctx, c)
	if err != nil {
		return err
	}
	return d.Write(ctx, out)
}

// The result at another threshold is that of a run of its own, to the last byte, though a file has changed, and can
// be decided on once more.
func TestAgain(t *testing.T) {
	t.Parallel()
	all := texts(rand.New(rand.NewPCG(11, 1)), 400)
	refs, inputs := []string{files(t, all[:100]), indexed(t, analysis.Default(), index.KeepText, files(t, all[100:200]))}, []string{files(t, all[200:])}
	for i, o := range []Options{{}, {Chain: true}, {Keep: Keep{Way: First}}, {Annotate: true}, {Keep: Keep{Way: Cleanest}}, {DryRun: true}} {
		for _, refs := range [][]string{nil, refs} {
			if !testkit.IsLong() && (i%2 == 0) == (refs == nil) {
				continue
			}
			o.Settings, o.Threads, o.Command = DefaultSettings(), 2, "simsearch dedup"
			first := o
			first.Threshold, first.Annotate, first.DryRun = 0.4, false, len(refs) == 0
			dir := filepath.Join(t.TempDir(), "first")
			first.State, first.Began = dir, time.Now().Add(time.Hour).UnixNano() // so that no file has been written just before
			if _, err := runTo(t.Context(), dir, refs, inputs, first); err != nil {
				t.Fatal(err)
			}
			for _, o.Threshold = range []float64{0.4, 0.6, 1, 0.5} {
				if o.Threshold == 0.5 {
					change(t, inputs[0], fmt.Sprintf(`{"id":"new","text":%q}`, all[210]))
				}
				want, _ := ran(t, refs, inputs, o)
				o, out := o, filepath.Join(t.TempDir(), "out")
				o.State, o.Keep, o.Chain = out, Keep{}, false // those of the first run are used
				told := ""
				o.Tell = func(what string) { told += what }
				if err := againTo(t.Context(), out, dir, o); err != nil {
					t.Fatal(err)
				}
				got := stateless(contents(t, out))
				if !same(got, want) {
					t.Errorf("%v, other files than those of a new run", o.Threshold)
				}
				if dir == filepath.Join(filepath.Dir(dir), "first") && !strings.Contains(told, "are known; 0 files to read") {
					t.Errorf("%v: what the first run has read is read again: %q", o.Threshold, told)
				}
				dir = out
			}
		}
	}
}

// A run at 1 leaves no sets. It is decided on again at 1, and at another threshold all is read again: both are as a
// run of its own, and what the latter leaves serves any threshold.
func TestAgainWithoutSets(t *testing.T) {
	t.Parallel()
	input := []string{files(t, texts(rand.New(rand.NewPCG(11, 7)), 300))}
	first := options()
	first.Threshold, first.State, first.Began = 1, filepath.Join(t.TempDir(), "first"), time.Now().Add(time.Hour).UnixNano()
	if _, err := runTo(t.Context(), first.State, nil, input, first); err != nil {
		t.Fatal(err)
	}
	from := first.State
	for i, threshold := range []float64{0.6, 1, 0.5} {
		o := options()
		o.Threshold, o.Began = threshold, first.Began
		want, _ := ran(t, nil, input, o)
		told := ""
		o.State, o.Tell = filepath.Join(t.TempDir(), "out"), func(what string) { told += what }
		if err := againTo(t.Context(), o.State, from, o); err != nil {
			t.Fatal(err)
		}
		if got := stateless(contents(t, o.State)); !same(got, want) || strings.Contains(told, "0 files to read") != (i > 0) {
			t.Errorf("%v after %s: %q, or other files than those of a new run", threshold, from, told)
		}
		from = o.State
	}
}

// change adds a record to the first file of a directory.
func change(t *testing.T, dir, record string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "part0.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(record + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The same of real collections, as far as they are there.
func TestAgainOnCollections(t *testing.T) {
	testkit.Long(t, "real collections")
	t.Parallel()
	collections := []string{"sms-spam", "reuters21578"}
	dir := testkit.Dev(t, collections...)
	for _, name := range collections {
		path := filepath.Join(dir, name, "docs.jsonl")
		for _, chain := range []bool{false, true} {
			if chain && name != collections[0] {
				continue // one suffices
			}
			o := options()
			o.Chain, o.Threshold, o.State = chain, 0.6, filepath.Join(t.TempDir(), "first")
			if _, err := runTo(t.Context(), o.State, nil, []string{path}, o); err != nil {
				t.Fatal(err)
			}
			first := o.State
			for _, o.Threshold = range []float64{0.7, 0.85} {
				o.State = ""
				want, result := ran(t, nil, []string{path}, o)
				o.State = filepath.Join(t.TempDir(), "out")
				if err := againTo(t.Context(), o.State, first, o); err != nil {
					t.Fatal(err)
				}
				if got := stateless(contents(t, o.State)); !same(got, want) {
					t.Errorf("%s at %v: other files than those of a new run, which removes %d", name, o.Threshold, result.Removed)
				}
			}
		}
	}
}

// What cannot be decided again is told of.
func TestAgainRefuses(t *testing.T) {
	t.Parallel()
	in := files(t, texts(rand.New(rand.NewPCG(13, 1)), 60))
	first := filepath.Join(t.TempDir(), "first")
	o := options()
	o.State = first
	if _, err := runTo(t.Context(), first, nil, []string{in}, o); err != nil {
		t.Fatal(err)
	}
	try := func(dir string, threshold float64) string {
		t.Helper()
		o := options()
		o.Threshold, o.State = threshold, filepath.Join(t.TempDir(), "out")
		err := againTo(t.Context(), o.State, dir, o)
		if err == nil {
			t.Fatal("it is decided again")
		}
		if _, err := os.Stat(o.State); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v, want no directory", err)
		}
		return err.Error()
	}
	path := filepath.Join(first, stateName)
	state, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		threshold float64
		before    func() error
		want      string
	}{
		{0.9, func() error { return os.WriteFile(path, state[:len(state)-1], 0o666) }, "corrupt"},
		{0.9, func() error { return os.WriteFile(path, state, 0o666) }, ""},
		{0.9, func() error { return os.RemoveAll(in) }, "no such file"},
		{0.9, func() error { return os.Remove(path) }, "has no file state/documents"},
	} {
		if err := test.before(); err != nil {
			t.Fatal(err)
		}
		if test.want == "" {
			continue
		}
		if got := try(first, test.threshold); !strings.Contains(got, test.want) {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// FuzzState changes a state, and makes its checksums right.
func FuzzState(f *testing.F) {
	dir := f.TempDir()
	var lines strings.Builder
	for i, text := range texts(rand.New(rand.NewPCG(14, 1)), 12) {
		fmt.Fprintf(&lines, "{\"id\":\"%d\",\"text\":\"%s\"}\n", i, text)
	}
	in, first := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "first")
	if err := os.WriteFile(in, []byte(lines.String()), 0o666); err != nil {
		f.Fatal(err)
	}
	o := options()
	o.State = first
	if _, err := runTo(context.Background(), first, nil, []string{in}, o); err != nil {
		f.Fatal(err)
	}
	names, files := []string{stateName, storedName(1)}, make([]*section.File, 2)
	for i, name := range names {
		data, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			f.Fatal(err)
		}
		if files[i], err = section.Parse("", data); err != nil {
			f.Fatal(err)
		}
		for which := range byte(17) {
			f.Add(byte(i), which, uint16(0), byte(0), uint16(0))
			f.Add(byte(i), which, uint16(8), byte(0xff), uint16(0))
			f.Add(byte(i), which, uint16(20), byte(1), uint16(4))
		}
	}
	f.Fuzz(func(t *testing.T, file, which byte, at uint16, flip byte, cut uint16) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, StateDir), 0o777); err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			changes := which
			if byte(i) != file%2 {
				changes = 255
			}
			writeChanged(t, filepath.Join(dir, name), files[i], changes, at, flip, cut)
		}
		o := options()
		o.Threshold = 0.9
		refs, inputs, err := From(dir, true, &o)
		if err != nil {
			return
		}
		o.State = filepath.Join(t.TempDir(), "out")
		c, err := Read(t.Context(), refs, inputs, o)
		if err != nil {
			return
		}
		if d, err := Decide(t.Context(), c); err == nil {
			_ = d.Result()
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
