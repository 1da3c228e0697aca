package keptsets_test

import (
	"context"
	"fmt"
	"log"

	"simsearch/internal/clean/keptsets"
	"simsearch/internal/ground/disk"
)

func Example() {
	ctx, fsys := context.Background(), disk.NewMemory()
	sets := func(yield func(keptsets.Set, error) bool) {
		for _, features := range [][]uint64{{1, 2, 3, 4}, {7, 8, 9}, {1, 2, 3, 4, 5}} {
			if !yield(keptsets.Set{Features: features}, nil) {
				return
			}
		}
	}
	err := keptsets.Write(ctx, fsys, "sets-01", nil, sets, keptsets.Options{Threads: 2})
	if err != nil {
		log.Fatal(err)
	}
	kept, err := keptsets.Open(fsys, []string{"sets-01"}, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer kept.Close()
	pairs, err := kept.Near(ctx, 2, 0.8, 10, keptsets.Options{Threads: 2})
	fmt.Println(pairs, err)
	// Output:
	// [{0 2 0.8}] <nil>
}
