package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/bench/documents"
)

// A collection is a directory of files, and pairs of them with labels.
type collection struct {
	name, extension, dir string
	files                int
	labels               map[pair]bool // whether one is copied from the other
	copied               int           // labels that are true
}

// load writes the documents of a collection to a directory, a file each.
func load(data, name, extension, dir string) (*collection, error) {
	c := &collection{name: name, extension: extension, dir: dir, labels: map[pair]bool{}}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	names := map[string]string{}
	for doc, err := range documents.Read(filepath.Join(data, name, "docs.jsonl")) {
		if err != nil {
			return nil, err
		}
		file := fmt.Sprintf("%04d.%s", len(names), extension)
		names[string(doc.ID)] = file
		if err := os.WriteFile(filepath.Join(dir, file), doc.Text, 0o666); err != nil {
			return nil, err
		}
	}
	c.files = len(names)
	labels, err := os.Open(filepath.Join(data, name, "pairs.jsonl"))
	if err != nil {
		return nil, err
	}
	defer labels.Close() //nolint:errcheck // it is read only
	lines := bufio.NewScanner(labels)
	for lines.Scan() {
		var l struct{ A, B, Label string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, err
		}
		a, b := names[l.A], names[l.B]
		if a == "" || b == "" {
			return nil, fmt.Errorf("%s: a label is of a document that is not there: %s, %s", name, l.A, l.B)
		}
		is := !strings.HasPrefix(l.Label, "non")
		if c.labels[pair{min(a, b), max(a, b)}] = is; is {
			c.copied++
		}
	}
	return c, lines.Err()
}

// A score is how right a program is about pairs with labels.
type score struct{ precision, recall, f1, average, best float64 }

func f1(precision, recall float64) float64 {
	if precision+recall == 0 {
		return 0
	}
	return 2 * precision * recall / (precision + recall)
}

// score compares an answer with the labels. A pair that a program does not name has a share of 0.
func (c *collection) score(a *answer) (s score) {
	type labelled struct {
		share float64
		is    bool
	}
	var all []labelled
	shown, right := 0, 0
	for p, is := range c.labels {
		l := labelled{is: is}
		if f := a.pairs[p]; f != nil {
			if l.share = f.Share; f.Shown {
				shown++
				if is {
					right++
				}
			}
		}
		all = append(all, l)
	}
	if shown > 0 {
		s.precision = float64(right) / float64(shown)
	}
	s.recall = float64(right) / float64(c.copied)
	s.f1 = f1(s.precision, s.recall)
	slices.SortFunc(all, func(x, y labelled) int {
		switch {
		case x.share > y.share:
			return -1
		case x.share < y.share:
			return 1
		}
		return 0
	})
	// Pairs of one share come together: the order among them is none of the program's.
	before := 0.0
	right = 0
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].share == all[from].share {
			if all[to].is {
				right++
			}
			to++
		}
		precision, recall := float64(right)/float64(to), float64(right)/float64(c.copied)
		s.average += precision * (recall - before)
		if before = recall; all[from].share > 0 {
			s.best = max(s.best, f1(precision, recall))
		}
		from = to
	}
	return s
}

// table asks all programs, and returns what comes of it.
func (c *collection) table(programs []program) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%d files, %d pairs with labels: %d copied, %d not.\n\n", c.name, c.files, len(c.labels), c.copied, len(c.labels)-c.copied)
	b.WriteString("| program | precision | recall | F1 | area under precision and recall | best F1 | processor s |\n|---|---|---|---|---|---|---|\n")
	for _, p := range programs {
		a, err := p.ask(c.dir, c.extension)
		if err != nil {
			return "", err
		}
		s := c.score(a)
		fmt.Fprintf(&b, "| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %s |\n", p.name, s.precision, s.recall, s.f1, s.average, s.best, a.took())
	}
	return b.String(), nil
}
