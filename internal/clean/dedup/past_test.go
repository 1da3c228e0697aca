package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/explain"
)

// What a run has decided and seen comes back as it was.
func TestPastComesBack(t *testing.T) {
	fsys := disk.NewMemory()
	near := &NearPairs{At: 0.5}
	near.Add(1, 2, 0.75)
	near.Add(1, 3, 0.85)
	near.Copies = []uint64{math.Float64bits(0.5)}
	one, three := explain.FactsOf([]byte("three of 3 were not there")), explain.FactsOf([]byte("drei von 4 waren nicht da"))
	for i, want := range []*past{
		{},
		{
			pastHeader: pastHeader{Parts: 2, Texts: []seenText{{Document: 3, Text: []byte("a\xff\x00b"), More: true, Most: 4}}},
			run:        savedRun{Directory: "here\xff"},
			Removed:    []byte{0, 1, 0, 2},
			FactsOf:    []uint32{1, 3},
			Facts:      slices.Concat(one[:], three[:]),
			Near:       near,
		},
	} {
		to := part{fsys, string(rune('a' + i))}
		if err := want.write(to); err != nil {
			t.Fatal(err)
		}
		got, err := readPast(to, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got.At > 0 != (want.Near != nil) || got.V != stateVersion || len(got.About) == 0 {
			t.Errorf("the header is %+v", got.pastHeader)
		}
		want.V, want.At, want.About, want.Judge = got.V, got.At, got.About, judge.Default.Version
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// Any damage of a state is an error, as is what cannot have been written.
func TestDamagedPast(t *testing.T) {
	fsys := disk.NewMemory()
	facts := explain.FactsOf([]byte("three of 3 were not there"))
	is := past{pastHeader: pastHeader{Texts: []seenText{{Text: []byte("a text")}}}, Removed: []byte{0, 1}, FactsOf: []uint32{1}, Facts: facts[:]}
	write := func() []byte {
		t.Helper()
		if err := is.write(part{fsys, "sound"}); err != nil {
			t.Fatal(err)
		}
		data, err := fsys.ReadFile("sound", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	refused := func(what string, data []byte, want ...error) {
		t.Helper()
		if err := disk.WriteAtomic(fsys, "damaged", data); err != nil {
			t.Fatal(err)
		}
		if r, err := readPast(part{fsys, "damaged"}, 1); !slices.ContainsFunc(want, func(class error) bool { return errors.Is(err, class) }) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	sound := write()
	for at := range sound {
		damaged := bytes.Clone(sound)
		damaged[at] ^= 1 << (at % 8)
		refused(fmt.Sprint("byte ", at), damaged, section.ErrCorrupt, section.ErrForeign, section.ErrVersion)
	}
	is.Facts = slices.Repeat([]uint32{math.MaxUint32}, explain.FactWords)
	refused("a language that there is not", write(), section.ErrCorrupt)
	is.Facts = is.Facts[1:]
	refused("facts of half a document", write(), section.ErrCorrupt)
	is.FactsOf, is.Facts, is.Removed = nil, nil, []byte{wasGone + 1}
	refused("a decision that there is not", write(), section.ErrCorrupt)
	is.Removed, is.Near = nil, &NearPairs{At: 1, Pairs: []uint64{1}, Similarities: []uint64{math.Float64bits(1.5)}}
	refused("a similarity that there is not", write(), section.ErrCorrupt)
	is.Near.Similarities[0], is.Near.Copies = math.Float64bits(1), []uint64{math.Float64bits(-1)}
	refused("a probability that there is not", write(), section.ErrCorrupt)
	is.Near.Copies = slices.Repeat([]uint64{math.Float64bits(1)}, 2)
	refused("more probabilities than pairs", write(), section.ErrCorrupt)
	is.Near, is.Parts = nil, mostStored+1
	refused("too many parts", write(), section.ErrCorrupt)
}
