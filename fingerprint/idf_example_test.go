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
	defer l.Close()
	err := l.Add(hashes) // the distinct features of a document, for each document
	m, err := l.IDF(ctx)
	weights, err := m.Weights(nil, hashes)
	fmt.Println(weights[0] == fingerprint.WeightOne, weights[1] == fingerprint.WeightOne, err)
	// Output:
	// true true <nil>
}
