package idf_test

import (
	"fmt"

	"simsearch/idf"
)

func Example() {
	hashes := []uint64{1, 2}
	var l idf.Learner
	l.Add(hashes) // the distinct features of a document, for each document
	m := l.Model()
	weights, err := m.Weights(nil, hashes)
	fmt.Println(weights[0] == idf.One, weights[1] == idf.One, err)
	// Output:
	// true true <nil>
}
