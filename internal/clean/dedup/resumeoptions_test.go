package dedup

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/tests/testkit"
	"simsearch/preprocess"
)

// dated writes texts, some of which are pieces of others or have a menu, to several files of JSON Lines with fields,
// and returns their directory.
func dated(t *testing.T, rng *rand.Rand, n int) string {
	t.Helper()
	all := pieces(rng, n)
	files := map[string]string{}
	for i, text := range all {
		for word := range 8 {
			if rng.IntN(10) > word {
				text += fmt.Sprintf(" menu%d", word)
			}
		}
		day := fmt.Sprintf(`"day":"2024-01-0%d",`, rng.IntN(9)) // 0 is none
		if rng.IntN(9) == 0 {
			day = ""
		}
		name := fmt.Sprintf("part%d.jsonl", 4*i/n)
		files[name] += fmt.Sprintf(`{"id":"d%d",%s"score":%d,"text":%q}`+"\n", i, day, rng.IntN(50), text)
	}
	return writeFiles(t, files)
}

// An optioned is a name of options, and what they are.
type optioned struct {
	name string
	set  func(o *Options)
}

// manyOptions returns options that a run goes on with. ignore is a file for Options.Ignore.
func manyOptions(ignore string) []optioned {
	newest, lowest := Keep{Way: Newest, Field: "day"}, Keep{Way: Lowest, Field: "score"}
	all := []optioned{
		{"lossless", func(o *Options) { o.Lossless = true }},
		{"field", func(o *Options) { o.Keep = newest }},
		{"max-df", func(o *Options) { o.MaxDF = 0.2 }},
		{"ignore", func(o *Options) { o.Ignore = ignore }},
		{"contained", func(o *Options) { o.Contained = 0.9 }},
		{"all", func(o *Options) {
			o.Keep, o.MaxDF, o.Ignore, o.Contained = Keep{Way: Oldest, Field: "day"}, 90, ignore, 0.8
		}},
		{"chain", func(o *Options) { o.Chain, o.MaxDF, o.Keep, o.Corpus.Lenient = true, 0.5, lowest, true }},
		{"annotate", func(o *Options) { o.Annotate, o.Contained = true, 0.95 }},
		{"n-grams of characters", func(o *Options) {
			o.Settings.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}
		}},
		{"dry run", func(o *Options) { o.DryRun, o.Keep, o.MaxDF = true, newest, 0.1 }},
		{"at 1", func(o *Options) { o.Threshold, o.Keep = 1, newest }},
	}
	if !testkit.IsLong() {
		return []optioned{all[0], all[1], all[5], all[8], all[9], all[10]}
	}
	return all
}

// ignoring writes a file of texts whose features are left out.
func ignoring(t *testing.T) string {
	t.Helper()
	return filepath.Join(writeFiles(t, map[string]string{"ignore.txt": "menu1 menu2\nw7"}), "ignore.txt")
}

// Runs go on with every option, with a reference and without one.
func TestGoesOnWithOptions(t *testing.T) {
	t.Parallel()
	most := testkit.Of(25, 7)
	rng := rand.New(rand.NewPCG(15, 1))
	dir, ref, ignore := dated(t, rng, 700), dated(t, rng, 200), ignoring(t)
	for i, is := range manyOptions(ignore) {
		t.Run(is.name, func(t *testing.T) {
			t.Parallel()
			var refs []string
			if i%2 == 1 {
				refs = []string{ref}
			}
			told := goesOn(t, removing(refs, dir), most, func(out string) Options {
				o := resumable(out)
				o.Threshold = 0.6
				is.set(&o)
				return o
			})
			if len(told) == 0 {
				t.Error("no run went on")
			}
		})
	}
}

// The power is cut at some operations of runs with options. The same run ends with the same files.
func TestPowerCutWithOptions(t *testing.T) {
	testkit.Long(t, "many moments")
	t.Parallel()
	dir, ignore := dated(t, rand.New(rand.NewPCG(16, 1)), 300), ignoring(t)
	for _, is := range manyOptions(ignore) {
		t.Run(is.name, func(t *testing.T) { cutPower(t, removing(nil, dir), is.set) })
	}
}

// cutPower cuts the power at some operations of a run, and compares what the same run writes when it is given again.
func cutPower(t *testing.T, do doing, set func(o *Options)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(16, 4))
	root := t.TempDir()
	out := filepath.Join(root, "out")
	shadow := disktest.NewShadow(root)
	var images []string
	o := resumable(out)
	set(&o)
	o.FS = &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
		if op.Kind == "lock" { // which makes the file
			op.Kind = "create"
		}
		shadow.Done(op)
		if !op.Writes() || rng.IntN(testkit.Of(8, 4)) > 0 {
			return
		}
		image := filepath.Join(t.TempDir(), "image")
		if err := errors.Join(os.Mkdir(image, 0o777), shadow.Image(image, rng)); err != nil {
			t.Fatal(err)
		}
		images = append(images, image)
	}}
	if err := do(t.Context(), out, o); err != nil {
		t.Fatal(err)
	}
	want := contents(t, out)
	if len(images) < testkit.Of(3, 5) {
		t.Errorf("only %d images", len(images))
	}
	for _, image := range images {
		out := filepath.Join(image, "out")
		o := resumable(out)
		set(&o)
		if err := do(t.Context(), out, o); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, out); !same(got, want) {
			t.Error("other files")
		}
	}
}

