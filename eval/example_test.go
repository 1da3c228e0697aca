package eval_test

import (
	"fmt"

	"simsearch/eval"
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
	a := eval.Count(&docA) // a *preprocess.Document
	b := eval.Count(&docB)
	fmt.Println(eval.Cosine(a, b), eval.Jaccard(a, b))
	// Output:
	// 0.8 1
}
