package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/tests/testkit"
)

// refusals returns options that write down which ids are refused, and of which files.
func refusals(c Conflict, ids *[]string) WriterOptions {
	return WriterOptions{Keep: KeepText, OnConflict: c, Refused: func(id []byte, source, _ string) { *ids = append(*ids, string(id)+" "+source) }}
}

// A Writer that commits an input in parts, and a Live that is given it at once, in parts, or one document at a time
// say the same of it and make the same of it: of two texts with one id the first stays, and one of an earlier input
// is replaced.
func TestOneRuleForConflicts(t *testing.T) {
	t.Parallel()
	type told struct {
		Result
		refused string
	}
	ways := map[string]func(dir string, c Conflict, input []string, cut int) (told, error){
		"writer": func(dir string, c Conflict, input []string, cut int) (told told, err error) {
			var ids []string
			o := refusals(c, &ids)
			o.Parts = true
			w, err := OpenWriter(dir, changeSettings(), o)
			if err != nil {
				return told, err
			}
			for _, part := range [][]string{input[:cut], input[cut:]} {
				err = errors.Join(err, w.Ingest(context.Background(), docs(part...)))
				r, failed := w.Commit(context.Background())
				told.Add(r)
				err = errors.Join(err, failed)
			}
			told.refused = fmt.Sprint(slices.Sorted(slices.Values(ids)))
			return told, errors.Join(err, w.Close())
		},
		"live": func(dir string, c Conflict, input []string, _ int) (told told, err error) {
			var ids []string
			l, err := OpenLive(dir, changeSettings(), refusals(c, &ids))
			if err != nil {
				return told, err
			}
			told.Result, err = l.Add(context.Background(), docs(input...))
			told.refused = fmt.Sprint(slices.Sorted(slices.Values(ids)))
			return told, errors.Join(err, l.Close())
		},
		"one by one": func(dir string, c Conflict, input []string, _ int) (told told, err error) {
			var ids []string
			o := refusals(c, &ids)
			o.FlushDocuments = 3
			l, err := OpenLive(dir, changeSettings(), o)
			if err != nil {
				return told, err
			}
			of := &OneInput{}
			err = analysis.Each(context.Background(), l.w.analysis, docs(input...), 1, func() int { return 1 }, nil, func(b *analysis.Batch, _ struct{}) error {
				d := b.Result(0)
				r, err := l.AddOne(context.Background(), &d, of)
				told.Add(r)
				return err
			})
			told.refused = fmt.Sprint(slices.Sorted(slices.Values(ids)))
			return told, errors.Join(err, l.Close())
		},
	}
	for seed := range uint64(testkit.Of(10, 30)) {
		rng := rand.New(rand.NewPCG(seed, 29))
		conflict := []Conflict{Replace, Refuse}[seed%2]
		dirs := map[string]string{}
		for way := range ways {
			dirs[way] = filepath.Join(t.TempDir(), "idx")
		}
		for number := range 3 {
			var input []string
			for range 1 + rng.IntN(8) {
				input = append(input, fmt.Sprint("id", rng.IntN(6)), fmt.Sprintf("text %c of some words", 'a'+rng.IntN(3)))
			}
			cut := 2 * rng.IntN(len(input)/2+1)
			var want told
			var has model
			for _, way := range []string{"writer", "live", "one by one"} {
				got, err := ways[way](dirs[way], conflict, input, cut)
				if err != nil {
					t.Fatal(err)
				}
				if conflict == Refuse { // a third text may be that of the index, and not that of the first: it is left out in any case
					got = told{Result: Result{Added: got.Added, Refused: got.Refused + got.Unchanged}}
				}
				ix := mustOpen(t, dirs[way])
				now := contents(t, ix)
				if way == "writer" {
					want, has = got, now
				}
				if got != want || !maps.Equal(now, has) {
					t.Fatalf("seed %d, %v, input %d, %q, cut at %d: by %s %+v, %v, want %+v, %v", seed, conflict, number, input, cut, way, got, now, want, has)
				}
			}
		}
	}
}

// A document that could not be added is not one that its input has had.
func TestAddedAgainAfterAnError(t *testing.T) {
	t.Parallel()
	full := false
	fsys := &disktest.FS{Base: disk.NewMemory(), Before: func(op disktest.Op) (int, error) {
		if full && op.Kind == "write" {
			return 0, syscall.ENOSPC
		}
		return 0, nil
	}}
	l := openTestLive(t, fsys, "idx", 0)
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	add := func(text string, of *OneInput) (r Result, err error) {
		failed := analysis.Each(context.Background(), l.w.analysis, docs("a", text), 1, func() int { return 1 }, nil, func(b *analysis.Batch, _ struct{}) error {
			d := b.Result(0)
			r, err = l.AddOne(context.Background(), &d, of)
			return nil
		})
		return r, errors.Join(failed, err)
	}
	if _, err := add("some words", &OneInput{}); err != nil {
		t.Fatal(err)
	}
	of := &OneInput{}
	full = true
	if _, err := add("other words", of); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a full disk: %v", err)
	}
	full = false
	if r, err := add("other words", of); err != nil || r.Replaced != 1 {
		t.Errorf("%+v, %v, want the document replaced", r, err)
	}
}

// A file is told unless the id is its path.
func TestSourceOf(t *testing.T) {
	for _, test := range []struct{ id, source, want string }{
		{"1", "d.tsv", "d.tsv"}, {"v", "a/d.csv", "a/d.csv"}, {"x#1", "a/d.csv", "a/d.csv"}, {"#", "a/d", "a/d"}, {"#1", "/a/d", "/a/d"},
		{"a/d.csv", "a/d.csv", ""}, {"d.txt", "/in/d.txt", ""}, {"a/d.csv#12", "/in/a/d.csv", ""}, {"a/d#2", "a/d#2", ""}, {"x", "", ""},
	} {
		if got := sourceOf(&analysis.Result{Document: document.Document{ID: []byte(test.id), Source: test.source}}); got != test.want {
			t.Errorf("%q of %q: %q, want %q", test.id, test.source, got, test.want)
		}
	}
}
