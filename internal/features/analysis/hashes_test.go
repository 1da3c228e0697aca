package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/files/document"
	"simsearch/internal/tests/testkit"
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
					a.Features(&scratch, []byte(text))
					got := s.appendHashes([]uint64{7}, &scratch, s.Features)
					want, set, differ := []uint64{7}, map[uint64]bool{}, false
					for i := range scratch.Document.Len() {
						feature := scratch.Document.Feature(i)
						h := s.hashFeature(s.Features, feature)
						want, set[h] = append(want, h), true
						differ = differ || h != hash.Sum(feature)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%q: hashes %x, want %x", text, got, want)
					}
					if alone := kind == "word:1" || text == "" || text == "one" && kind == "word:3"; differ != (combined && !alone) {
						t.Errorf("%q: hashes of features as of other strings: %v", text, !differ)
					}
					if text == "" {
						set[s.hashFeature(s.Features, []byte("\n"))] = true
					}
					if got := a.Set(&scratch, []byte(text)); len(got) != len(set) || !slices.IsSorted(got) || slices.ContainsFunc(got, func(h uint64) bool { return !set[h] }) {
						t.Errorf("%q: the set is %x, want %v", text, got, set)
					}
				}
			})
		}
	}
}

// The fingerprint of a text is that of the features that the analyser of the language makes, whether stop words are
// dropped by their spelling or by their hashes, and whatever text came before.
func TestFingerprintsAreThoseOfFeatures(t *testing.T) {
	t.Parallel()
	var texts []string
	for i, sentence := range []string{
		"the fox was in the garden and we had seen it", "der Fuchs war im Garten und wir hatten ihn gern", "le renard était dans le jardin",
		"狐は庭にいたが、誰も見ていなかった。", "1984", "",
	} {
		words := testkit.NewWords(uint64(i))
		texts = append(texts, sentence, strings.Repeat(sentence+"; ", 120)+words.Text(100), sentence+" "+words.Text(20))
	}
	for _, language := range []string{"none", "en", "auto"} {
		for _, kind := range []string{"words", "word:3", "char:5"} {
			for _, mode := range []Mode{SimHash, Both} {
				s := Settings{Mode: mode, Language: language, Bits: 64, Analyzer: preprocess.Version}
				if s.SetLanguage = preprocess.NoLanguage; mode == SimHash {
					s.SetLanguage = ""
				}
				if err := s.Features.UnmarshalText([]byte(kind)); err != nil {
					t.Fatal(err)
				}
				a, err := New(s.Canonical())
				if err != nil {
					t.Fatal(err)
				}
				var b Batch
				var scratch Scratch
				for i := range 3 * len(texts) {
					b.add(&document.Document{Text: []byte(texts[i*7%len(texts)])})
				}
				if err := b.analyse(a); err != nil {
					t.Fatal(err)
				}
				for i := range b.Len() {
					got, text := b.Result(i), texts[i*7%len(texts)]
					a.Features(&scratch, []byte(text))
					hashes := s.appendHashes(nil, &scratch, s.Features)
					if len(hashes) == 0 {
						hashes = append(hashes, s.hashFeature(s.Features, Whole([]byte(text))))
					}
					want, ok := fingerprint.Unit(hashes, 64)
					if got.Fingerprint != want || got.HasFingerprint != ok {
						t.Errorf("%s of %s, mode %v: %.50q has the fingerprint %x %v, want %x %v", kind, language, mode, text, got.Fingerprint, got.HasFingerprint, want, ok)
					}
				}
			}
		}
	}
}

// Texts of which no words are left are near if they are equal but for the white space around them, by each kind of
// features.
func TestTextsWithoutWords(t *testing.T) {
	t.Parallel()
	equal := [][2]string{{"👍", "👍"}, {":-)", " :-)\n"}, {"!!!", "!!!"}, {"", " \n\t"}}
	differ := [][2]string{{"👍", "👎"}, {":-)", ":-("}, {"!!!", "!! !"}, {"", "."}, {"!", "a"}}
	for _, kind := range []string{"words", "word:3", "char:5", "items"} {
		for _, hash := range []fingerprint.Hash{fingerprint.Murmur3, fingerprint.FNV1a, fingerprint.MD5} {
			s := Default()
			s.Hash = hash
			if err := errors.Join(s.Features.UnmarshalText([]byte(kind)), s.SetFeatures.UnmarshalText([]byte(kind))); err != nil {
				t.Fatal(err)
			}
			a, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			of := func(text string) Result {
				r, err := a.Analyse(&document.Document{Text: []byte(text)})
				if err != nil || len(r.Set) == 0 || !r.HasFingerprint || r.Fingerprint == 0 || r.Set[0] == 0 {
					t.Fatalf("%s of %q: %+v, %v", kind, text, r, err)
				}
				return r
			}
			for i, pair := range slices.Concat(equal, differ) {
				x, y := of(pair[0]), of(pair[1])
				if same := i < len(equal); (x.Digest == y.Digest) != same || (x.Fingerprint == y.Fingerprint) != same {
					t.Errorf("%s of %q: %+v, %+v", kind, pair, x, y)
				}
			}
		}
	}
	classic, err := New(Classic())
	if err != nil {
		t.Fatal(err)
	}
	var s Scratch
	x, _, _ := classic.Fingerprint(&s, []byte("of the"))
	y, _, _ := classic.Fingerprint(&s, []byte("the (of)"))
	if z, _, _ := classic.Fingerprint(&s, []byte("of a")); x != y || x == z {
		t.Errorf("texts of stop words have the fingerprints %x, %x and %x", x, y, z)
	}
}
