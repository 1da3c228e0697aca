package dedup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
)

// byBits returns options for a removal by distance.
func byBits(k int) Options {
	o := options()
	o.Settings, o.Distance = DefaultFingerprints(), k
	return o
}

// fingerprintLines writes fingerprints of some bits, many of which are near others or equal, to a file, and returns
// them.
func fingerprintLines(t *testing.T, rng *rand.Rand, width, n int) (path string, fps []uint64) {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		fp := rng.Uint64()
		if i > 0 && rng.IntN(2) == 0 {
			fp = fps[rng.IntN(i)]
			for range rng.IntN(5) {
				fp ^= 1 << rng.IntN(width)
			}
		}
		fps = append(fps, fp&(1<<width-1))
		fmt.Fprintf(&b, "d%d\t%016x\n", i, fps[i])
	}
	path = filepath.Join(t.TempDir(), "fps.txt")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path, fps
}

// keptByComparing compares each document with each kept one before it, or with chain with each. Equal ones are kept
// for the same.
func keptByComparing(fps []uint64, refs, k int, chain bool) (kept []uint32) {
	connected := ints.NewDisjointSets(len(fps))
	for doc := range fps {
		best := k + 1
		kept = append(kept, uint32(doc))
		if equal := slices.Index(fps, fps[doc]); !chain && doc >= refs && equal < doc {
			kept[doc] = kept[equal]
			continue
		}
		for other := range doc {
			switch d := bits.OnesCount64(fps[doc] ^ fps[other]); {
			case chain && d <= k:
				connected.Union(uint32(doc), uint32(other))
			case !chain && doc >= refs && kept[other] == uint32(other) && d < best:
				best, kept[doc] = d, uint32(other)
			}
		}
	}
	for doc := range kept {
		if chain && doc >= refs {
			kept[doc] = connected.Find(uint32(doc))
		}
	}
	return kept
}

