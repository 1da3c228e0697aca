package dedup

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// All files come out the same in whatever order the inputs are named, but for those who ask for the first documents.
func TestOrderOfFilesDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	files := map[string]string{}
	for _, name := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
		var b strings.Builder
		for doc := range 60 { // texts of the same length, near several others
			words := strings.Fields(strings.Repeat("alpha bravo gamma delta omega sigma ", 5))
			for range rng.IntN(4) {
				words[rng.IntN(len(words))] = fmt.Sprintf("w%04d", rng.IntN(12))[:5]
			}
			fmt.Fprintf(&b, "{\"id\":\"%s%d\",\"text\":%q}\n", name[:1], doc, strings.Join(words, " "))
		}
		files[name] = b.String()
	}
	t.Chdir(writeFiles(t, files))
	for _, way := range []Way{Longest, First} {
		for _, chain := range []bool{false, true} {
			o := options()
			o.Keep.Way, o.Chain = way, chain
			want, result := ran(t, nil, []string{"a.jsonl", "b.jsonl", "c.jsonl"}, o)
			got, _ := ran(t, nil, []string{"c.jsonl", "a.jsonl", "b.jsonl"}, o)
			if result.Removed == 0 || maps.Equal(got, want) != (way == Longest) {
				t.Errorf("keep %v, chain %v: %d removed; the other order gives the same: %v", way, chain, result.Removed, maps.Equal(got, want))
			}
		}
	}
}
