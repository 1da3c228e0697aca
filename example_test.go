package simsearch_test

import (
	"context"
	"fmt"
	"log"

	"simsearch"
)

func Example() {
	ctx := context.Background()
	ix, err := simsearch.Memory()
	if err != nil {
		log.Fatal(err)
	}
	defer ix.Close()
	err = ix.Add(ctx,
		simsearch.Document{ID: "hours", Text: "The library opens at nine and closes at noon."},
		simsearch.Document{ID: "tour", Text: "A walk along the river, with a guide."},
	)
	if err != nil {
		log.Fatal(err)
	}
	matches, err := ix.Near(ctx, "The library opens at nine, and closes at six.", simsearch.Options{Near: simsearch.Jaccard(0.7)})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range matches {
		fmt.Printf("%s: Jaccard similarity %.2f\n", m.ID, m.Jaccard)
	}
	// Output: hours: Jaccard similarity 0.78
}
