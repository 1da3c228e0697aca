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

	"simsearch/internal/ground/publish"
	"simsearch/internal/tests/testkit"
)

// cutting returns a run that cutWays parts.
func cutting(refs []string, inputs ...string) doing {
	return func(ctx context.Context, out string, o Options) error {
		_, err := cutRun(ctx, refs, inputs, out, o)
		return err
	}
}

// cutWays are options for parts, with little memory: several sets and keys go to each part of a log.
var cutWays = []optioned{
	{"lines", func(o *Options) { o.By, o.MinWords, o.Threshold = Lines, 3, 0.6 }},
	{"paragraphs", func(o *Options) { o.By, o.MinWords = Paragraphs, DefaultMinWords }},
	{"equal lines", func(o *Options) { o.By, o.MinWords, o.Threshold = Lines, 2, 1 }},
	{"dry run", func(o *Options) { o.By, o.MinWords, o.DryRun = Lines, 4, true }},
}

// Runs that cut parts go on where they stopped, whatever fails and wherever the power is cut.
func TestCutGoesOn(t *testing.T) {
	testkit.Long(t, "many moments")
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 1))
	dir, ref := files(t, dividedTexts(rng, 1300)), files(t, dividedTexts(rng, 100))
	for i, is := range cutWays {
		var refs []string
		if i%2 == 0 {
			refs = []string{ref}
		}
		t.Run(is.name, func(t *testing.T) {
			t.Parallel()
			told := goesOn(t, cutting(refs, dir), 8, func(out string) Options {
				o := resumable(out)
				is.set(&o)
				return o
			})
			if len(told) < 2 {
				t.Errorf("the run went on in %d ways only: %v", len(told), told)
			}
			cutPower(t, cutting(refs, dir), is.set)
		})
	}
}

// What has been read is taken up as reading again would have it: also by another run, with other threads.
func TestCutTakesUp(t *testing.T) {
	t.Parallel()
	dir := files(t, dividedTexts(rand.New(rand.NewPCG(22, 1)), 2000))
	for parts := 1; parts <= 3; parts++ {
		out := interruptedWith(t, cutting(nil, dir), parts, cutWays[0].set)
		if !GoesOn(out) {
			t.Fatal("there is nothing to go on with")
		}
		o, told := resumable(out), ""
		cutWays[0].set(&o)
		o.Threads, o.Tell = 1, func(what string) { told += what }
		got, err := Read(t.Context(), nil, []string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		o.State = ""
		want, err := Read(t.Context(), nil, []string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(told, "which goes on") {
			t.Errorf("told %q", told)
		}
		if !same(dividedOf(got), dividedOf(want)) {
			t.Errorf("after %d parts of a log: others have been read", parts)
		}
		if err := errors.Join(got.Close(), want.Close()); err != nil {
			t.Error(err)
		}
	}
}

// dividedOf returns what is known of parts.
func dividedOf(p *Collection) map[string]string {
	all := map[string]string{}
	add := func(name string, is any) { all[name] = fmt.Sprint(is) }
	add("ends", p.Ends)
	add("short", p.shortSets)
	add("sets of parts", p.SetOf)
	add("sizes", p.Sizes)
	add("documents", []any{p.Starts, p.Lengths, p.Digests})
	for doc := range p.Lengths {
		add(fmt.Sprint("document ", doc), string(p.ID(uint32(doc))))
	}
	var sets [][]uint64
	err := p.eachSet(context.Background(), func(_ uint32, features []uint64) error {
		sets = append(sets, slices.Clone(features))
		return nil
	})
	add("sets", []any{sets, err})
	return all
}

// Damage of what a run has left is no wrong result, and other options begin anew.
func TestCutDamaged(t *testing.T) {
	t.Parallel()
	dir := files(t, dividedTexts(rand.New(rand.NewPCG(23, 1)), 1800))
	o := resumable("")
	cutWays[0].set(&o)
	want, _ := cutTo(t, nil, dir, o)
	rng := rand.New(rand.NewPCG(23, 2))
	for i := range testkit.Of(3, 12) {
		out := interruptedWith(t, cutting(nil, dir), 3, cutWays[0].set)
		path := filepath.Join(out, publish.WorkName, partName(1+rng.IntN(3)))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if at := rng.IntN(len(data)); i%2 == 0 {
			data = data[:at]
		} else {
			data[at] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		o := resumable(out)
		cutWays[0].set(&o)
		if err := cutting(nil, dir)(t.Context(), out, o); err != nil {
			t.Fatal(err)
		}
		if got := contents(t, out); !same(got, want) {
			t.Errorf("%s is damaged: other files", filepath.Base(path))
		}
	}
	for _, change := range []func(o *Options){func(o *Options) { o.MinWords++ }, func(o *Options) { o.By = Paragraphs }, func(o *Options) { o.By = Documents }} {
		out := interruptedWith(t, cutting(nil, dir), 2, cutWays[0].set)
		o, told := resumable(out), ""
		cutWays[0].set(&o)
		change(&o)
		o.Tell = func(what string) { told += what }
		do := cutting(nil, dir)
		if o.By == Documents {
			do = removing(nil, dir)
		}
		if err := do(t.Context(), out, o); err != nil || !strings.HasSuffix(told, "it had other inputs or options: all begins anew") {
			t.Errorf("told %q; %v", told, err)
		}
	}
}
