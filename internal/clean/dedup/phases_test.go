package dedup

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"simsearch/internal/clean/run"
)

// Each phase is told of when it begins, and how far it is, up to its end.
func TestPhases(t *testing.T) {
	t.Parallel()
	all := texts(rand.New(rand.NewPCG(51, 1)), 3000)
	for i := range giant { // a group that is looked at
		all = append(all, fmt.Sprintf("%s number%d", sameText, i))
	}
	dir := files(t, all)
	for _, dry := range []bool{false, true} {
		var mu sync.Mutex
		var phases []string
		most := map[string]float64{}
		o := options()
		o.DryRun, o.Threshold = dry, 0.7
		o.State = filepath.Join(t.TempDir(), "out")
		o.Phase = func(what string) { phases = append(phases, what) }
		o.Progress = func(done, all int64) {
			mu.Lock()
			defer mu.Unlock()
			what := phases[len(phases)-1]
			all = max(all, -all)
			if done > all {
				t.Errorf("%s: %d of %d", what, done, all)
			}
			most[what] = max(most[what], float64(done)/float64(all))
		}
		if _, err := runTo(t.Context(), o.State, nil, []string{dir}, o); err != nil {
			t.Fatal(err)
		}
		want := []string{run.Reading, counting, run.Comparing, grouping, run.Writing, reporting}
		if dry {
			want = slices.DeleteFunc(want, func(what string) bool { return what == run.Writing })
		}
		if !slices.Equal(phases, want) {
			t.Errorf("phases %q, want %q", phases, want)
		}
		for _, what := range []string{counting, run.Comparing, grouping} {
			if most[what] != 1 {
				t.Errorf("%s ends at %v", what, most[what])
			}
		}
	}
}
