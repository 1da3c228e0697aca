package simsearch_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"

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

var ctx = context.Background()

// must ends an example that fails.
func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// library returns an index of three notices.
func library() *simsearch.Index {
	ix, err := simsearch.Memory()
	must(err)
	must(ix.Add(ctx,
		simsearch.Document{ID: "hours", Text: "The library opens at nine and closes at noon. Books are returned at the desk."},
		simsearch.Document{ID: "new hours", Text: "The library opens at ten and closes at noon. Books are returned at the desk."},
		simsearch.Document{ID: "tour", Text: "A walk along the river, with a guide."},
	))
	return ix
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(dir)

	ix, err := simsearch.Open(dir) // and so it is opened the next time, too
	must(err)
	must(ix.Add(ctx, simsearch.Document{ID: "hours", Text: "The library opens at nine."})) // it is on the disk now
	must(ix.Close())

	ix, err = simsearch.Open(dir)
	must(err)
	defer ix.Close()
	d, err := ix.Get("hours")
	must(err)
	fmt.Println(d.Text)
	// Output: The library opens at nine.
}

func ExampleSettings() {
	ix, err := simsearch.Settings{Features: "word:3", Near: simsearch.Jaccard(0.5), Fields: []string{"url"}}.Memory()
	must(err)
	defer ix.Close()
	must(ix.Add(ctx, simsearch.Document{ID: "1", Text: "The library opens at nine and closes at noon.", Fields: map[string]string{"url": "/hours"}}))
	matches, err := ix.Near(ctx, "The library opens at nine and closes at six.", simsearch.Options{})
	must(err)
	fmt.Println(matches[0].Fields["url"], matches[0].Jaccard)
	// Output: /hours 0.75
}

func ExampleIndex_AddAll() {
	ix, err := simsearch.Memory()
	must(err)
	defer ix.Close()
	notices := map[string]string{"a": "The library opens at nine.", "b": "The boat calls on Friday."}
	err = ix.AddAll(ctx, func(yield func(simsearch.Document, error) bool) { // one at a time, however many there are
		for _, id := range slices.Sorted(maps.Keys(notices)) {
			if !yield(simsearch.Document{ID: id, Text: notices[id]}, nil) {
				return
			}
		}
	})
	must(err)
	fmt.Println(ix.Len())
	// Output: 2 <nil>
}

func ExampleIndex_Near() {
	ix := library()
	defer ix.Close()
	matches, err := ix.Near(ctx, "The library opens at ten and closes at noon. Books are returned at the desk!", simsearch.Options{Limit: 2})
	must(err)
	for _, m := range matches {
		fmt.Printf("%s %.2f\n", m.ID, m.Jaccard)
	}
	// Output:
	// new hours 1.00
	// hours 0.85
}

func ExampleIndex_NearID() {
	ix := library()
	defer ix.Close()
	matches, err := ix.NearID(ctx, "hours", simsearch.Options{})
	must(err)
	for _, m := range matches {
		fmt.Println(m.ID)
	}
	// Output: new hours
}

func ExampleIndex_NearFingerprint() {
	ix := library()
	defer ix.Close()
	fp, err := simsearch.Fingerprint("A walk along the river with a guide")
	must(err)
	matches, err := ix.NearFingerprint(ctx, fp, simsearch.Options{Near: simsearch.Hamming(3)})
	must(err)
	fmt.Println(matches[0].ID, matches[0].Distance)
	// Output: tour 0
}

func ExampleContained() {
	ix := library()
	defer ix.Close()
	matches, err := ix.Near(ctx, "books are returned at the desk", simsearch.Options{Near: simsearch.Contained(1)})
	must(err)
	for _, m := range matches {
		fmt.Println(m.ID, m.Contained)
	}
	// Output:
	// hours 1
	// new hours 1
}

func ExampleIndex_CheckAndAdd() {
	ix := library()
	defer ix.Close()
	for _, text := range []string{"The walk along the river, with a guide.", "The boat calls on Friday."} {
		added, match, err := ix.CheckAndAdd(ctx, simsearch.Document{ID: "it", Text: text}, simsearch.Options{})
		must(err)
		fmt.Printf("%t %q\n", added, match.ID)
	}
	// Output:
	// false "tour"
	// true ""
}

func ExampleIndex_Pairs() {
	ix := library()
	defer ix.Close()
	for pair, err := range ix.Pairs(ctx, simsearch.Options{}) {
		must(err)
		fmt.Printf("%s, %s: %.2f\n", pair.A, pair.B, pair.Jaccard)
	}
	// Output: hours, new hours: 0.85
}

func ExampleIndex_Groups() {
	ix := library()
	defer ix.Close()
	for group, err := range ix.Groups(ctx, simsearch.Options{}) {
		must(err)
		fmt.Printf("%q\n", group.IDs)
	}
	// Output: ["hours" "new hours"]
}

func ExampleIndex_Passages() {
	ix := library()
	defer ix.Close()
	shared := "the harbour was built by the town in the year of the great storm, when the old pier was lost, and since then boats have called here " +
		"three times a week, in summer every day, with bread, letters and guests, and have taken fish and wool to the market on the other shore"
	must(ix.Add(ctx, simsearch.Document{ID: "history", Text: "A history: " + shared + "."}))
	quotes, err := ix.Passages(ctx, "I have written that "+shared+", and nobody knew it.", simsearch.Options{})
	must(err)
	for _, q := range quotes {
		fmt.Printf("%s: %d words\n", q.ID, q.Passages[0].Words)
	}
	// Output: history: 53 words
}

func ExampleIndex_Delete() {
	ix := library()
	defer ix.Close()
	fmt.Println(ix.Delete(ctx, "tour", "nowhere"))
	// Output: 1 <nil>
}

func ExampleDedup() {
	texts := []string{"The library opens at nine.", "A walk along the river", "the library opens at nine"}
	decisions, err := simsearch.Dedup(ctx, func(yield func(simsearch.Document, error) bool) {
		for _, text := range texts {
			if !yield(simsearch.Document{Text: text}, nil) {
				return
			}
		}
	}, simsearch.DedupOptions{})
	must(err)
	for i, d := range decisions {
		if d.For != i {
			fmt.Printf("%d is near %d, which is kept: %.2f\n", i, d.For, d.Jaccard)
		}
	}
	// Output: 2 is near 0, which is kept: 1.00
}

func ExampleCompare() {
	c, err := simsearch.Compare("The library opens at nine.", "The library opens at nine on Sunday.")
	must(err)
	fmt.Printf("%.2f of all words, %.0f %% of the first text\n", c.Jaccard, 100*c.AInB)
	// Output: 0.71 of all words, 100 % of the first text
}
