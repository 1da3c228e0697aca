package prefix_test

import (
	"context"
	"fmt"
	"log"

	"simsearch/internal/match/prefix"
)

// texts are sets of features in memory.
type texts [][]uint64

func (t texts) Len() int { return len(t) }

func (t texts) Features() (n uint64) {
	for _, set := range t {
		n += uint64(len(set))
	}
	return n
}

func (t texts) Scan(do func([]uint64) error) error {
	for _, set := range t {
		if err := do(set); err != nil {
			return err
		}
	}
	return nil
}

func Example() {
	ctx := context.Background()
	source := texts{{1, 2, 3, 4, 5}, {6, 7}, {1, 2, 3, 4}}
	sets, err := prefix.Collect(ctx, source, 0.8, prefix.Options{})
	if err != nil {
		log.Fatal(err)
	}
	query := []uint64{1, 2, 3, 5}
	found, err := sets.Near(ctx, nil, query, 0.8, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found {
		fmt.Printf("set %d: %.2f\n", m.Set, m.By(prefix.Jaccard, len(query)))
	}
	// Output:
	// set 0: 0.80
}
