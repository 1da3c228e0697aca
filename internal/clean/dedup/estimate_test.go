package dedup

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/clean/warnings"
	"simsearch/internal/tests/testkit"
)

// within reports whether an estimate is right within a factor.
func within(estimate, is, factor float64) bool { return estimate*factor >= is && is*factor >= estimate }

// expected runs dry, and returns the estimate, the number of documents, and that of distinct features.
func expected(t *testing.T, inputs ...string) (e warnings.Estimate, documents int, features uint64) {
	t.Helper()
	o := options()
	o.DryRun, o.State = true, filepath.Join(t.TempDir(), "out")
	told := 0
	o.Expect = func(is warnings.Estimate) { e = is; told++ }
	c, err := Read(t.Context(), nil, inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	if told != 1 {
		t.Errorf("%d estimates", told)
	}
	documents, features = c.Len(), sum(c.Sizes)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return e, documents, features
}

// sum returns the sum of the sizes of sets.
func sum(sizes []uint32) (all uint64) {
	for _, n := range sizes {
		all += uint64(n)
	}
	return all
}

// Documents are estimated from files of any sizes.
func TestEstimate(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(41, 1))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%d ", rng.IntN(1<<20))
		}
		return b.String()
	}
	small, mixed := t.TempDir(), t.TempDir()
	for i := range 3000 {
		if err := os.WriteFile(filepath.Join(small, fmt.Sprint(i)), []byte(words(5+rng.IntN(1+rng.IntN(600)))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		var b strings.Builder
		for range 20 + i*i*5 {
			b.WriteString(words(20*(1+i%5)) + "\n")
		}
		if err := os.WriteFile(filepath.Join(mixed, fmt.Sprint(i, ".txt")), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{small, mixed} {
		e, documents, features := expected(t, dir)
		if !within(float64(e.Documents), float64(documents), 1.01) {
			t.Errorf("%d documents, %d were expected", documents, e.Documents)
		}
		if disk := float64(features) * 8; !within(float64(e.Disk), disk, 1.01) {
			t.Errorf("%v bytes, %d were expected", disk, e.Disk)
		}
		if e.Time <= 0 || e.Memory < 60<<20 {
			t.Errorf("%v", e)
		}
	}
}

func TestEstimateOnCollections(t *testing.T) {
	testkit.Long(t, "several collections")
	t.Parallel()
	names := []string{"reuters21578", "spdx-licenses"}
	dir := testkit.Dev(t, names...)
	for _, name := range names {
		e, documents, _ := expected(t, filepath.Join(dir, name, "docs.jsonl"))
		if !within(float64(e.Documents), float64(documents), 1.01) {
			t.Errorf("%s: %d documents, %d were expected", name, documents, e.Documents)
		}
	}
}

// A disk that is too small is told of before anything is read.
func TestTooLittleSpace(t *testing.T) {
	t.Parallel()
	in := files(t, texts(rand.New(rand.NewPCG(42, 1)), 300))
	out := filepath.Join(t.TempDir(), "out")
	for name, change := range map[string]func(o *Options){
		"small files":            func(o *Options) { o.State = out },
		"with features left out": func(o *Options) { o.State, o.MaxDF = out, 0.5 },
	} {
		o := options()
		change(&o)
		o.Free = func(string) (int64, bool) { return 1000, true }
		o.Phase = func(string) { t.Errorf("%s: it is read", name) }
		if _, err := Read(t.Context(), nil, []string{in}, o); !errors.Is(err, warnings.ErrSpace) {
			t.Errorf("%s: %v, want %v", name, err, warnings.ErrSpace)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v, want no directory", name, err)
		}
		o.Phase, o.Free = nil, func(string) (int64, bool) { return 1 << 20, true }
		c, err := Read(t.Context(), nil, []string{in}, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}
