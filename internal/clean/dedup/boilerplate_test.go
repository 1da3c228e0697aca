package dedup

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
)

// withBoilerplate returns texts with words of some menus, and some that are nothing else.
func withBoilerplate(rng *rand.Rand, n int) []string {
	all := texts(rng, n)
	for i := range all {
		for word := range 12 {
			if rng.IntN(12) > word {
				all[i] += fmt.Sprintf(" menu%d", word)
			}
		}
	}
	for i := range 12 {
		all[rng.IntN(n)] = fmt.Sprintf("menu0 Menu%d menu1", i/3)
	}
	return all
}

// remains returns what the plain way leaves of sets: without features of ignored, and without those that more documents
// have, where documents with equal sets count once.
func remains(sets [][]uint64, ignored []uint64, most float64) (documents []plainDocument, emptied int) {
	distinct := map[string][]uint64{}
	for _, set := range sets {
		if len(set) > 0 {
			distinct[equal(set)] = set
		}
	}
	count := map[uint64]int{}
	for _, set := range distinct {
		for _, f := range set {
			count[f]++
		}
	}
	if most < 1 {
		most *= float64(len(distinct))
	}
	for _, set := range sets {
		var rest []uint64
		for _, f := range set {
			if !slices.Contains(ignored, f) && (most == 0 || float64(count[f]) <= most) {
				rest = append(rest, f)
			}
		}
		d := plainDocument{set: rest, equal: equal(rest)}
		if len(rest) == 0 && len(set) > 0 {
			emptied++
			d.equal = "nothing of " + equal(set)
		}
		documents = append(documents, d)
	}
	return documents, emptied
}

// What is left out is what comparing each remaining set with each finds, for any threads and memory.
func TestLeaveOut(t *testing.T) {
	for seed := range uint64(3) {
		all := withBoilerplate(rand.New(rand.NewPCG(seed, 12)), 300)
		sets := setsOf(t, all)
		dir := files(t, all)
		ignore := filepath.Join(t.TempDir(), "ignore.txt")
		if err := os.WriteFile(ignore, []byte("\ufeffMenu0, menu1!\r\n\n"+all[7]+"\nmenu2"), 0o666); err != nil {
			t.Fatal(err)
		}
		ignored := slices.Concat(setsOf(t, []string{"menu0 menu1 menu2", all[7]})...)
		for _, test := range []struct {
			most   float64
			ignore string
		}{{0.3, ""}, {0.05, ""}, {40, ""}, {2, ""}, {0, ignore}, {0.5, ignore}, {0.999, ""}} {
			var out []uint64
			if test.ignore != "" {
				out = ignored
			}
			documents, emptied := remains(sets, out, test.most)
			for i, text := range all {
				documents[i].before = []int{-len(text)}
			}
			name := fmt.Sprintf("seed %d, at most %v, ignore %q", seed, test.most, filepath.Base(test.ignore))
			o := options()
			o.MaxDF, o.Ignore = test.most, test.ignore
			got, result := ran(t, nil, []string{dir}, o)
			checkKept(t, name, got[run.RemovedName], documents, o.Threshold)
			o.Threads, o.Memory = 1, 1<<20
			if again, _ := ran(t, nil, []string{dir}, o); fmt.Sprint(again) != fmt.Sprint(got) {
				t.Errorf("%s: other files on one thread", name)
			}
			told := slices.ContainsFunc(result.Warnings, func(w string) bool { return strings.Contains(w, "nothing left to compare") })
			if want := float64(emptied) > manyEmptied*float64(len(all)); told != want {
				t.Errorf("%s: %d documents have nothing left: %q", name, emptied, result.Warnings)
			}
		}
	}
}

// Texts that differ in nothing else than boilerplate become equal, in components, too. A template makes no component
// any more. Where nothing is left, documents with other words stay apart.
func TestLeaveOutOfTemplates(t *testing.T) {
	var all []string
	menu := "home about contact imprint terms privacy help login register search newsletter archive jobs press"
	for i := range 50 {
		all = append(all, fmt.Sprintf("%s story%d", menu, i))
	}
	words := strings.Fields(menu)
	all = append(all, "one two three", "one two three "+strings.Join(words[:7], " "), strings.Join(words[:6], " "), strings.Join(words[:7], " "), strings.Join(words[:6], " "))
	dir := files(t, all)
	for _, chain := range []bool{false, true} {
		o := options()
		o.Chain = chain
		if _, result := ran(t, nil, []string{dir}, o); result.LargestGroup < 50 {
			t.Errorf("chain %v: the largest group has %d documents, want a template", chain, result.LargestGroup)
		}
		o.MaxDF = 0.5
		got, result := ran(t, nil, []string{dir}, o)
		rows := rowsOf[removedRow](t, got[run.RemovedName])
		if len(rows) != 2 || rows[0].ID != "d50" || rows[0].KeptID != "d51" || rows[0].Similarity != 1 || rows[1].ID != "d54" || rows[1].KeptID != "d52" {
			t.Errorf("chain %v: %+v", chain, rows)
		}
		if result.Exact != 1 || !strings.Contains(got[run.ReportName], `"value": "0.5: 14 features that more than 27 different documents have"`) {
			t.Errorf("chain %v: %d exact copies, %s", chain, result.Exact, got[run.ReportName])
		}
	}
}

// A blank line among the texts to ignore is none: empty texts are compared.
func TestBlankLinesAreNotIgnored(t *testing.T) {
	dir := writeFiles(t, map[string]string{"ignore.txt": "\n \none\n---\r\n\r\n"})
	a, err := analysis.New(DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if features, _, err := readIgnored(t.Context(), a, filepath.Join(dir, "ignore.txt")); err != nil || len(features) != 2 {
		t.Errorf("%x, %v", features, err)
	}
}

func TestLeaveOutErrors(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.jsonl": `{"text":"one two"}`, "bytes": "a\x00b"})
	for _, most := range []float64{-1, 1, 1.5, 1e12} {
		o := options()
		o.MaxDF = most
		if _, err := Read(t.Context(), nil, []string{filepath.Join(dir, "a.jsonl")}, o); err == nil {
			t.Errorf("at most %v", most)
		}
	}
	for _, name := range []string{"absent", "bytes"} {
		o := options()
		o.Ignore = filepath.Join(dir, name)
		if _, err := Read(t.Context(), nil, []string{filepath.Join(dir, "a.jsonl")}, o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
