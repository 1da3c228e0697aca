package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"simsearch/bench/documents"
	"simsearch/bench/machine"
)

// leastItem and mostItem are how many words an item has.
const leastItem, mostItem = 24, 60

// A part is what a document has of an item.
type part struct {
	name string
	of   func(r *rand.Rand, item []string) []string
}

func some(r *rand.Rand, item []string, words int) []string {
	from := r.IntN(len(item) - words + 1)
	return item[from : from+words]
}

var parts = []part{
	{"all of it", func(_ *rand.Rand, item []string) []string { return item }},
	{"all, in capitals, with commas", func(_ *rand.Rand, item []string) []string {
		return strings.Fields(strings.ToUpper(strings.Join(item, ", ")))
	}},
	{"half of it", func(r *rand.Rand, item []string) []string { return some(r, item, max(13, len(item)/2)) }},
	{"13 words", func(r *rand.Rand, item []string) []string { return some(r, item, 13) }},
}

// A training set is a directory with documents, and one with the items of a test, of which some documents have parts.
type training struct {
	name             string
	documents, items int
	each             int // documents with each part, of different items
	// document and item return the words of the next one, document until it is called again.
	document, item func() []string

	dir     string
	bytes   int64
	planted map[[2]string]int // an item and a document, and the part
}

// words returns the words of a review that have a letter or a digit.
func words(text string) []string {
	return slices.DeleteFunc(strings.Fields(strings.ReplaceAll(text, "<br />", " ")), func(word string) bool {
		return !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
}

// trainings returns one of reviews as they are, for all programs, and a large one of parts of reviews, for simsearch.
// The items are of reviews that are in neither.
func trainings(docs string) ([]*training, error) {
	var reviews [][]string
	for doc, err := range documents.Read(docs) {
		if err != nil {
			return nil, err
		}
		if review := words(string(doc.Text)); len(review) >= mostItem {
			reviews = append(reviews, review)
		}
	}
	half := len(reviews) / 2
	r := rand.New(rand.NewPCG(33, 2))
	others := make([]string, 50_000) // words that take the place of others
	for i := range others {
		others[i] = reviews[r.IntN(len(reviews))][r.IntN(mostItem)]
	}
	drawn := func(dst []string, from [][]string, least, most int, changed float64) []string {
		for _, word := range some(r, from[r.IntN(len(from))], least+r.IntN(most-least+1)) {
			if r.Float64() < changed {
				word = others[r.IntN(len(others))]
			}
			dst = append(dst, word)
		}
		return dst
	}
	var out []string // again for each document
	next, nextItem := 0, half
	small := &training{name: "reviews", documents: half, items: len(reviews) - half, each: 250, document: func() []string {
		next++
		return reviews[next-1]
	}, item: func() []string {
		nextItem++
		return reviews[nextItem-1][:leastItem+r.IntN(mostItem-leastItem+1)]
	}}
	large := &training{name: "3 GB", documents: 2_000_000, items: 1_000_000, each: 2_500, document: func() []string {
		for out = out[:0]; len(out) < 270; {
			out = drawn(out, reviews[:half], 8, 24, .12)
		}
		return out
	}, item: func() []string { return drawn(nil, reviews[half:], leastItem, mostItem, .3) }}
	return []*training{small, large}, nil
}

// write writes the documents and the items to a directory. Items have the fields that decon asks for.
func (t *training) write(dir string) error {
	t.dir, t.planted = dir, map[[2]string]int{}
	r := rand.New(rand.NewPCG(33, 3))
	var plants [][]string
	every := t.items / (t.each * len(parts))
	err := writeLines(filepath.Join(dir, "test"), t.items, func(i int) any {
		item := t.item()
		if i%every == 0 {
			plants = append(plants, item)
		}
		return struct {
			ID          string  `json:"id"`
			Key         string  `json:"eval_key"`
			Config      *string `json:"config"`
			Split       string  `json:"split"`
			Index       int     `json:"eval_instance_index"`
			Doc         int     `json:"doc_id"`
			Question    string  `json:"question"`
			Fingerprint string  `json:"fingerprint"`
		}{strconv.Itoa(i), "reviews", nil, "test", i, i, strings.Join(item, " "), fmt.Sprintf("%016x", i)}
	})
	if err != nil {
		return err
	}
	planted := t.each * len(parts)
	into := t.documents / planted
	return writeLines(filepath.Join(dir, "train"), t.documents, func(i int) any {
		text := t.document()
		if n := i / into; i%into == 0 && n < planted {
			at := r.IntN(len(text) + 1)
			text = slices.Concat(text[:at], parts[n%len(parts)].of(r, plants[n]), text[at:])
			t.planted[[2]string{strconv.Itoa(n * every), strconv.Itoa(i)}] = n % len(parts)
		}
		doc := struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}{strconv.Itoa(i), strings.Join(text, " ")}
		t.bytes += int64(len(doc.Text))
		return doc
	})
}

// writeLines writes a file of JSON Lines to a new directory.
func writeLines(dir string, n int, line func(i int) any) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "all.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriterSize(f, 1<<20)
	to := json.NewEncoder(b)
	for i := range n {
		if err := to.Encode(line(i)); err != nil {
			return err
		}
	}
	return b.Flush()
}

