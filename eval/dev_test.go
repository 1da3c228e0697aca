package eval

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
	"simsearch/internal/quality/truth"
	"simsearch/internal/tests/testkit"
)

// On real collections, the search by Jaccard similarity must reach the recall that is asked for, at every
// threshold, and find nothing that is not near.
func TestRecallOnRealCollections(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "real collections")
	collections := map[string]string{"reuters21578": "word:3", "powershell-docs": "word:3", "debian-copyright": "word:3", "spdx-licenses": "word:3", "sms-spam": "words", "er-cora": "char:4", "irplag-java": "word:3"}
	var names []string
	for name := range collections {
		names = append(names, name)
	}
	dir := testkit.Dev(t, names...)
	for name, features := range collections {
		s := analysis.Classic()
		s.Language = "none"
		if err := s.Features.UnmarshalText([]byte(features)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name, "docs.jsonl")
		c, err := Load(t.Context(), jsonLines(t, path), LoadOptions{Name: name, Settings: s, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, threshold := range thresholds {
			near, err := c.joiner().Pairs(t.Context(), c.Sets, threshold)
			if err != nil {
				t.Fatal(err)
			}
			all := truth.NewVerdicts(near, true)
			for _, wanted := range []float64{0.95, 0.99} {
				found := 0
				err := c.searched(t.Context(), index.Predicate{Kind: index.Jaccard, Threshold: threshold, Recall: wanted}, func(a, b uint32) {
					if found++; !hasPair(&all, a, b) {
						t.Errorf("%s: %v: %d and %d are not near", name, threshold, a, b)
					}
				})
				if err != nil && !errors.Is(err, lsh.ErrRecall) {
					t.Fatal(err)
				}
				if err == nil && float64(found) < wanted*float64(len(near)) {
					t.Errorf("%s: %v: %d of %d are found, want %v", name, threshold, found, len(near), wanted)
				}
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func hasPair(v *truth.Verdicts, a, b uint32) bool {
	_, ok := v.Find(a, b)
	return ok
}

// On real collections, the truth is what comparing each with each finds. A part of the documents of each is compared
// with all. With SIMSEARCH_EACH_WITH_EACH=1, all documents are, and those of large collections, too.
func TestSimilarPairsOnRealCollections(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "real collections")
	names := []string{"clough-stevenson", "irplag-java", "scoop-news", "debian-copyright", "bln600-ocr", "er-cora", "spdx-licenses"}
	if os.Getenv("SIMSEARCH_EACH_WITH_EACH") != "" {
		names = append(names, "react-native-docs", "asysd-diabetes", "powershell-docs", "ota-terms", "er-dblp-acm", "sms-spam", "gesetze-de", "er-cddb",
			"bible-chapters", "reuters21578", "scancode-licenses", "tldr-pages")
	}
	dir := testkit.Dev(t, names...)
	for _, name := range names {
		for _, features := range []string{"words", "word:3", "char:5"} {
			sets := realSets(t, filepath.Join(dir, name, "docs.jsonl"), features)
			sampled := make([]bool, len(sets))
			every := 1 + len(sets)/40
			if os.Getenv("SIMSEARCH_EACH_WITH_EACH") != "" {
				every = 1
			}
			for i := 0; i < len(sets); i += every {
				sampled[i] = true
			}
			all := comparingSampled(sets, sampled, 0.5)
			for _, threshold := range []float64{0.5, 0.8} {
				got, err := truth.Joiner{Threads: 2}.Pairs(t.Context(), sets, threshold)
				if err != nil {
					t.Fatal(err)
				}
				got = slices.DeleteFunc(got, func(p truth.Pair) bool { return !sampled[p.A] && !sampled[p.B] })
				want := slices.DeleteFunc(slices.Clone(all), func(p truth.Pair) bool { return p.Jaccard < threshold })
				if !slices.Equal(got, want) {
					t.Errorf("%s, %s, threshold %v: %d pairs of %d of %d documents, want %d", name, features, threshold, len(got), (len(sets)+every-1)/every, len(sets), len(want))
				}
			}
			t.Logf("%s, %s: %d pairs", name, features, len(all))
		}
	}
}

// comparingSampled returns the pairs of SimilarPairs in which one set, or both, is sampled, by counting the features
// that each shares with each.
func comparingSampled(sets [][]uint64, sampled []bool, threshold float64) (out []truth.Pair) {
	with := map[uint64][]uint32{}
	for i, in := range sampled {
		if in {
			for _, x := range sets[i] {
				with[x] = append(with[x], uint32(i))
			}
		}
	}
	for b, set := range sets {
		shared := map[uint32]int{}
		for _, x := range set {
			for _, a := range with[x] {
				shared[a]++
			}
		}
		for a, n := range shared {
			if int(a) == b || sampled[b] && int(a) > b {
				continue // itself, or found from the other side
			}
			if j := float64(n) / float64(len(sets[a])+len(set)-n); j >= threshold {
				out = append(out, truth.Pair{A: min(a, uint32(b)), B: max(a, uint32(b)), Jaccard: j})
			}
		}
	}
	slices.SortFunc(out, func(x, y truth.Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return out
}

// realSets returns the sets of features of a file of the shared data.
func realSets(t *testing.T, path, features string) (sets [][]uint64) {
	s := analysis.Default()
	s.Mode, s.SetLanguage = analysis.MinHash, "none"
	if err := s.SetFeatures.UnmarshalText([]byte(features)); err != nil {
		t.Fatal(err)
	}
	a, err := analysis.New(s)
	if err != nil {
		t.Fatal(err)
	}
	var scratch analysis.Scratch
	for doc, err := range jsonLines(t, path) {
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, slices.Clone(a.Set(&scratch, doc.Text)))
	}
	return sets
}

// jsonLines yields the documents of a file of the shared data.
func jsonLines(t *testing.T, path string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var row struct{ ID, Text string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			if !yield(&document.Document{ID: []byte(row.ID), Text: []byte(row.Text)}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}
