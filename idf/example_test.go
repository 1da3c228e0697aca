package idf_test

import (
	"context"
	"fmt"

	"simsearch/idf"
)

func Example() {
	hashes := []uint64{1, 2}
	ctx := context.Background()
	var l idf.Learner
	defer l.Close()
	err := l.Add(hashes) // the distinct features of a document, for each document
	m, err := l.Model(ctx)
	weights, err := m.Weights(nil, hashes)
	fmt.Println(weights[0] == idf.One, weights[1] == idf.One, err)
	// Output:
	// true true <nil>
}
