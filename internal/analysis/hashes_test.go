package analysis

import (
	"fmt"
	"slices"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/testkit"
	"simsearch/preprocess"
)

// The hashes of a text are those of its features, one after the other, by each hash and kind of features.
func TestHashesAreThoseOfFeatures(t *testing.T) {
	t.Parallel()
	texts := []string{"", "one", "one two", "The quick brown fox's jump, über den Zaun — 近似重複検索 of 3.14_15", testkit.NewWords(4).Text(300)}
	for _, hash := range []fingerprint.Hash{fingerprint.Murmur3, fingerprint.FNV1a, fingerprint.MD5} {
		for _, kind := range []string{"words", "word:1", "word:3", "char:1", "char:5", "char:12", "items"} {
			t.Run(fmt.Sprintf("%v/%s", hash, kind), func(t *testing.T) {
				s := Classic()
				s.Hash, s.Language = hash, preprocess.NoLanguage
				if err := s.Features.UnmarshalText([]byte(kind)); err != nil {
					t.Fatal(err)
				}
				a, err := New(s)
				if err != nil {
					t.Fatal(err)
				}
				combined := hash == fingerprint.Murmur3 && (s.Features.Kind == preprocess.WordN || s.Features.Kind == preprocess.CharN)
				var scratch Scratch
				for _, text := range texts {
					got := a.AppendFeatureHashes([]uint64{7}, &scratch, []byte(text))
					want, set, differ := []uint64{7}, map[uint64]bool{}, false
					for i := range scratch.Document.Len() {
						feature := scratch.Document.Feature(i)
						h := s.HashFeature(s.Features, feature)
						want, set[h] = append(want, h), true
						differ = differ || h != hash.Sum(feature)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%q: hashes %x, want %x", text, got, want)
					}
					if alone := kind == "word:1" || text == "" || text == "one" && kind == "word:3"; differ != (combined && !alone) {
						t.Errorf("%q: hashes of features as of other strings: %v", text, !differ)
					}
					if got := a.Set(&scratch, []byte(text)); len(got) != len(set) || !slices.IsSorted(got) || slices.ContainsFunc(got, func(h uint64) bool { return !set[h] }) {
						t.Errorf("%q: the set is %x, want %v", text, got, set)
					}
					n := 0
					a.EachFeature(&scratch, []byte(text), func(h uint64, feature []byte) {
						if n++; h != s.HashFeature(s.Features, feature) {
							t.Errorf("%q: feature %q has hash %x", text, feature, h)
						}
					})
					if n != len(want)-1 {
						t.Errorf("%q: %d features, want %d", text, n, len(want)-1)
					}
				}
			})
		}
	}
}
