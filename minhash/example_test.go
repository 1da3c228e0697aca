package minhash_test

import (
	"fmt"
	"math"

	"simsearch/minhash"
)

func Example() {
	elementsA, elementsB := []uint64{1, 2, 3, 4, 5}, []uint64{1, 3, 4}
	s := minhash.DefaultVariant.New(128, 0)
	a := s.Sketch(nil, elementsA)
	b := s.Sketch(nil, elementsB)
	j := s.Jaccard(a, b) // give or take minhash.StandardError(j, 128)
	fmt.Println(math.Abs(j-0.6) < 4*minhash.StandardError(0.6, 128))
	// Output:
	// true
}
