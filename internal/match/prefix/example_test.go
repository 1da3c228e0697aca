package prefix_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"simsearch/internal/ground/section"
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
	var file bytes.Buffer
	w := section.NewWriter(&file)
	err := prefix.Write(ctx, w, source, 0.8, prefix.Options{})
	if _, _, closeErr := w.Close(); err != nil || closeErr != nil {
		log.Fatal(err, closeErr)
	}
	f, err := section.Parse("", file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	sets := prefix.Load(f, uint64(len(source)))
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
