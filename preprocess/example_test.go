package preprocess_test

import (
	"fmt"

	"simsearch/preprocess"
)

func Example() {
	a, err := preprocess.New(preprocess.Options{Language: "en"})
	if err != nil {
		panic(err)
	}
	var doc preprocess.Document
	a.Analyze(&doc, []byte("The quick brown fox"))
	for i := range doc.Len() {
		fmt.Printf("%s\n", doc.Feature(i)) // quick, brown, fox
	}
	// Output:
	// quick
	// brown
	// fox
}
