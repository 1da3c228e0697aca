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
	"simsearch/internal/quality/explain"
)

// What a run has seen comes back as it was.
func TestRunComesBack(t *testing.T) {
	fsys := disk.NewMemory()
	for i, want := range []*seenRun{
		{Removed: []byte{}, Facts: []seenFacts{}, Texts: []seenText{}},
		{
			Removed: []byte{0, 1, 0, 0},
			Facts:   []seenFacts{{1, explain.FactsOf([]byte("three of 3 were not there"))}, {3, explain.FactsOf([]byte("drei von 4 waren nicht da"))}},
			Texts:   []seenText{{Document: 3, Text: []byte("a\xff\x00b"), More: true, Most: 4}},
		},
	} {
		path := string(rune('a' + i))
		if err := writeSeen(fsys, path, want); err != nil {
			t.Fatal(err)
		}
		if n := uint32(len(want.Removed)); n > 3 {
			if want.Move(n, 0, 1) || want.Move(n-1, 0, 2) || !want.Move(1, 7, 1) || !want.Move(3, 2, 1) {
				t.Error("documents are moved that are not there, or others are not")
			}
			for doc, now := range map[uint32]int{0: -1, 1: 7, 2: -1, 3: 2, 4: -1} {
				if is, ok := want.Now(doc); ok != (now >= 0) || ok && is != uint32(now) {
					t.Errorf("document %d is %d now (%v), want %d", doc, is, ok, now)
				}
			}
			want.now = nil
		}
		got, err := readSeen(fsys, path)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v (%v)", got, want, err)
		}
	}
}

// Any damage of a file is an error, as is what cannot have been written.
func TestDamagedRun(t *testing.T) {
	fsys := disk.NewMemory()
	facts := explain.FactsOf([]byte("three of 3 were not there"))
	if err := writeSeen(fsys, "sound", &seenRun{Removed: []byte{0, 1}, Facts: []seenFacts{{1, facts}}, Texts: []seenText{{Text: []byte("a text")}}}); err != nil {
		t.Fatal(err)
	}
	sound, err := fsys.ReadFile("sound", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, data []byte, want ...error) {
		t.Helper()
		if err := disk.WriteAtomic(fsys, "damaged", data); err != nil {
			t.Fatal(err)
		}
		if r, err := readSeen(fsys, "damaged"); !slices.ContainsFunc(want, func(class error) bool { return errors.Is(err, class) }) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	for bit := range 8 * len(sound) {
		damaged := bytes.Clone(sound)
		damaged[bit/8] ^= 1 << (bit % 8)
		refused(fmt.Sprint("bit ", bit), damaged, section.ErrCorrupt, section.ErrForeign, section.ErrVersion)
	}
	var b bytes.Buffer
	w := section.NewWriter(&b)
	w.Begin(secTexts)
	_, _ = w.Write([]byte("[]"))
	w.Begin(secRemoved)
	w.Begin(secDocuments)
	w.Uint32s([]uint32{0})
	w.Begin(secFacts)
	w.Uint32s(slices.Repeat([]uint32{math.MaxUint32}, explain.FactWords))
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	refused("a language that there is not", b.Bytes(), section.ErrCorrupt)
}
