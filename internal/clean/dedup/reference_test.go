package dedup

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index"
)

// indexed indexes the documents of inputs, in several segments, and returns the directory.
func indexed(t *testing.T, s analysis.Settings, keep index.Keep, inputs ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "idx")
	for _, input := range inputs {
		w, err := index.OpenWriter(dir, s, index.WriterOptions{Threads: 2, Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		r, err := corpus.Open([]string{input}, corpus.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), r.Documents()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What is near a document of an index is removed as if its files were the reference, whatever the index keeps.
func TestReferenceIsAnIndex(t *testing.T) {
	t.Parallel()
	all := texts(rand.New(rand.NewPCG(21, 1)), 600)
	refs, inputs := files(t, all[:300]), files(t, all[300:])
	parts, err := filepath.Glob(filepath.Join(refs, "*"))
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Keep = Keep{Way: First}
	want, result := ran(t, []string{refs}, []string{inputs}, o)
	both, sets := analysis.Default(), analysis.Default()
	sets.Mode = analysis.MinHash
	verdict := regexp.MustCompile(`,"verdict":"(same|copy|form)"`)
	for i, dir := range []string{
		indexed(t, both.Canonical(), index.KeepNothing, refs),
		indexed(t, both.Canonical(), index.KeepText, parts...),
		indexed(t, sets.Canonical(), index.KeepSource, parts...),
	} {
		got, is := ran(t, []string{dir}, []string{inputs}, o)
		for name, text := range want {
			if i == 0 { // of texts that are not kept, there are verdicts on equal ones alone
				text, got[name] = verdict.ReplaceAllString(text, ""), verdict.ReplaceAllString(got[name], "")
			}
			if name != run.ReportName && name != run.PageName && got[name] != text {
				t.Errorf("%s is not that of files", name)
			}
		}
		if is.Removed != result.Removed || is.Removed < 50 {
			t.Errorf("%d are removed, want %d", is.Removed, result.Removed)
		}
		ix, err := index.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		var r Report
		r.Borderline = rowsOf[Report](t, strings.ReplaceAll(got[run.ReportName], "\n", " "))[0].Borderline
		for _, p := range r.Borderline {
			if p.A == "" || p.B == "" {
				t.Errorf("%s and %s are shown without a text", p.ID, p.Kept)
			}
			if slices.Contains(all[:300], p.B) && !slices.Contains(all[300:], p.B) {
				shown++
			}
		}
		if has := ix.Keep() != index.KeepNothing; has != (shown > 0) {
			t.Errorf("%d texts of an index are shown that keeps %v", shown, ix.Keep())
		}
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
		// An index and files, and a run that goes on.
		mixed := []string{dir, files(t, all[:100])}
		want, _ := ran(t, mixed, []string{inputs}, o)
		out := filepath.Join(t.TempDir(), "out")
		again := o
		again.State, again.PartBytes = out, 1<<12
		ctx, cancel := context.WithCancel(t.Context())
		again.FS = &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
			if op.Kind == "rename" {
				cancel()
			}
		}}
		for ctx.Err() == nil {
			if _, err := runTo(ctx, out, mixed, []string{inputs}, again); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		again.FS = disk.OS
		if _, err := runTo(t.Context(), out, mixed, []string{inputs}, again); err != nil {
			t.Fatal(err)
		}
		if got := stateless(contents(t, out)); !same(got, want) {
			t.Error("other files after an interruption")
		}
		cancel()
	}
}

// Few documents beside a large reference are removed as beside many more that have nothing in common with them, and
// as in a run that goes on where there were fewer.
func TestFewBesideAReference(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(57, 3))
	all, others := misspelt(rng, 450), make([]string, 200)
	for i := range others {
		for range 30 {
			others[i] += strconv.FormatUint(rng.Uint64(), 36) + " "
		}
	}
	refs, few, more := files(t, all[:400]), files(t, all[400:425]), files(t, all[425:])
	dedup := func(o Options, state string, inputs ...string) (list string, _ *Collection) {
		o.State = state
		c, err := Read(t.Context(), []string{refs}, inputs, o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Decide(t.Context(), c)
		if err == nil {
			err = d.Write(t.Context(), state)
		}
		if err := errors.Join(err, c.Close()); err != nil {
			t.Fatal(err)
		}
		return contents(t, state)[run.RemovedName], c
	}
	jaccard := options()
	jaccard.Keep = Keep{Way: First}
	for _, o := range []Options{byCopies(), jaccard} {
		dir := t.TempDir()
		for _, inputs := range [][]string{{few}, {few, more}} {
			got, c := dedup(o, filepath.Join(dir, "few"), inputs...)
			want, whole := dedup(o, filepath.Join(dir, "many"+strconv.Itoa(len(inputs))), append(inputs, files(t, others))...)
			if !c.nearOfOwn || whole.nearOfOwn {
				t.Fatalf("pairs of the reference are left out: %v, and of many documents: %v", c.nearOfOwn, whole.nearOfOwn)
			}
			if got != want || strings.Count(got, "\n") < 5 {
				t.Errorf("removed of %d folders are\n%swant\n%s", len(inputs), got, want)
			}
		}
	}
}

// An index whose sets are made in another way is refused.
func TestReferenceOfOtherSets(t *testing.T) {
	t.Parallel()
	in := files(t, []string{"one two three", "four five six", "seven"})
	characters, german := analysis.Default(), analysis.Default()
	if err := characters.SetFeatures.UnmarshalText([]byte("char:5")); err != nil {
		t.Fatal(err)
	}
	german.SetLanguage = "de"
	for want, s := range map[string]analysis.Settings{
		"give --features char:5, too": characters, "leave out the stop words of de": german, "fingerprints and no sets": analysis.Classic(),
	} {
		dir := indexed(t, s.Canonical(), index.KeepNothing, in)
		if _, err := Read(t.Context(), []string{dir}, []string{in}, options()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// An index that cannot be read is no directory of files.
	dir := indexed(t, analysis.Default(), index.KeepNothing, in)
	path := filepath.Join(dir, index.ManifestName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), []string{dir}, []string{in}, options()); !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("%v, want %v", err, index.ErrCorrupt)
	}
}
