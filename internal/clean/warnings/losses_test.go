package warnings

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Sources are files, or directories if there are many files. Nothing is counted twice or lost.
func TestSources(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 11))
		var files []Source
		var total Source
		for i := range 1 + rng.IntN(1500) {
			path := "/data/"
			for range rng.IntN(4) {
				path += fmt.Sprintf("%d/", rng.IntN(2+int(seed)))
			}
			f := Source{Path: fmt.Sprintf("%sf%d", path, i), Documents: rng.IntN(40), Removed: rng.IntN(40), Exact: rng.IntN(40), Near: rng.IntN(40), Bad: rng.IntN(2)}
			files = append(files, f)
			addSource(&total, f)
		}
		sources, within := Sources(files)
		var sum Source
		counts := make([]Source, len(sources))
		for i, f := range files {
			addSource(&counts[within[i]], f)
		}
		for i, s := range sources {
			addSource(&sum, s)
			counts[i].Path = s.Path
			if counts[i] != s {
				t.Errorf("seed %d: %+v, but the files have %+v", seed, s, counts[i])
			}
		}
		if sum != total || len(sources) > mostSources || len(files) > 200 && len(sources) < 5 {
			t.Errorf("seed %d: %d sources of %d files, %+v in all, want %+v", seed, len(sources), len(files), sum, total)
		}
	}
}

// What a source is depends on how files lie.
func TestSourcesOfManyFiles(t *testing.T) {
	flat := func(n, documents int, pattern string) (files []Source) {
		for i := range n {
			files = append(files, Source{Path: fmt.Sprintf(pattern, i), Documents: documents})
		}
		return files
	}
	for _, test := range []struct {
		name  string
		files []Source
		want  int
		first string
	}{
		{"few", flat(100, 2, "a/%d"), 100, "a/0"},
		{"few of one document", flat(10, 1, "a/%d"), 10, "a/0"},
		{"some of one document", append(flat(11, 1, "in/a/%d"), flat(3, 1, "in/b/%d")...), 2, "in/a/"},
		{"many small ones in a directory", flat(101, 1, "a/%d"), 1, "a/"},
		{"many large ones in a directory", flat(500, 1000, "a/%d"), 1, "a/"},
		{"two directories", append(flat(500, 1000, "in/a/%d"), flat(50, 1, "in/b/%d")...), 2, "in/a/"},
		{"many directories", flat(500, 1000, "in/%d/x.jsonl"), 1, "in/"},
	} {
		if got, _ := Sources(test.files); len(got) != test.want || got[0].Path != test.first {
			t.Errorf("%s: %d sources, the first is %s", test.name, len(got), got[0].Path)
		}
	}
	files := flat(300, 5, "in/a/%d")
	for i := range files {
		files[i].Removed = 5
	}
	files = append(files, flat(1, 20, "in/b/%d")...)
	sources, within := Sources(files)
	if got := Sentences(files, sources, within, "loses"); len(got) != 1 || got[0] != "in/a/ loses 1,500 of its 1,500 documents." {
		t.Errorf("%q", got)
	}
	files = flat(60, 10, "in/a/%d")
	for i := range files {
		files[i].Removed = 10
	}
	sources, within = Sources(files)
	if got := Sentences(files, sources, within, "loses"); len(got) != 6 || got[5] != "55 more sources lose more than 90 % of their documents." {
		t.Errorf("%q", got)
	}
}
