package lsh

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"simsearch/internal/ground/section"
)

// write returns the bytes of tables.
func write(t testing.TB, s *Signatures, b Bands, threads int) []byte {
	t.Helper()
	var file bytes.Buffer
	w := section.NewWriter(&file)
	if err := Write(context.Background(), w, s, b, threads); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func load(data []byte, n, positions int) (t *Tables, err error) {
	f, err := section.Parse("", data)
	if err != nil {
		return nil, err
	}
	err = section.DamageOf(func() { t = Load(f, uint64(n), positions) })
	return t, err
}

// Candidates are the sets that a comparison with all signatures finds, at every depth, in memory and on
// disk.
func TestCandidatesEqualScan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n, positions int
		b            Bands
	}{
		{0, 16, Bands{2, 4}}, {1, 16, Bands{2, 8}}, {2, 16, Bands{16, 1}}, {300, 128, Bands{13, 7}},
		{3000, 40, Bands{5, 8}}, {3000, 64, Bands{20, 3}}, {2000, 20, Bands{20, 1}},
	} {
		s := random(uint64(tt.n), tt.n, tt.positions)
		built := build(s, tt.b)
		file := write(t, s, tt.b, 3)
		if !bytes.Equal(file, write(t, s, tt.b, 1)) {
			t.Errorf("%d sets, %v: the bytes depend on threads", tt.n, tt.b)
		}
		loaded, err := load(file, tt.n, tt.positions)
		if err != nil {
			t.Fatal(err)
		}
		queries := random(99, 50, tt.positions)
		for q := range uint32(min(tt.n, 50)) {
			queries.Add(s.Of(q))
		}
		for q := range uint32(queries.Len()) {
			for depth := 1; depth <= tt.b.Rows; depth++ {
				var want []uint32
				for i := range uint32(tt.n) {
					if agree(queries.Of(q), s.Of(i), tt.b, depth) {
						want = append(want, i)
					}
				}
				for name, tables := range map[string]*Tables{"built": built, "loaded": loaded} {
					got := tables.Candidates([]uint32{7}, queries.Of(q), Bands{tt.b.Bands, depth})
					if got[0] != 7 || !slices.Equal(got[1:], want) {
						t.Fatalf("%d sets, %v, %s, depth %d: %v, want %v", tt.n, tt.b, name, depth, got, want)
					}
				}
			}
		}
	}
}

// With any bits flipped, loading and searching end in an answer or an error.
func TestCorruptTables(t *testing.T) {
	t.Parallel()
	const n, positions = 200, 32
	s := random(5, n, positions)
	file := write(t, s, Bands{8, 4}, 1)
	for at := range file {
		for _, flip := range []byte{1, 0x80} {
			data := bytes.Clone(file)
			data[at] ^= flip
			ask(t, data, n, positions, s.Of(3))
		}
	}
	if _, err := load(file, n+1, positions); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("one set more: %v", err)
	}
	if _, err := load(file, n, 31); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("one position less: %v", err)
	}
}

func ask(t *testing.T, data []byte, n, positions int, signature []byte) {
	t.Helper()
	tables, err := load(data, n, positions)
	if err == nil {
		err = section.DamageOf(func() { tables.Candidates(nil, signature, Bands{tables.Bands().Bands, min(2, tables.Bands().Rows)}) })
	}
	if err != nil && !errors.Is(err, section.ErrCorrupt) && !errors.Is(err, section.ErrForeign) && !errors.Is(err, section.ErrVersion) {
		t.Errorf("an error of no class: %v", err)
	}
}

// A search of a damaged file that has not been verified returns the right candidates or an error of the
// checksum.
func TestDamageIsNoWrongCandidate(t *testing.T) {
	t.Parallel()
	const n, positions = 33_000, 8 // sections of more than one block
	b := Bands{2, 4}
	s := random(8, n, positions)
	built := build(s, b)
	file := write(t, s, b, 1)
	f, err := section.Parse("", file)
	if err != nil {
		t.Fatal(err)
	}
	f.Sections(func(name string, offset, length uint64) bool {
		for way, damage := range map[string]func(data []byte){
			"garbled": func(data []byte) {
				for at := range data {
					data[at] ^= byte(at*7 + 1)
				}
			},
			"garbled at the end": func(data []byte) {
				for at := len(data) / 2; at < len(data); at++ {
					data[at] ^= byte(at*7 + 1)
				}
			},
			"a little wrong at the start": func(data []byte) {
				for at := 0; at < min(len(data), section.BlockSize); at += 4 {
					data[at] ^= 1
				}
			},
			"a little wrong": func(data []byte) {
				for at := 0; at < len(data); at += 16 {
					data[at] ^= 1
				}
			},
		} {
			data := bytes.Clone(file)
			damage(data[offset : offset+length])
			found := 0
			tables, err := load(data, n, positions)
			for q := uint32(0); q < 2000 && err == nil; q++ {
				depth := 1 + int(q)%b.Rows
				var got []uint32
				err := section.DamageOf(func() { got = tables.Candidates(nil, s.Of(q), Bands{b.Bands, depth}) })
				want := built.Candidates(nil, s.Of(q), Bands{b.Bands, depth})
				switch {
				case errors.Is(err, section.ErrCorrupt):
					found++
				case err != nil || !slices.Equal(got, want):
					t.Fatalf("%s %s: %d candidates, want %d, %v", name, way, len(got), len(want), err)
				}
			}
			if err != nil && !errors.Is(err, section.ErrCorrupt) || err == nil && found == 0 {
				t.Errorf("%s %s: %v", name, way, err)
			}
		}
		return true
	})
}

// Write refuses the bands that Load would refuse, and no others.
func TestMostBands(t *testing.T) {
	t.Parallel()
	s := random(7, 3, MaxBands+1)
	most := Bands{MaxBands, 1}
	if _, err := load(write(t, s, most, 1), 3, MaxBands+1); err != nil {
		t.Errorf("%v: %v", most, err)
	}
	// The file that Write refuses to write.
	var file bytes.Buffer
	w := section.NewWriter(&file)
	w.Begin(SectionSignatures)
	w.Begin(sectionPlan)
	w.Uint64s([]uint64{0, MaxBands + 1, 1})
	for i := range MaxBands + 1 {
		w.Begin(sectionSets(i))
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := load(file.Bytes(), 0, MaxBands+1); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("one band more: %v", err)
	}
	for _, b := range []Bands{{MaxBands + 1, 1}, {1, MaxRows + 1}, {0, 4}} {
		var file bytes.Buffer
		if err := Write(t.Context(), section.NewWriter(&file), s, b, 1); err == nil || b.Storable() == nil {
			t.Errorf("%v is written", b)
		}
	}
}

func FuzzLoad(f *testing.F) {
	s := random(6, 40, 16)
	f.Add(write(f, s, Bands{4, 4}, 1))
	f.Add(write(f, s, Bands{16, 1}, 1))
	f.Fuzz(func(t *testing.T, data []byte) { ask(t, data, 40, 16, s.Of(1)) })
}
