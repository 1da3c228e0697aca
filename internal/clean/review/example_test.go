package review_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"simsearch/internal/clean/review"
)

func Example() {
	candidates := []review.Candidate{{Similarity: 0.81, Group: 1, Pair: 2}, {Similarity: 0.97, Group: 3, Pair: 4}, {Similarity: 0.98, Group: 5, Pair: 6}}
	sample := review.Sample{Command: "simsearch dedup", Population: review.Population{What: "removals", Same: 7}}
	var chosen []review.Candidate
	sample.Strata, chosen = review.Choose(candidates, 60)
	fmt.Println(len(chosen), "of", sample.All(), "in", len(sample.Strata), "strata")

	marks, err := review.ReadMarks(strings.NewReader(saved(sample)))
	fmt.Println(marks.Result(), err)
	// Output:
	// 3 of 10 in 2 strata
	// of the removals 90.0 % (90.0 to 90.0) were right, of those with other texts 66.7 % (66.7 to 66.7) (3 marked, 2 right and 1 wrong) <nil>
}

// saved returns what the page saves when the first pair is marked as wrong, and the others as right.
func saved(s review.Sample) string {
	marks := review.Marks{V: 1, Population: s.Population, Marks: []review.Mark{{ID: "b", KeptID: "a", Mark: "wrong"}, {ID: "d", KeptID: "c", Stratum: 1, Mark: "right"}, {ID: "f", KeptID: "e", Stratum: 1, Mark: "right"}}}
	data, err := json.Marshal(marks)
	if err != nil {
		panic(err)
	}
	return string(data)
}
