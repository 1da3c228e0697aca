// Papers repeats on a collection what papers measured of baselines: random hyperplanes beside fingerprints, and
// tables by rotations of blocks and by random permutations beside designs that miss nothing. It prints a report.
//
//	go run ./papers out/dev/react-native-docs/docs.jsonl
package main

import (
	"context"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"

	"simsearch/bench/documents"
	"simsearch/bench/markdown"
	"simsearch/eval"
	"simsearch/internal/features/analysis"
	"simsearch/internal/quality/report"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("papers: ")
	if len(os.Args) != 2 {
		log.Fatal("want a file of JSON Lines")
	}
	r, err := run(context.Background(), os.Args[1])
	if err == nil {
		err = markdown.Write(os.Stdout, r, 1, markdown.NoPlots)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, path string) (*report.Report, error) {
	c, err := eval.Load(ctx, documents.Read(path), eval.LoadOptions{Name: path, Settings: analysis.Classic(), Truth: "word:3", Threads: runtime.NumCPU()})
	if err == nil {
		err = c.Weigh(ctx)
	}
	if err != nil {
		return nil, err
	}
	r := &report.Report{Version: 1, Title: "What papers measured, on " + path, Warnings: []string{}, Sections: []*report.Section{hyperplanes(c, pairsOf(c))}}
	found, err := blocks(ctx, c)
	if err != nil {
		return nil, err
	}
	r.Sections = append(r.Sections, found)
	return r, c.Close()
}

// mostPairs limits the pairs of each kind that are compared, and the fingerprints that are joined.
const mostPairs = 20_000

// pairsOf returns pairs of documents with features: similar ones, and others drawn at random.
func pairsOf(c *eval.Collection) (pairs [][2]uint32) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, at := range r.Perm(len(c.Truth.All))[:min(len(c.Truth.All), mostPairs)] {
		pairs = append(pairs, [2]uint32{c.Truth.All[at].A, c.Truth.All[at].B})
	}
	for range mostPairs {
		if a, b := r.Uint32N(uint32(c.Len())), r.Uint32N(uint32(c.Len())); a != b {
			pairs = append(pairs, [2]uint32{a, b})
		}
	}
	return slices.DeleteFunc(pairs, func(p [2]uint32) bool { return len(c.Sets[p[0]]) == 0 || len(c.Sets[p[1]]) == 0 })
}
