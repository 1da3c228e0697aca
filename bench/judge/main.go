// Judge makes the weights of package judge from labelled collections and from edits that it makes itself, and the
// page that explains them:
//
//	go run ./judge out/dev ../internal/match/judge/weights.json ../docs/measured
//
// Both files are the same in each run, but for the line on the machine.
package main

import (
	"bytes"
	"context"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/bench/labelled"
	"simsearch/bench/markdown"
	"simsearch/internal/index"
	"simsearch/internal/match/judge"
	"simsearch/internal/quality/truth"
)

// version numbers the weights. A change of the weights after a release changes it.
const version = 1

// mostOriginals is the number of texts that a collection of copies is made of.
const mostOriginals = 1000

// The generators of copies.
const (
	none = iota // labels of people or by provenance
	first
	second
	twins  // short texts with twins that have other numbers and names
	unseen // not in training
)

var prefixes = [...]string{second: "second: ", unseen: "unseen: "}

// families are collections of one kind, which are left out of training together.
var families = map[string][]string{
	"records": {"er-cddb", "er-cora", "er-dblp-acm"}, "rewritten": {"clough-stevenson"}, "programs": {"irplag-java"}, "translations": {"bible-chapters"},
	"recognised": {"bln600-ocr"}, "licences": {"debian-copyright", "spdx-licenses"}, "terms": {"ota-terms"},
	"documentation": {"powershell-docs", "react-native-docs"}, "news": {"scoop-news"}, "prose": {"news", "reviews", "messages", "laws, de"},
	"sentences": {"sentences, zh", "sentences, ja"}, "pages, one half": {"pages, en", "pages, hi", "pages, ko"},
	"pages, other half": {"pages, es", "pages, ru", "pages, zh", "pages, ja"},
	"twins":             {"sentences of news", "sentences of messages", "sentences of laws, de"},
}

// A candidate is a pair that is judged.
type candidate struct {
	a, b       uint32
	near, same bool // same: of equal words, which needs no judge
	words      float64
	of         [judge.NumMeasures]float64
	unseen     float64 // probability of the judge that has not seen the family
}

// A collection has the candidates of texts.
type collection struct {
	*labelled.Collection
	generator  int
	family     string
	candidates []candidate
	near       int // pairs that are near, of equal words or not
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("judge: ")
	if len(os.Args) != 4 {
		log.Fatal("want the directory of the collections, the file of the weights and the directory of the page")
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, data, weights, docs string) error {
	all, err := load(ctx, data)
	if err != nil {
		return err
	}
	training := slices.DeleteFunc(slices.Clone(all), func(c *collection) bool { return c.generator == unseen })
	file, final, err := train(training)
	if err != nil {
		return err
	}
	for family := range families {
		_, j, err := train(slices.DeleteFunc(slices.Clone(training), func(c *collection) bool { return c.family == family }))
		if err != nil {
			return err
		}
		for _, c := range all {
			if c.family == family {
				for i := range c.candidates {
					c.candidates[i].unseen = c.candidates[i].probability(j)
				}
			}
		}
	}
	var page bytes.Buffer
	if err := markdown.Write(&page, write(all, final), 1, markdown.NoPlots); err != nil {
		return err
	}
	if err := os.WriteFile(weights, file, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, "JUDGE.md"), page.Bytes(), 0o666)
}

// load reads all collections and makes the copies.
func load(ctx context.Context, data string) (all []*collection, err error) {
	add := func(generator int, c *labelled.Collection, err error) error {
		if err != nil {
			return err
		}
		log.Printf("%s: %d documents", c.Name, len(c.Texts))
		of, err := candidates(ctx, c)
		all = append(all, &collection{c, generator, familyOf(strings.TrimPrefix(c.Name, prefixes[generator])), of, c.Labels.Near})
		return err
	}
	for _, s := range labelled.Sources {
		c, err := s.Load(data)
		if err := add(none, c, err); err != nil {
			return nil, err
		}
	}
	for _, b := range labelled.Forms {
		c, err := labelled.FormsOf(data, b)
		if err := add(twins, c, err); err != nil {
			return nil, err
		}
	}
	for generator, edits := range [][]labelled.Edit{first: labelled.Edits, second: labelled.SecondEdits, unseen: labelled.UnseenEdits} {
		for _, b := range labelled.Bases {
			// Pages in three languages are enough for the others.
			if edits == nil || generator != first && (b.Sentences || b.Kind == labelled.Templates && !slices.Contains([]string{"pages, en", "pages, ru", "pages, zh"}, b.Name)) {
				continue
			}
			b.Name, b.Limit = prefixes[generator]+b.Name, min(b.Limit, mostOriginals)
			c, err := labelled.Copies(data, b, edits)
			if err := add(generator, c, err); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func familyOf(name string) string {
	for family, of := range families {
		if slices.Contains(of, name) {
			return family
		}
	}
	panic(name + " is of no family")
}

// candidates returns the pairs of a collection that are judged, those of which nobody says whether they are near apart.
func candidates(ctx context.Context, c *labelled.Collection) (out []candidate, err error) {
	t, err := labelled.NewTruth(c)
	if err != nil {
		return nil, err
	}
	sets := make([][]uint64, len(t.Words))
	for i, words := range t.Words {
		for _, w := range slices.Compact(words) {
			sets[i] = append(sets[i], uint64(w))
		}
	}
	pairs, err := truth.Joiner{Threads: 1}.Pairs(ctx, sets, index.CopyFloor)
	if err != nil {
		return nil, err
	}
	texts := make([]*judge.Text, len(c.Texts))
	read := func(i uint32) *judge.Text {
		if texts[i] == nil {
			texts[i] = judge.Read(c.Texts[i])
		}
		return texts[i]
	}
	for _, p := range pairs {
		near, known := t.Judge(p.A, p.B)
		if a, b, same := read(p.A), read(p.B), t.Same[p.A] == t.Same[p.B]; known && (same || judge.Compared(a, b, p.Jaccard)) {
			out = append(out, candidate{a: p.A, b: p.B, near: near, same: same, words: p.Jaccard, of: judge.Measures(a, b)})
		}
	}
	return out, nil
}

// probability returns what a judge says of the pair.
func (c *candidate) probability(j *judge.Judge) float64 {
	if c.same {
		return 1
	}
	return j.Probability(c.of)
}

// docF returns the harmonic mean of the recall of pairs and the share of the documents found that are clean, and the
// number of false pairs.
func (c *collection) docF(found func(*candidate) bool) (f float64, wrong int) {
	const printed, unclean = 1, 2
	documents := make([]uint8, len(c.Texts))
	right := 0
	for i := range c.candidates {
		p := &c.candidates[i]
		switch {
		case !found(p):
		case p.near:
			right++
			documents[p.a] |= printed
			documents[p.b] |= printed
		default:
			wrong++
			documents[p.a] |= printed | unclean
			documents[p.b] |= printed | unclean
		}
	}
	shown, clean := 0, 0
	for _, d := range documents {
		if d != 0 {
			shown++
			clean += int(1 - d/(printed|unclean))
		}
	}
	return truth.F1(float64(clean)/math.Max(1, float64(shown)), float64(right)/float64(c.near)), wrong
}
