package dedup

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"simsearch/internal/clean/run"
)

// Preferred sources keep their documents, as comparing each document with each says. Options.Keep decides among the
// documents of equally preferred ones.
func TestPrefer(t *testing.T) {
	for seed := range uint64(3) {
		all := texts(rand.New(rand.NewPCG(seed, 10)), 240)
		sets := setsOf(t, all)
		names := []string{"crawl/a.jsonl", "crawl/wiki/b.jsonl", "good/c.jsonl", "wiki/d.jsonl"}
		lines := map[string][]string{}
		for i, text := range all {
			name := names[4*i/len(all)]
			lines[name] = append(lines[name], fmt.Sprintf(`{"id":"d%d","text":%q}`, i, text))
		}
		files := map[string]string{}
		for name, of := range lines {
			files[name] = joined(of)
		}
		dir := writeFiles(t, files)
		t.Chdir(dir)
		for _, test := range []struct {
			prefer []string
			ranks  [4]int // of names
		}{
			{[]string{"good", "wiki"}, [4]int{2, 2, 0, 1}}, {[]string{"w*ki", "*.jsonl"}, [4]int{1, 0, 1, 0}},
			{[]string{"crawl/*.jsonl", "./crawl/"}, [4]int{0, 1, 2, 2}}, {[]string{filepath.Join(dir, "wiki", "d.jsonl")}, [4]int{1, 1, 1, 0}},
			{[]string{filepath.ToSlash(dir) + "/**/c.jsonl", "wiki/?.jsonl"}, [4]int{2, 1, 0, 1}}, {nil, [4]int{}},
		} {
			var documents []plainDocument
			for i, text := range all {
				documents = append(documents, plainDocument{sets[i], equal(sets[i]), []int{test.ranks[4*i/len(all)], -len(text)}})
			}
			o := options()
			o.Prefer = test.prefer
			got, _ := ran(t, nil, []string{"."}, o)
			checkKept(t, fmt.Sprintf("seed %d, %q", seed, test.prefer), got[run.RemovedName], documents, o.Threshold)
		}
		for _, prefer := range []string{"wikki", "wiki/*.json", "[", ""} {
			o := options()
			o.Prefer = []string{prefer}
			if c, err := Read(t.Context(), nil, []string{"."}, o); err == nil {
				t.Errorf("%q is preferred", prefer)
				_ = c.Close()
			}
		}
	}
}