// A cleaner looks for the items of a test, and writes what it has found to a file hits.jsonl of the directory out.
type cleaner struct {
	name, missing string
	command       func(train, test, out string) []string
}

func cleaners(simsearch, python string) []cleaner {
	decon := func(name string, more ...string) cleaner {
		return cleaner{name, python, func(train, test, out string) []string {
			return append([]string{python, "peers/passages/with_decon.py", train, test, out, "worker_threads=2"}, more...)
		}}
	}
	return []cleaner{
		{"simsearch decontaminate", simsearch, func(train, test, out string) []string {
			return []string{simsearch, "decontaminate", "--quiet", "--test", test + ":question", "--out", out, train}
		}},
		decon("decon 0.3.0"),
		decon("decon 0.3.0, at every token, whatever the score", "sample_every_m_tokens=1", "contamination_score_threshold=0.0"),
	}
}

// row runs a program, and returns its row: which share of the planted parts it finds, and how many other items in
// documents.
func (t *training) row(c cleaner) (string, error) {
	out := filepath.Join(t.dir, "found")
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	line := c.command(filepath.Join(t.dir, "train"), filepath.Join(t.dir, "test"), out)
	s, err := machine.Process(line[0], line[1:]...)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(out, "hits.jsonl"))
	if err == nil {
		var less []byte // what is listed apart
		if less, err = os.ReadFile(filepath.Join(out, "less.jsonl")); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		text = append(text, less...)
	}
	if err != nil {
		return "", err
	}
	found, other := make([]int, len(parts)), 0
	seen := map[[2]string]bool{}
	for line := range bytes.Lines(text) {
		var h struct{ Item, Document string }
		if err := json.Unmarshal(line, &h); err != nil {
			return "", err
		}
		hit := [2]string{h.Item, h.Document}
		if seen[hit] {
			continue
		}
		seen[hit] = true
		if part, ok := t.planted[hit]; ok {
			found[part]++
		} else {
			other++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s | %d MB, %d | %d |", c.name, t.name, t.bytes/1e6, t.documents, t.items)
	for _, n := range found {
		fmt.Fprintf(&b, " %.3f |", float64(n)/float64(t.each))
	}
	fmt.Fprintf(&b, " %d | %.1f | %.1f | %.2f |\n", other, s.Processor.Seconds(), s.Wall.Seconds(), float64(s.Memory)/1e9)
	return b.String(), nil
}

// decontamination returns the section on items of tests in training sets. All programs look into the first training
// set, and simsearch alone into the large one.
func decontamination(cleaners []cleaner, docs, scratch string) (string, error) {
	all, err := trainings(docs)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, contaminationIntro, leastItem, mostItem, all[0].each, all[1].each)
	b.WriteString("| program | training set | text, documents | items |")
	for _, p := range parts {
		fmt.Fprintf(&b, " %s |", p.name)
	}
	b.WriteString(" other finds | processor s | s | memory, GB |\n|---|---|---|---|" + strings.Repeat("---|", len(parts)+4) + "\n")
	for i, t := range all {
		if err := t.write(filepath.Join(scratch, strconv.Itoa(i))); err != nil {
			return "", err
		}
	}
	for _, t := range all {
		t.document, t.item = nil, nil // memory of this program would count as that of what it starts
	}
	for i, t := range all {
		for j, c := range cleaners {
			if i > 0 && j > 0 {
				break
			}
			row, err := t.row(c)
			if err != nil {
				return "", err
			}
			b.WriteString(row)
		}
	}
	return b.String(), nil
}
