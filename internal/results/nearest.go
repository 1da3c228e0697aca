package results

import (
	"context"
	"fmt"
	"math"

	"simsearch/index"
	"simsearch/internal/terminal"
)

// For so many documents the nearest is looked for among all sets, and for so many among all fingerprints. It
// takes some 10 ms.
const scanDocuments, scanFingerprints = 60_000, 1 << 20

// NearestInstead says in a line which document of ix is nearest to a query that has no match. Documents that
// are the query itself do not count. It returns "" if finding out would take long.
func (n Nearness) NearestInstead(ctx context.Context, ix *index.Snapshot, q index.Query, isQuery func(doc uint32) bool) (string, error) {
	bySets := n.BySets()
	want := terminal.Plural(n.Distance, "bit")
	if bySets {
		want = fmt.Sprintf("a Jaccard similarity of %v", n.Threshold)
	}
	if ix.Len() > map[bool]int{false: scanFingerprints, true: scanDocuments}[bySets] {
		return "", nil
	}
	a, err := ix.Near(ctx, q, index.Options{Predicate: n.Predicate, Nearest: 2})
	if err != nil {
		return "", err
	}
	for _, m := range a.Matches {
		if isQuery(m.Document) {
			continue
		}
		id := terminal.Plain(string(m.ID))
		if bySets && m.Jaccard >= n.Threshold {
			return fmt.Sprintf("the bands find nothing within %s, and miss %s with %s; --recall 1 misses nothing", want, id, roundedDown(m.Jaccard)), nil
		}
		if bySets {
			return fmt.Sprintf("nothing within %s; the nearest is %s with %s", want, id, roundedDown(m.Jaccard)), nil
		}
		return fmt.Sprintf("nothing within %s; the nearest is %s with %d", want, id, m.Distance), nil
	}
	if bySets {
		return fmt.Sprintf("nothing within %s; no document shares anything with the query", want), nil
	}
	return "", nil
}

// roundedDown returns a similarity of more than 0 with two digits, which are not above it: 0.8 is not said of
// what is not within 0.8.
func roundedDown(jaccard float64) string {
	if jaccard < 0.01 {
		return "less than 0.01"
	}
	return fmt.Sprintf("%.2f", math.Floor(100*jaccard)/100)
}
