package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
	"simsearch/internal/tests/testkit"
)

var update = flag.Bool("update", false, "write testdata/quality.md anew")

// generated returns a small collection. It has texts, copies of them with a growing number of words
// replaced, equal texts, and one text without words. A cluster is a text and its copies.
func generated() (texts []string, clusters [][]string) {
	r := rand.New(rand.NewPCG(20, 26))
	g := testkit.NewWords(5)
	for i := range 60 {
		words := strings.Fields(g.Text(40 + r.IntN(160)))
		cluster := []string{fmt.Sprint("d", len(texts))}
		texts = append(texts, strings.Join(words, " "))
		for copies := range i % 4 {
			changed := slices.Clone(words)
			for range copies * len(words) / 20 {
				changed[r.IntN(len(changed))] = fmt.Sprint("other", r.IntN(5000))
			}
			cluster = append(cluster, fmt.Sprint("d", len(texts)))
			texts = append(texts, strings.Join(changed, " "))
		}
		clusters = append(clusters, cluster)
	}
	return append(texts, "... !"), clusters
}

func documents(texts []string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i, text := range texts {
			if !yield(&document.Document{ID: fmt.Append(nil, "d", i), Text: []byte(text)}, nil) {
				return
			}
		}
	}
}

func load(t testing.TB, texts []string, clusters [][]string, o LoadOptions) *Collection {
	t.Helper()
	if o.Settings.Bits == 0 {
		o.Settings = analysis.Classic()
	}
	o.Name, o.Distance = "generated", index.DefaultDistance
	c, err := Load(t.Context(), documents(texts), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if clusters != nil {
		var lines bytes.Buffer
		for _, cluster := range clusters {
			if err := json.NewEncoder(&lines).Encode(map[string]any{"cluster": cluster}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Judge(&lines); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// written returns a report with all that it says.
func written(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteBrief(&b, 0, ""); err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n%s\n%s\n", s.Title, strings.Join(s.Text, "\n"))
		for _, e := range s.Examples {
			fmt.Fprintf(&b, "%s %s\n", e.Title, e.About)
			for _, p := range e.Pairs {
				fmt.Fprintf(&b, "%+v\n", p)
			}
		}
	}
	return b.String()
}

// All figures but times must be the same in every run and for any number of threads. The page of the small
// collection is a golden file, so that a review sees a change of quality: go test ./eval -update.
func TestQualityIsAsItWas(t *testing.T) {
	t.Parallel()
	texts, clusters := generated()
	var pages []string
	for _, threads := range []int{1, 3} {
		c := load(t, texts, clusters, LoadOptions{Truth: "word:3", Threads: threads, Seed: 7})
		var untimed []Experiment
		for _, e := range Experiments() {
			if e.Usual {
				untimed = append(untimed, e)
			}
		}
		r, err := Run(t.Context(), c, untimed, nil)
		if err != nil {
			t.Fatal(err)
		}
		wanted, all := truth.Demands{Precision: 0.9}, allChoices(c, true)
		prints, _ := Recommend(all[:farthest+1], wanted)
		sets, _ := Recommend(all[farthest+1:], wanted)
		r.Sections = append(r.Sections, advice([]Choice{prints, sets}, wanted))
		pages = append(pages, written(t, r))
	}
	if pages[0] != pages[1] {
		t.Error("the report depends on the number of threads")
	}
	golden := filepath.Join("testdata", "quality.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(pages[0]), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != pages[0] {
		t.Errorf("quality has changed; run go test ./eval -update and review the difference in %s", golden)
	}
}

// The counts by distance must equal those of comparing all pairs one by one.
func TestDistancesEqualCounting(t *testing.T) {
	texts, clusters := generated()
	c := load(t, texts, clusters, LoadOptions{Truth: "word:3", Threads: 2})
	s, err := distances(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var found, right [farthest + 1]int
	near := 0
	for a := range uint32(c.Len()) {
		for b := a + 1; b < uint32(c.Len()); b++ {
			is, _ := c.Labels.Judge(a, b)
			if is {
				near++
			}
			if d := c.distance(a, b); d <= farthest && len(c.Sets[a]) > 0 && len(c.Sets[b]) > 0 {
				found[d]++
				if is {
					right[d]++
				}
			}
		}
	}
	labels := s.Tables[0]
	if want := fmt.Sprintf("Near in truth are pairs by their labels: %d", near); labels.Title != want {
		t.Errorf("%q, want %q", labels.Title, want)
	}
	allFound, allRight := 0, 0
	for k, row := range labels.Rows {
		allFound, allRight = allFound+found[k], allRight+right[k]
		if want := []any{k, allFound, allFound - allRight, near - allRight}; !slices.Equal(row[:4], want) {
			t.Errorf("%v, want %v", row[:4], want)
		}
	}
}

func TestEveryExperimentRuns(t *testing.T) {
	t.Parallel()
	texts, _ := generated()
	for name, some := range map[string][]string{"usual": texts, "one": texts[:1], "empty texts": {"...", "!"}, "two equal": {texts[0], texts[0]}} {
		c := load(t, some, nil, LoadOptions{Truth: "word:3", Threads: 2})
		experiments, err := FindExperiments([]string{"all"}, false)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), c, experiments, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b bytes.Buffer
		if err := errors.Join(r.WriteBrief(&b, 0, ""), r.WriteHTML(&b), r.WriteJSON(&b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FindExperiments([]string{"estimates", "guesses"}, false); err == nil || !strings.Contains(err.Error(), "guesses") {
		t.Errorf("an unknown experiment: %v", err)
	}
	if _, err := Load(t.Context(), documents(nil), LoadOptions{Settings: analysis.Classic()}); !errors.Is(err, ErrEmpty) {
		t.Errorf("no documents: %v", err)
	}
}

func TestRecommend(t *testing.T) {
	share := func(x float64) truth.Rate { return truth.NewRate(int(1000*x), 1000) }
	choice := func(name string, p, r, bytes float64) Choice {
		return Choice{Flags: name, Precision: share(p), Recall: share(r), F1: truth.F1(p, r), Bytes: bytes}
	}
	choices := []Choice{choice("sharp", 0.99, 0.6, 8), choice("balanced", 0.9, 0.9, 8), choice("dear", 0.9, 0.9, 500), choice("wide", 0.3, 0.99, 8)}
	for _, tt := range []struct {
		w    truth.Demands
		want string
		ok   bool
	}{
		{truth.Demands{}, "balanced", true}, {truth.Demands{Precision: 0.95}, "sharp", true}, {truth.Demands{Recall: 0.95}, "wide", true}, {truth.Demands{Precision: 0.95, Recall: 0.95}, "balanced", false},
	} {
		if got, ok := Recommend(choices, tt.w); got.Flags != tt.want || ok != tt.ok {
			t.Errorf("%+v: %s, %v, want %s, %v", tt.w, got.Flags, ok, tt.want, tt.ok)
		}
	}
	grouped := func(c Choice, p, r [2]float64, groups float64) Choice {
		c.Precision.Low, c.Precision.High, c.Precision.Groups = p[0], p[1], groups
		c.Recall.Low, c.Recall.High, c.Recall.Groups = r[0], r[1], groups
		return c
	}
	dear := grouped(choice("dear", 0.95, 0.9, 500), [2]float64{0.9, 1}, [2]float64{0.85, 0.95}, 30)
	for _, tt := range []struct {
		other Choice
		w     truth.Demands
		want  string
	}{
		{grouped(choice("cheap", 0.93, 0.87, 50), [2]float64{0.88, 0.96}, [2]float64{0.8, 0.9}, 30), truth.Demands{}, "cheap"},
		{grouped(choice("cheap", 0.93, 0.87, 50), [2]float64{0.88, 0.96}, [2]float64{0.8, 0.9}, 30), truth.Demands{Recall: 0.9}, "dear"},
		{grouped(choice("worse", 0.93, 0.7, 50), [2]float64{0.88, 0.96}, [2]float64{0.6, 0.8}, 30), truth.Demands{}, "dear"},
		{grouped(choice("few", 0.93, 0.87, 50), [2]float64{0, 1}, [2]float64{0, 1}, 2), truth.Demands{}, "dear"},
		{grouped(choice("dearer", 0.93, 0.87, 5000), [2]float64{0.88, 0.96}, [2]float64{0.8, 0.9}, 30), truth.Demands{}, "dear"},
	} {
		if got := cheapest([]Choice{dear, tt.other}, dear, true, tt.w); got.Flags != tt.want {
			t.Errorf("%s of %+v, want %s", got.Flags, tt.other, tt.want)
		}
	}
	if s := advice(nil, truth.Demands{}); len(s.Text) > 0 || len(s.Tables) > 0 {
		t.Errorf("advice without choices: %q", s.Text)
	}
	if s := advice([]Choice{{Flags: "--a"}, {Flags: "--a"}, {Flags: "--b"}}, truth.Demands{}); !strings.HasSuffix(s.Text[0], ": --a; --b.") || len(s.Tables) > 0 {
		t.Errorf("advice on what finds nothing: %q", s.Text)
	}
}