// What is removed by distance, and for what, is what comparing each fingerprint with each finds.
func TestByDistance(t *testing.T) {
	t.Parallel()
	for _, width := range []int{4, 9, 64} { // few fingerprints make many ties
		rng := rand.New(rand.NewPCG(41, uint64(width)))
		refs, first := fingerprintLines(t, rng, width, 60)
		path, fps := fingerprintLines(t, rng, width, 500)
		for _, k := range []int{0, 1, 3, 9, 63} {
			for _, of := range [][]string{nil, {refs}} {
				for _, chain := range []bool{false, true} {
					o := byBits(k)
					o.Keep, o.Chain, o.Corpus.Format = Keep{Way: First}, chain, corpus.Fingerprints
					all, n := fps, 0
					if of != nil {
						all, n = append(slices.Clone(first), fps...), len(first)
					}
					c, err := Read(t.Context(), of, []string{path}, o)
					if err != nil {
						t.Fatal(err)
					}
					d, err := Decide(t.Context(), c)
					if err != nil {
						t.Fatal(err)
					}
					want := keptByComparing(all, n, k, chain)
					for doc := n; doc < len(all); doc++ {
						if all[d.kept[doc]] != all[want[doc]] || (d.kept[doc] == uint32(doc)) != (want[doc] == uint32(doc)) {
							t.Fatalf("%d bits, k = %d, chain %v: %d is kept for %d, want %d", width, k, chain, d.kept[doc], doc, want[doc])
						}
						if got, is := d.distance(uint32(doc)), bits.OnesCount64(all[doc]^all[d.kept[doc]]); got != is {
							t.Fatalf("a distance of %d, want %d", got, is)
						}
					}
					if err := c.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

// What stays of a file of fingerprints stands there as it stood. The lists have distances, and the report what other
// distances would have removed.
func TestByDistanceWrites(t *testing.T) {
	t.Parallel()
	path, fps := fingerprintLines(t, rand.New(rand.NewPCG(42, 1)), 10, 400)
	o := byBits(2)
	o.Corpus.Format = corpus.Fingerprints
	got, r := ran(t, nil, []string{path}, o)
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	removed := map[string]removedRow{}
	for _, row := range rowsOf[removedRow](t, got[run.RemovedName]) {
		removed[row.ID] = row
	}
	of := func(id string) uint64 {
		var i int
		if _, err := fmt.Sscanf(id, "d%d", &i); err != nil {
			t.Fatal(err)
		}
		return fps[i]
	}
	want, distances := "", [MaxDistance + 2]int{}
	for line := range strings.Lines(string(lines)) {
		id, _, _ := strings.Cut(line, "\t")
		row, gone := removed[id]
		if !gone {
			want += line
			continue
		}
		d := bits.OnesCount64(of(id) ^ of(row.KeptID))
		if row.Distance == nil || *row.Distance != d || row.Similarity != 1-float64(d)/64 || d > 2 {
			t.Errorf("%+v, want a distance of %d", row, d)
		}
		distances[d]++
	}
	kept := ""
	for name, text := range got {
		if strings.HasPrefix(name, run.KeptName) {
			kept += text
		}
	}
	for _, d := range r.Distances {
		distances[d.Distance] -= d.Documents
	}
	if kept != want || r.Removed != len(removed) || distances != [MaxDistance + 2]int{} {
		t.Errorf("%d are removed, and %v; want %d, %v more, and other lines as they are", r.Removed, r.Distances, len(removed), distances)
	}
	for _, g := range rowsOf[clusterRow](t, got[ClustersName]) {
		most := 0
		for _, a := range g.IDs {
			for _, b := range g.IDs {
				most = max(most, bits.OnesCount64(of(a)^of(b)))
			}
		}
		if g.MaxDistance == nil || *g.MaxDistance != most || g.MinSimilarity != 1-float64(most)/64 {
			t.Errorf("%+v, want a distance of %d", g, most)
		}
	}
	var report Report
	if err := json.Unmarshal([]byte(got[run.ReportName]), &report); err != nil {
		t.Fatal(err)
	}
	if report.K == nil || *report.K != 2 || !strings.Contains(got[run.PageName], "differ in 2 bits at most") {
		t.Errorf("%+v does not say k", report)
	}
}

// On real texts, none is lost and none is left, by a linear scan.
func TestByDistanceOnACollection(t *testing.T) {
	testkit.Long(t, "a real collection")
	t.Parallel()
	path := filepath.Join(testkit.Dev(t, "aclimdb"), "aclimdb", "docs.jsonl")
	c, err := Read(t.Context(), nil, []string{path}, byBits(3))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	d, err := Decide(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.New(DefaultFingerprints())
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.Open([]string{path}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var scratch analysis.Scratch
	var fps, kept []uint64
	for doc, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		fp, ok, err := a.Fingerprint(&scratch, doc.Text)
		if err != nil {
			t.Fatal(err)
		}
		if at := len(fps); d.kept[at] == uint32(at) && ok {
			kept = append(kept, fp)
		}
		fps = append(fps, fp)
	}
	removed := 0
	for doc, by := range d.kept {
		if by != uint32(doc) {
			removed++
			if bits.OnesCount64(fps[doc]^fps[by]) > 3 {
				t.Errorf("%d is removed for %d", doc, by)
			}
		}
	}
	for i, x := range kept {
		for _, y := range kept[:i] {
			if bits.OnesCount64(x^y) <= 3 {
				t.Fatalf("%016x and %016x are kept", x, y)
			}
		}
	}
	if removed < 500 || removed != d.Result().Removed {
		t.Errorf("only %d removed", removed)
	}
}

// An interrupted run goes on, with the same files at the end.
func TestByDistanceGoesOn(t *testing.T) {
	t.Parallel()
	dir := files(t, texts(rand.New(rand.NewPCG(43, 2)), 700))
	resumed := func(out string) Options {
		o := resumable(out)
		o.Settings, o.Distance, o.PartBytes = DefaultFingerprints(), 3, 1<<10
		return o
	}
	first := filepath.Join(t.TempDir(), "out")
	if r, err := runTo(t.Context(), first, nil, []string{dir}, resumed(first)); err != nil || r.Removed < 30 {
		t.Fatal(r.Removed, err)
	}
	want, told := contents(t, first), map[string]int{}
	for at := 0; ; at += testkit.Of(16, 3) {
		out := filepath.Join(t.TempDir(), "out")
		n, hit := 0, false
		o := resumed(out)
		o.FS = &disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) {
			if n++; n > at {
				hit = true
				return 0, os.ErrPermission
			}
			return 0, nil
		}}
		if _, err := runTo(t.Context(), out, nil, []string{dir}, o); !hit {
			break
		} else if err == nil {
			t.Fatalf("operation %d fails, and nobody is told", at)
		}
		o = resumed(out)
		o.Tell = func(what string) { told[what[strings.Index(what, "which goes on"):]]++ }
		if _, err := runTo(t.Context(), out, nil, []string{dir}, o); err != nil {
			t.Fatalf("operation %d: %v", at, err)
		}
		if got := contents(t, out); !same(got, want) {
			t.Errorf("operation %d fails: other files after the next run", at)
		}
	}
	if len(told) < 2 {
		t.Errorf("the run went on in %d ways only: %v", len(told), told)
	}
	if _, _, err := From(first, true, &Options{Options: run.Options{Threads: 1}, Settings: DefaultSettings(), Threshold: 1}); err == nil || !strings.Contains(err.Error(), "another --k") {
		t.Errorf("%v, want that such a run is not decided again", err)
	}
}

// An index with the same fingerprints is a reference as its files are, and one with others is refused.
func TestByDistanceOfAnIndex(t *testing.T) {
	t.Parallel()
	all := texts(rand.New(rand.NewPCG(45, 1)), 500)
	refs, inputs := files(t, all[:250]), files(t, all[250:])
	o := byBits(3)
	want, result := ran(t, []string{refs}, []string{inputs}, o)
	for _, s := range []analysis.Settings{analysis.Default(), analysis.Classic()} {
		got, r := ran(t, []string{indexed(t, s.Canonical(), index.KeepNothing, refs)}, []string{inputs}, o)
		for name, text := range want {
			if strings.HasPrefix(name, run.KeptName) && got[name] != text {
				t.Errorf("%s is not that of files", name)
			}
		}
		if r.Removed != result.Removed || r.Removed < 20 {
			t.Errorf("%d are removed, want %d", r.Removed, result.Removed)
		}
	}
	sets, german := analysis.Default(), analysis.Classic()
	sets.Mode, german.Language = analysis.MinHash, "de"
	for want, s := range map[string]analysis.Settings{"sets and no fingerprints": sets, "--lang de": german} {
		dir := indexed(t, s.Canonical(), index.KeepNothing, refs)
		if _, err := Read(t.Context(), []string{dir}, []string{inputs}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestByDistanceRefuses(t *testing.T) {
	t.Parallel()
	path, _ := fingerprintLines(t, rand.New(rand.NewPCG(46, 1)), 64, 10)
	for want, change := range map[string]func(*Options){
		"a distance of 64 bits":   func(o *Options) { o.Distance = 64 },
		"a distance of -1 bits":   func(o *Options) { o.Distance = -1 },
		"fingerprints of 32 bits": func(o *Options) { o.Settings.Bits = 32 },
		"leave out Contained":     func(o *Options) { o.Contained = 0.9 },
		"d0 is a fingerprint":     func(o *Options) { o.Settings, o.Threshold = DefaultSettings(), 0.8 },
		"no fields to add to":     func(o *Options) { o.Annotate = true },
	} {
		o := byBits(3)
		o.Corpus.Format = corpus.Fingerprints
		change(&o)
		if _, err := Read(t.Context(), nil, []string{path}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := Read(ctx, nil, []string{path}, byBits(3)); !errors.Is(err, stop) {
		t.Errorf("%v, want the cause", err)
	}
}
