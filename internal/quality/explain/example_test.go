package explain_test

import (
	"fmt"

	"simsearch/internal/features/analysis"
	"simsearch/internal/quality/explain"
)

func Example() {
	draft := []byte("the quick brown fox jumps over the lazy dog")
	final := []byte("the quick brown fox jumps over the sleeping dog")

	a, err := analysis.New(analysis.Default())
	if err != nil {
		panic(err)
	}
	x := explain.Text{ID: "draft", Text: draft}
	y := explain.Text{ID: "final", Text: final}
	c, err := explain.Compare(a, x, y, 3)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Distance, c.Jaccard.Exact, c.Heaviest)
	fmt.Println(c.Differing)
	// Output:
	// 9 0.7777777777777778 [{brown 1 1} {dog 1 1} {fox 1 1}]
	// [{lazy 1 0} {sleeping 0 1}]
}
