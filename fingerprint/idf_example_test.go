package fingerprint_test

import (
	"context"
	"fmt"

	"simsearch/fingerprint"
)

func ExampleIDFLearner() {
	hashes := []uint64{1, 2}
	ctx := context.Background()
	var l fingerprint.IDFLearner
	defer func() { _ = l.Close() }()
	if err := l.Add(hashes); err != nil { // the distinct features of a document, for each document
		panic(err)
	}
	m, err := l.IDF(ctx)
	if err != nil {
		panic(err)
	}
	weights, err := m.Weights(nil, hashes)
	fmt.Println(weights[0] == fingerprint.WeightOne, weights[1] == fingerprint.WeightOne, err)
	// Output:
	// true true <nil>
}
