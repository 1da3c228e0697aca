package prefix

import (
	"bytes"
	"cmp"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// What is written does not depend on the memory, on how many parts the entries of postings are sorted in, or on
// temporary files, which are removed.
func TestWriteInLittleMemory(t *testing.T) {
	sets := testkit.CrowdedSets(rand.New(rand.NewPCG(9, 10)), 3000)
	write := func(o Options) []byte {
		var b bytes.Buffer
		w := section.NewWriter(&b)
		if err := Write(t.Context(), w, sets, 0.8, o); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	want := write(Options{Threads: 1})
	for _, memory := range []int64{1, 1 << 12, 1 << 16, 1 << 18, 1 << 20} {
		if !bytes.Equal(write(Options{Threads: 2, Memory: memory}), want) {
			t.Errorf("other bytes with %d bytes of memory", memory)
		}
		dir := t.TempDir()
		if !bytes.Equal(write(Options{Threads: 2, Memory: memory, Disk: disk.OS, Dir: dir}), want) {
			t.Errorf("other bytes with %d bytes of memory, and files", memory)
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("files are left: %v, %v", left, err)
		}
	}
}

// Some of the sets say the same as all of them, though a few features are in most sets, and many first features are
// common then: else very many sets would be compared.
func TestCommonOfFewFeatures(t *testing.T) {
	choose := func(sets int, every uint64) int {
		rng, plan := rand.New(rand.NewPCG(3, 4)), Plan{Threshold: 0.45, Common: maxCommon}
		p := commonSample{plan: plan, every: every, ends: []int{0}}
		for range sets / int(every) {
			first := map[uint64]bool{}
			for n := 3 + rng.IntN(20); len(first) < n; {
				first[golden*uint64(1+rng.IntN(150))] = true
			}
			all := slices.SortedFunc(maps.Keys(first), func(a, b uint64) int { return cmp.Compare(b, a) })
			p.add(uint32(len(all)), all[:plan.stored(len(all), maxCommon)])
		}
		return p.choose(sets)
	}
	for _, sets := range []int{1 << 13, 1 << 15} {
		some, all := choose(sets, 8), choose(sets, 1)
		if all < 4 || some != all {
			t.Errorf("%d sets: %d first features are common, and %d as an eighth of the sets says: want 4 or more", sets, all, some)
		}
	}
	if few := choose(100, 1); few > 8 {
		t.Errorf("100 sets: %d first features are common: comparing all takes no time", few)
	}
}
