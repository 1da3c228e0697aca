package setjoin_test

import (
	"context"
	"fmt"
	"log"

	"simsearch/internal/match/prefix"
	"simsearch/internal/match/setjoin"
	"simsearch/internal/tests/testkit"
)

func Example() {
	ctx := context.Background()
	source := testkit.Lists{{1, 2, 3, 4, 5}, {6, 7}, {1, 2, 3, 4}}
	yield := func(pairs []setjoin.Pair) error {
		for _, p := range pairs {
			fmt.Printf("sets %d and %d share %d features\n", p.A, p.B, p.Shared)
		}
		return nil
	}
	sets, err := prefix.Collect(ctx, source, prefix.Options{})
	if err != nil {
		log.Fatal(err)
	}
	err = setjoin.Pairs(ctx, sets, 0.8, setjoin.Options{Threads: 2}, yield)
	if err != nil {
		log.Fatal(err)
	}
	// Output: sets 0 and 2 share 4 features
}
