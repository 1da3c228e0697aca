package dedup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/ints"
)

// A plainDocument is what the plain way to decide knows of a document.
type plainDocument struct {
	set    []uint64 // of what remains; empty: nothing remains
	equal  string   // documents with the same have the same words
	before []int    // documents with lesser values are kept
}

// plainly compares each document with each, and returns the number of the one that is kept in place of each.
// Documents of equal words count as one. They are taken in the order in which they are kept; one that is near none
// that is kept before it is kept, too, and otherwise it is removed for the nearest of these.
func plainly(documents []plainDocument, threshold float64) []int {
	order := make([]int, len(documents))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(documents[a].before, documents[b].before) })
	kept, of := make([]int, len(documents)), map[string]int{}
	var centers []int
	for _, i := range order {
		d := documents[i]
		if d.equal == "" {
			kept[i] = i
			continue
		}
		center, known := of[d.equal]
		if !known {
			center = i
			best := 0.0
			for _, other := range centers {
				if s := ints.Jaccard(d.set, documents[other].set); len(d.set) > 0 && s >= threshold && s > best {
					best, center = s, other
				}
			}
			of[d.equal] = center
			if center == i {
				centers = append(centers, i)
			}
		}
		kept[i] = center
	}
	return kept
}

// equal returns what equal sets have in common.
func equal(set []uint64) string {
	if len(set) == 0 {
		return ""
	}
	return fmt.Sprint(set)
}

// checkKept compares what is listed as removed with what the plain way decides. Documents are called d0, d1 and so on.
func checkKept(t *testing.T, what, list string, documents []plainDocument, threshold float64) {
	t.Helper()
	want, got := map[string]string{}, map[string]string{}
	for i, kept := range plainly(documents, threshold) {
		if kept != i {
			want[fmt.Sprintf("d%d", i)] = fmt.Sprintf("d%d %v", kept, similarityOf(documents[i], documents[kept]))
		}
	}
	for _, row := range rowsOf[removedRow](t, list) {
		got[row.ID] = fmt.Sprintf("%s %v", row.KeptID, row.Similarity)
	}
	for id := range want {
		if got[id] != want[id] {
			t.Errorf("%s: %s is removed for %q, want %q", what, id, got[id], want[id])
		}
	}
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d documents are removed, want %d", what, len(got), len(want))
	}
}

func similarityOf(a, b plainDocument) float64 {
	if a.equal == b.equal {
		return 1
	}
	return ints.Jaccard(a.set, b.set)
}

// writeFiles writes files below a new directory, and returns that.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// joined returns lines of JSON.
func joined(lines []string) string { return strings.Join(lines, "\n") + "\n" }
