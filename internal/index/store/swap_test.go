package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
)

// A swapped is an index in memory on which swaps are tried, and the documents that it should have.
type swapped struct {
	t    *testing.T
	rng  *rand.Rand
	dir  *Dir
	s    *State
	want map[string]uint64
}

var swapOptions = segment.WriteOptions{Distance: 3, Threads: 1}

func (x *swapped) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// builder returns a builder of new segments.
func (x *swapped) builder() *segment.Builder {
	return segment.NewBuilder(x.dir.FS, x.dir.Path, x.dir.Manifest.Layout(), 1<<20)
}

// delete deletes each document of the parts on the disk with a probability.
func (x *swapped) delete(share float64) {
	x.t.Helper()
	for _, id := range slices.Sorted(maps.Keys(x.want)) {
		if x.rng.Float64() >= share {
			continue
		}
		at := x.s.Find([]byte(id))
		if !at.There {
			x.t.Fatalf("%s is not there", id)
		}
		x.s.Delete(at)
		delete(x.want, id)
	}
}

// swap swaps some parts, and puts more documents behind the others. Documents are deleted between any two steps.
func (x *swapped) swap(parts []*Part, more int, share func() float64) {
	x.t.Helper()
	x.delete(share())
	w, err := x.s.Begin(x.t.Context(), parts, false)
	defer x.s.End(w)
	x.must(err)
	x.delete(share())
	if len(parts) > 0 {
		b := x.builder()
		x.must(w.Gather(x.t.Context(), b))
		if b.Len() > 0 {
			names, err := x.dir.Reserve(1)
			x.must(err)
			x.must(w.Write(x.t.Context(), x.dir, b, names.Take(SegmentExtension), swapOptions))
		}
		x.delete(share())
	}
	x.s.Plan(w)
	x.must(x.dir.Change(w.Files()+1, func(next *Manifest, names *Names) error {
		err := w.Name(x.dir, next, names)
		if err != nil || more == 0 {
			return err
		}
		b := x.builder()
		for range more {
			id := fmt.Sprintf("%s-%d", names.Beside("x"), b.Len())
			x.want[id] = x.rng.Uint64()
			b.Add(&segment.Document{ID: []byte(id), HasFingerprint: true, Fingerprint: x.want[id]})
		}
		return w.Append(x.t.Context(), x.dir, next, b, names.Take(SegmentExtension), swapOptions)
	}))
	x.s.Install(w, x.dir)
}

// check compares the state, the files that the manifest names, and what they have.
func (x *swapped) check(what string) {
	x.t.Helper()
	var names []string
	all, err := x.dir.FS.ReadDir(x.dir.Path)
	x.must(err)
	for _, name := range all {
		if IsNumbered(name) {
			names = append(names, name)
		}
	}
	if named := x.dir.Manifest.Files(); !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(named))) {
		x.t.Fatalf("%s: the directory has %v, and the manifest names %v", what, names, named)
	}
	shown, err := x.s.Show(x.t.Context())
	x.must(err)
	opened, err := openParts(x.dir.FS, x.dir.Path, x.dir.Manifest, 1<<30)
	x.must(err)
	for place, parts := range map[string][]*Part{"the state": shown, "the disk": opened} {
		got := map[string]uint64{}
		for _, p := range parts {
			for doc, fp := range p.Fingerprints() {
				id := p.ID(doc)
				x.must(err)
				got[string(id)] = fp[0]
			}
		}
		if !maps.Equal(got, x.want) {
			x.t.Fatalf("%s: %s has %d documents, want %d, or others", what, place, len(got), len(x.want))
		}
		x.must(ReleaseAll(parts))
	}
}

// Whatever is deleted while segments are written anew, merged or added, the manifest names the files that are there,
// and these have the documents that are left.
func TestSwaps(t *testing.T) {
	t.Parallel()
	settings := analysis.Classic()
	for seed := range uint64(12) {
		x := &swapped{t: t, rng: rand.New(rand.NewPCG(seed, 3)), dir: &Dir{FS: disk.NewMemory(), Path: "idx"}, want: map[string]uint64{}}
		x.must(x.dir.Claim())
		x.must(x.dir.Read(settings))
		x.s = NewState(x.dir.Manifest.Layout(), swapOptions, nil)
		none := func() float64 { return 0 }
		some := func() float64 { return []float64{0, 0, 0.05, 0.3, 1}[x.rng.IntN(5)] }
		for round := range 30 {
			parts := x.s.Parts()
			from := x.rng.IntN(len(parts) + 1)
			parts = parts[from:min(len(parts), from+x.rng.IntN(3))]
			share, more := some, 0
			if len(parts) == 0 {
				more = x.rng.IntN(20)
			}
			if x.rng.IntN(2) == 0 {
				share = none
			}
			what := fmt.Sprintf("seed %d, round %d, %d parts", seed, round, len(parts))
			x.swap(parts, more, share)
			x.swap(nil, 0, none) // what was deleted last is written, too
			x.check(what)
		}
		x.must(x.s.Release())
		x.must(x.dir.Release(false))
	}
}

// A change of nothing but the manifest, of which no file is reserved, writes the manifest once.
func TestReserveNothing(t *testing.T) {
	t.Parallel()
	fsys := disk.NewMemory()
	d := &Dir{FS: fsys, Path: "idx"}
	if err := d.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := d.Read(analysis.Classic()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("idx", ManifestName)
	if _, err := d.Reserve(0); err != nil || !d.HasManifest() {
		t.Fatalf("an index that begins has a manifest: %v", err)
	}
	before, err := fsys.ReadFile(path, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if err := fsys.Remove(path); err != nil { // what is written is seen
		t.Fatal(err)
	}
	if err := disk.WriteAtomic(fsys, path, append(before, ' ')); err != nil {
		t.Fatal(err)
	}
	names, err := d.Reserve(0)
	if err != nil || names.next != d.Manifest.Next {
		t.Errorf("%v, %v", names, err)
	}
	if now, err := fsys.ReadFile(path, 1<<30); err != nil || len(now) != len(before)+1 {
		t.Errorf("the manifest was written: %v", err)
	}
	if err := d.Release(false); err != nil {
		t.Error(err)
	}
}
