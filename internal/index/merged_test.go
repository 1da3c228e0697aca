package index

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
)

// Groups of several segments are those of their live documents, in memory and in a file, and the file is gone at the
// end.
func TestMergedGroups(t *testing.T) {
	t.Parallel()
	for _, bits := range []int{64, 128} {
		rng := rand.New(rand.NewPCG(36, uint64(bits)))
		s, dir := analysis.Classic(), t.TempDir()
		s.Bits = bits
		for _, n := range []int{2000, 150, 10} {
			some := map[string]document.Long{}
			for range n { // some replace earlier ones, and there are few fingerprints
				fp := document.Long{rng.Uint64N(900)}
				if bits > 64 {
					fp[1] = rng.Uint64N(2)
				}
				some[fmt.Sprintf("d%04d", rng.IntN(3000))] = fp
			}
			addWith(t, dir, s, WriterOptions{Threads: 1}, wideDocuments(some))
		}
		ix := mustOpen(t, dir)
		if len(ix.segments) < 2 {
			t.Fatalf("%d segments", len(ix.segments))
		}
		want := map[document.Long][]uint32{}
		for doc := range uint32(ix.Len()) {
			fp, ok, err := ix.Long(doc)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			want[fp] = append(want[fp], doc)
		}
		for _, hold := range []int{7, 1 << 20} {
			files := &countingFiles{FS: disk.OS}
			ix.fs = files
			m, err := (&byDistance{ix, 3}).merged(hold)
			if err != nil {
				t.Fatal(err)
			}
			values, err := m.Values()
			if err != nil {
				t.Fatal(err)
			}
			got := map[document.Long][]uint32{}
			var order []document.Long
			for number, documents := range m.Groups {
				var fp document.Long
				copy(fp[:], values[int(number)*bits/64:][:bits/64])
				order = append(order, fp)
				if len(documents) > 0 {
					got[fp] = slices.Clone(documents)
				}
			}
			if !maps.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%d bits, %d held: groups %v, want %v", bits, hold, got, want)
			}
			less := func(a, b document.Long) int { return slices.Compare(a[:], b[:]) }
			if !slices.IsSortedFunc(order, less) || len(slices.Compact(slices.Clone(order))) != len(order) || len(order) != len(values)/(bits/64) {
				t.Errorf("%d bits, %d held: fingerprints %v are not in order, or not each once", bits, hold, order)
			}
			if err := m.Close(); err != nil || files.made != (hold == 7) {
				t.Errorf("%d bits, %d held: %v; a file: %v", bits, hold, err, files.made)
			}
		}
		ix.fs = &countingFiles{FS: disk.OS, failed: errors.New("no room")}
		if _, err := (&byDistance{ix, 3}).merged(7); !errors.Is(err, ix.fs.(*countingFiles).failed) {
			t.Errorf("%v, want that there is no room", err)
		}
	}
}

// countingFiles knows whether a temporary file was made, or makes none.
type countingFiles struct {
	disk.FS
	made   bool
	failed error
}

func (c *countingFiles) CreateTemp(dir string) (disk.File, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	c.made = true
	return c.FS.CreateTemp(dir)
}
