package seen

import (
	"reflect"
	"testing"

	"simsearch/internal/disk"
	"simsearch/internal/explain"
)

// What a run has seen comes back as it was.
func TestRunComesBack(t *testing.T) {
	fsys := disk.NewMemory()
	for i, want := range []*Run{
		{Removed: []byte{}, Facts: []Facts{}, Texts: []Text{}},
		{
			Removed: []byte{0, 1, 0, 0},
			Facts:   []Facts{{1, explain.FactsOf([]byte("three of 3 were not there"))}, {3, explain.FactsOf([]byte("drei von 4 waren nicht da"))}},
			Texts:   []Text{{Document: 3, Text: []byte("a\xff\x00b"), More: true, Most: 4}},
		},
	} {
		path := string(rune('a' + i))
		if err := Write(fsys, path, want); err != nil {
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
			want.moved, want.from = nil, nil
		}
		got, err := Read(fsys, path)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v (%v)", got, want, err)
		}
	}
}