// The state of a run is of no use to a run with another option, and that of a file of texts to ignore that has changed
// neither.
func TestOtherOptions(t *testing.T) {
	t.Parallel()
	dir, ignore := dated(t, rand.New(rand.NewPCG(17, 1)), 300), ignoring(t)
	first := func(set func(o *Options)) string { return interruptedWith(t, removing(nil, dir), 0, set) }
	all := manyOptions(ignore)
	for i, is := range all {
		out, other := first(is.set), all[(i+1)%len(all)]
		told, o := "", resumable(out)
		other.set(&o)
		o.Tell = func(what string) { told += what }
		if _, err := runTo(t.Context(), out, nil, []string{dir}, o); err != nil || !strings.HasSuffix(told, "it had other inputs or options: all begins anew") {
			t.Errorf("%s after %s: told %q; %v", other.name, is.name, told, err)
		}
		o.State, o.Tell = "", nil
		want, _ := ran(t, nil, []string{dir}, o)
		if got := stateless(contents(t, out)); !same(got, want) {
			t.Errorf("%s after %s: other files than those of a new run", other.name, is.name)
		}
	}
	out := first(func(o *Options) { o.Ignore = ignore })
	if err := os.WriteFile(ignore, []byte("menu1 menu3"), 0o666); err != nil {
		t.Fatal(err)
	}
	told, o := "", resumable(out)
	o.Ignore, o.Tell = ignore, func(what string) { told += what }
	if _, err := runTo(t.Context(), out, nil, []string{dir}, o); err != nil || !strings.HasSuffix(told, "ignore.txt has changed: all begins anew") {
		t.Errorf("told %q; %v", told, err)
	}
	o.State, o.Tell = "", nil
	want, _ := ran(t, nil, []string{dir}, o)
	if got := stateless(contents(t, out)); !same(got, want) {
		t.Error("other files than those of a new run")
	}
}

// What a log says of keys is what reading again would say: also in the middle of a file, and of the first document
// without a value.
func TestKeysGoOn(t *testing.T) {
	t.Parallel()
	dir := dated(t, rand.New(rand.NewPCG(18, 1)), 2000)
	field := func(o *Options) { o.Keep = Keep{Way: Newest, Field: "day"} }
	for parts := 1; parts <= 3; parts++ {
		out := interruptedWith(t, removing(nil, dir), parts, field)
		o := resumable(out)
		field(&o)
		var told []string
		o.Tell = func(what string) { told = append(told, what) }
		c, err := Read(t.Context(), nil, []string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		o.State = ""
		anew, err := Read(t.Context(), nil, []string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || !strings.Contains(told[0], "which goes on") {
			t.Errorf("after %d parts: told %q", parts, told)
		}
		if !slices.Equal(c.Keys.Values, anew.Keys.Values) || len(c.Keys.Values) != len(c.SetOf) || c.keysWarning() != anew.keysWarning() || anew.Keys.Unread == 0 {
			t.Errorf("after %d parts: %q, want %q", parts, c.keysWarning(), anew.keysWarning())
		}
		if err := errors.Join(c.Close(), anew.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A run with options is decided again at a higher threshold as a run of its own would be.
func TestAgainWithOptions(t *testing.T) {
	testkit.Long(t, "many ways of a run")
	t.Parallel()
	rng := rand.New(rand.NewPCG(19, 1))
	dir, ref := dated(t, rng, 500), dated(t, rng, 100)
	for _, refs := range [][]string{nil, {ref}} {
		ignore := ignoring(t)
		for _, is := range manyOptions(ignore) {
			low := resumable(filepath.Join(t.TempDir(), "low"))
			is.set(&low)
			low.Threshold, low.Annotate, low.DryRun = 0.5, false, false
			if _, err := runTo(t.Context(), low.State, refs, []string{dir}, low); err != nil {
				t.Fatal(err)
			}
			for _, threshold := range []float64{0.5, 0.7, 0.9} {
				o := resumable(filepath.Join(t.TempDir(), "again"))
				is.set(&o)
				again := o
				again.Threshold, again.Keep, again.Ignore, again.MaxDF, again.Contained = threshold, Keep{}, "", 0, 0
				err := againTo(t.Context(), again.State, low.State, again)
				if err != nil {
					t.Fatalf("%s at %v: %v", is.name, threshold, err)
				}
				o.Threshold, o.State = threshold, ""
				want, _ := ran(t, refs, []string{dir}, o)
				got := stateless(contents(t, again.State))
				if !same(got, want) {
					t.Errorf("%s at %v: other files than those of a new run", is.name, threshold)
				}
			}
		}
	}
}

// interruptedWith is interrupted with options of its own.
func interruptedWith(t *testing.T, do doing, parts int, set func(o *Options)) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	last := []string{filepath.Base(storedName(1)), filepath.Base(stateName)}
	if parts > 0 {
		last = []string{partName(parts)}
	}
	o := resumable(out)
	set(&o)
	done := false
	o.FS = &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
		if done && op.Writes() {
			return 0, os.ErrPermission // the process has ended
		}
		return 0, nil
	}, After: func(op disktest.Op) {
		if op.Kind == "rename" && slices.Contains(last, filepath.Base(op.To)) {
			done = true
			cancel()
		}
	}}
	if err := do(ctx, out, o); !errors.Is(err, context.Canceled) && !errors.Is(err, os.ErrPermission) {
		t.Fatal(err)
	}
	return out
}
