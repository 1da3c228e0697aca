package explain_test

import (
	"fmt"

	"simsearch/explain"
	"simsearch/preprocess"
)

func Example() {
	analyzer, err := preprocess.New(preprocess.Options{})
	if err != nil {
		panic(err)
	}
	var docA, docB preprocess.Document
	analyzer.Analyze(&docA, []byte("one two two"))
	analyzer.Analyze(&docB, []byte("two one one"))
	a := explain.Count(&docA) // a *preprocess.Document
	b := explain.Count(&docB)
	fmt.Println(explain.Cosine(a, b), explain.Jaccard(a, b))
	// Output:
	// 0.8 1
}
