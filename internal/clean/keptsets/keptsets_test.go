package keptsets

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
)

// random returns sets of which some are edits of earlier ones, with features of which some are frequent.
func random(rng *rand.Rand, n int) (sets []Set) {
	for range n {
		var features []uint64
		if len(sets) > 0 && rng.IntN(2) == 0 {
			features = slices.Clone(sets[rng.IntN(len(sets))].Features)
			for range rng.IntN(1 + len(features)/6) {
				features[rng.IntN(len(features))] = rng.Uint64()
			}
		} else {
			for range 1 + rng.IntN(60) {
				features = append(features, uint64(rng.ExpFloat64()*100)*0x9e3779b97f4a7c15)
			}
		}
		slices.Sort(features)
		sets = append(sets, Set{[2]uint64{rng.Uint64(), rng.Uint64()}, slices.Compact(features)})
	}
	return sets
}

func all(sets []Set) iter.Seq2[Set, error] {
	return func(yield func(Set, error) bool) {
		for _, s := range sets {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// written writes sets to files of the given sizes, and opens them.
func written(t *testing.T, sets []Set, sizes ...int) *Sets {
	t.Helper()
	fsys, o := disk.NewMemory(), Options{Threads: 2, learnSets: 50}
	var s *Sets
	var paths []string
	for i, n := range sizes {
		path := filepath.Join(string(rune('a' + i)))
		if err := Write(t.Context(), fsys, path, s, all(sets[:n]), o); err != nil {
			t.Fatal(err)
		}
		sets, paths = sets[n:], append(paths, path)
		if s != nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		var err error
		if s, err = Open(fsys, paths, 2); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sharedBy counts the features that two sets share.
func sharedBy(a, b []uint64) (n int) {
	for _, f := range a {
		if slices.Contains(b, f) {
			n++
		}
	}
	return n
}

// Sets come back as they were written, and share what they share.
func TestSetsComeBack(t *testing.T) {
	sets := random(rand.New(rand.NewPCG(1, 1)), 300)
	s := written(t, sets, 180, 100, 20)
	if !slices.Equal(s.Files, []int{180, 100, 20}) || s.Len() != 300 {
		t.Fatalf("files of %v sets", s.Files)
	}
	var memory Scratch
	for i, want := range sets {
		got := s.Append(nil, uint32(i), &memory)
		if !slices.Equal(got, want.Features) {
			t.Fatalf("set %d is %v, want %v", i, got, want.Features)
		}
		if n := s.Size(uint32(i)); n != len(want.Features) {
			t.Errorf("set %d has %d features, want %d", i, n, len(want.Features))
		}
	}
	for a := range sets {
		for b := a; b < len(sets); b += 7 {
			x, y := sets[a].Features, sets[b].Features
			got, n, m := s.Shared(uint32(a), uint32(b), &memory, &Scratch{})
			if want := sharedBy(x, y); got != want || n != len(x) || m != len(y) {
				t.Fatalf("sets %d and %d of %d and %d features share %d, want %d", a, b, n, m, got, want)
			}
		}
	}
	for set, digest := range s.EachDigest {
		if digest != sets[set].Digest {
			t.Errorf("set %d has another digest", set)
		}
	}
}

// Near finds what comparing all pairs finds.
func TestNearAgainstAllPairs(t *testing.T) {
	for seed := range uint64(testkit.Of(2, 6)) {
		sets := random(rand.New(rand.NewPCG(2, seed)), 400)
		s := written(t, sets, 250, 100, 50)
		for _, threshold := range []float64{0.3, 0.5, 0.8, 0.95, 1} {
			for _, from := range []uint32{0, 250, 350, 400} {
				var want []Pair
				for a := range sets {
					for b := max(int(from), a+1); b < len(sets); b++ {
						x, y := sets[a].Features, sets[b].Features
						n := sharedBy(x, y)
						if prefix.Similar(n, len(x), len(y), threshold) {
							want = append(want, Pair{uint32(a), uint32(b), prefix.Jaccard(n, len(x), len(y))})
						}
					}
				}
				got, err := s.Near(t.Context(), from, threshold, len(want), Options{Threads: 2})
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("at %v from %d: %d pairs, want %d (%v)", threshold, from, len(got), len(want), err)
				}
				if len(want) > 0 {
					if _, err := s.Near(t.Context(), from, threshold, len(want)-1, Options{}); !errors.Is(err, ErrMany) {
						t.Errorf("%v, want ErrMany", err)
					}
				}
			}
		}
	}
}

// changed writes the sections of a file again, each as change makes it.
func changed(t *testing.T, is *section.File, change func(name string, part []byte) []byte) disk.FS {
	t.Helper()
	fsys := disk.NewMemory()
	file, err := fsys.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	w := section.NewWriter(file)
	is.Sections(func(name string, _, _ uint64) bool {
		part := is.Bytes(name)
		w.Begin(name)
		_, _ = w.Write(change(name, slices.Clone(part)))
		return true
	})
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return fsys
}

// writtenFile returns a file of some sets.
func writtenFile(t testing.TB) *section.File {
	t.Helper()
	fsys := disk.NewMemory()
	sets := random(rand.New(rand.NewPCG(3, 1)), 40)
	if err := Write(context.Background(), fsys, "a", nil, all(sets), Options{learnSets: 20}); err != nil {
		t.Fatal(err)
	}
	data, err := fsys.ReadFile("a", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	is, err := section.Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// Codes that are longer or shorter than those of the sets are told of.
func TestCodesOfNoSet(t *testing.T) {
	is := writtenFile(t)
	for _, more := range []int{-1, 1, 100} {
		fsys := changed(t, is, func(name string, part []byte) []byte {
			if name == secCoded {
				part = append(part, make([]byte, max(0, more))...)[:len(part)+more]
			}
			return part
		})
		if s, err := Open(fsys, []string{"a"}, 1); !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("%d bytes more: %d sets, %v", more, s.Len(), err)
		}
	}
}

// What is not as it was written is told of, and nothing else happens.
func FuzzDamage(f *testing.F) {
	is := writtenFile(f)
	for i := range byte(4) {
		f.Add(i, uint16(3), byte(0xff))
		f.Add(i, uint16(0), byte(1))
	}
	f.Fuzz(func(t *testing.T, which byte, at uint16, flip byte) {
		n := byte(0)
		fsys := changed(t, is, func(_ string, part []byte) []byte {
			if n == which%4 && len(part) > 0 {
				part[int(at)%len(part)] ^= flip
			}
			n++
			return part
		})
		s, err := Open(fsys, []string{"a"}, 1)
		if err == nil {
			_, err = s.Near(t.Context(), uint32(s.Len()/2), 0.5, 1<<20, Options{})
			if failed := s.Close(); failed != nil {
				t.Error(failed)
			}
		}
		if err != nil && !errors.Is(err, section.ErrCorrupt) {
			t.Error(err)
		}
	})
}
